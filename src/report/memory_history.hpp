#pragma once

#include "read_timeline.hpp"

namespace zerolab {

// What a timeline says about memory, for the figure that draws it.

/// Bytes by category.
using Held = std::array<std::int64_t, categories>;
std::int64_t total(const Held& held);

/// What is held before the first change, and after each.
std::vector<Held> history(const MeasuredTimeline& timeline);
std::size_t peak_of(const std::vector<Held>& states);

bool is_gather(const MeasuredTimeline::Mark& mark);
bool is_release(const MeasuredTimeline::Mark& mark);
bool is_reduction(const MeasuredTimeline::Mark& mark);

/// A pass over the units, from one change of memory to another.
struct Pass {
  std::string words;  ///< forward or backward
  std::size_t begin, end;
};
std::vector<Pass> passes(const MeasuredTimeline& timeline);

/// What goes on at the peak: "backward of unit 1, gathered"; empty where no pass is marked.
std::string peak_words(const MeasuredTimeline& timeline, std::size_t peak);

/// Bytes for people, in numbers below 2000: kB to TB.
struct ByteUnit {
  double bytes;
  const char *name, *words;
};
ByteUnit byte_unit(std::int64_t most);

}  // namespace zerolab
