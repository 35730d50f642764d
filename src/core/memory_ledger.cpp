#include "zerolab/core/memory_ledger.hpp"

#include <algorithm>

#include "zerolab/core/timeline.hpp"

namespace zerolab {

std::string_view name(Category category) {
  static constexpr std::array<std::string_view, categories> names{
      "parameters",  "gradients",   "master",  "momentum", "variance",
      "accumulator", "activations", "buffers", "data"};
  return names[static_cast<std::size_t>(category)];
}

namespace {

void grow(MemoryLedger::Line& line, std::size_t bytes) {
  line.now += bytes;
  line.peak = std::max(line.peak, line.now);
}

}  // namespace

void MemoryLedger::add(Category category, std::size_t bytes) {
  grow(lines_[static_cast<std::size_t>(category)], bytes);
  grow(total_, bytes);
  tell(category, static_cast<std::int64_t>(bytes));
}

void MemoryLedger::remove(Category category, std::size_t bytes) {
  lines_[static_cast<std::size_t>(category)].now -= bytes;
  total_.now -= bytes;
  tell(category, -static_cast<std::int64_t>(bytes));
}

void MemoryLedger::tell(Category category, std::int64_t bytes) const {
  if (timeline_ != nullptr) timeline_->change(category, bytes);
}

void MemoryLedger::restart_peaks() {
  for (Line& line : lines_) line.peak = line.now;
  total_.peak = total_.now;
}

}  // namespace zerolab
