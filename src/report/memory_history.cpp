#include "memory_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace zerolab {

namespace {

bool is_pass(const MeasuredTimeline::Mark& mark) {
  return mark.words == "forward" || mark.words == "backward";
}
bool is_of_pass(const MeasuredTimeline::Mark& mark) {
  return is_pass(mark) || mark.words == "recompute";  // a part of the backward pass
}

}  // namespace

std::int64_t total(const Held& held) {
  return std::accumulate(held.begin(), held.end(), std::int64_t{0});
}

std::vector<Held> history(const MeasuredTimeline& timeline) {
  std::vector<Held> states{timeline.held};
  for (const auto& [category, bytes] : timeline.memory) {
    states.push_back(states.back());
    states.back()[static_cast<std::size_t>(category)] += bytes;
  }
  return states;
}

std::size_t peak_of(const std::vector<Held>& states) {
  const auto less = [](const Held& a, const Held& b) { return total(a) < total(b); };
  return static_cast<std::size_t>(std::max_element(states.begin(), states.end(), less) -
                                  states.begin());
}

bool is_gather(const MeasuredTimeline::Mark& mark) {
  return mark.words.starts_with("all-gather") || mark.words.starts_with("arrives");
}
bool is_release(const MeasuredTimeline::Mark& mark) {
  return mark.words.starts_with("release");
}
bool is_reduction(const MeasuredTimeline::Mark& mark) {
  return mark.words.starts_with("reduce-scatter") || mark.words.starts_with("all-reduce");
}

std::vector<Pass> passes(const MeasuredTimeline& timeline) {
  std::vector<Pass> found;
  for (const auto& mark : timeline.marks) {
    if (!is_pass(mark)) continue;
    if (found.empty() || found.back().words != mark.words) {
      found.push_back({mark.words, found.empty() ? 0 : found.back().end, 0});
    }
    found.back().end = mark.after + 1;
  }
  return found;
}

std::string peak_words(const MeasuredTimeline& timeline, std::size_t peak) {
  const auto& marks = timeline.marks;
  // What runs is marked when it is over.
  const auto pass = std::find_if(marks.begin(), marks.end(),
                                 [&](const auto& m) { return m.after >= peak && is_of_pass(m); });
  if (pass == marks.end()) return "";
  std::string words = pass->words;
  if (!pass->unit) return words;
  words += fmt::format(" of unit {}", *pass->unit);
  for (auto mark = pass; mark != marks.begin();) {
    --mark;
    if (mark->unit != pass->unit) continue;
    if (is_gather(*mark)) words += ", gathered";
    if (is_gather(*mark) || is_release(*mark)) break;
  }
  return words;
}

ByteUnit byte_unit(std::int64_t most) {
  if (most < 2'000'000) return {1e3, "kB", "kB, 10³ bytes"};
  if (most < 2'000'000'000) return {1e6, "MB", "MB, 10⁶ bytes"};
  if (most < 2'000'000'000'000) return {1e9, "GB", "GB, 10⁹ bytes"};
  return {1e12, "TB", "TB, 10¹² bytes"};
}

}  // namespace zerolab
