#include "zerolab/core/timeline.hpp"

namespace zerolab {

void Timeline::start(std::size_t step, const MemoryLedger& memory) {
  step_ = {};
  step_.index = step;
  for (std::size_t c = 0; c < categories; ++c) {
    step_.held[c] = memory.line(static_cast<Category>(c)).now;
  }
  on_ = true;
  begin_ = clock_();
}

void Timeline::stop(bool keep) {
  step_.seconds = now();
  on_ = false;
  if (keep) kept_ = std::move(step_);
}

void Timeline::change(Category category, std::int64_t bytes) {
  if (on_) step_.changes.push_back({now(), category, bytes});
}

void Timeline::mark(std::size_t unit, std::string words) {
  if (on_) step_.marks.push_back({now(), step_.changes.size(), unit, std::move(words)});
}

Timeline::Running Timeline::run(std::string_view what, std::optional<std::size_t> unit,
                                bool blocking) {
  Running running;
  if (!on_) return running;
  running.timeline_ = this;
  running.step_ = step_.index;
  running.span_ = step_.spans.size();
  const double begin = now();
  step_.spans.push_back({what, unit, blocking, begin, begin});
  return running;
}

Timeline::Running& Timeline::Running::operator=(Running&& other) noexcept {
  if (this != &other) {
    end();
    timeline_ = std::exchange(other.timeline_, nullptr);
    step_ = other.step_;
    span_ = other.span_;
  }
  return *this;
}

void Timeline::Running::end() {
  if (timeline_ == nullptr) return;
  Timeline& timeline = *std::exchange(timeline_, nullptr);
  // What outlives its step is not told.
  if (timeline.on_ && timeline.step_.index == step_) {
    timeline.step_.spans[span_].end = timeline.now();
  }
}

}  // namespace zerolab
