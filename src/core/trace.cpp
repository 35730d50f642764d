#include "zerolab/core/trace.hpp"

namespace zerolab {

void Trace::add_phase(std::string words) {
  lines_.push_back(std::move(words));
  new_line_ = true;
}

void Trace::add_event(std::size_t unit, const std::string& words) {
  if (timeline_ != nullptr) timeline_->mark(unit, words);
  if (!on_) {
    unit_ = unit;
    return;
  }
  constexpr std::size_t long_line = 80;  // bytes, "rank r · " comes before
  if (new_line_ || unit != unit_ || lines_.back().size() + words.size() > long_line) {
    lines_.push_back(fmt::format("unit {}", unit));
    new_line_ = false;
    unit_ = unit;
  }
  lines_.back() += " · " + words;
}

}  // namespace zerolab
