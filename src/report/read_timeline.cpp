#include "read_timeline.hpp"

#include <algorithm>
#include <cmath>

#include "json_field.hpp"
#include "zerolab/comm/traffic_ledger.hpp"

namespace zerolab {

namespace {

Category category_of(const JsonField& field) {
  const std::string word = field.text();
  std::size_t c = 0;
  while (c < categories && name(static_cast<Category>(c)) != word) ++c;
  field.require_kind(c < categories, "a category of memory");
  return static_cast<Category>(c);
}

std::string kind_of(const JsonField& field) {
  const std::string word = field.text();
  bool known = word == "forward" || word == "backward" || word == "update";
  for (std::size_t c = 0; c < collectives; ++c) known |= name(static_cast<Collective>(c)) == word;
  field.require_kind(known, "forward, backward, update or a collective");
  return word;
}

std::optional<std::uint64_t> unit_of(const JsonField& event) {
  const JsonField unit = event["unit"];
  return unit.is_null() ? std::nullopt : std::optional(unit.whole());
}

double time_of(const JsonField& field) {
  const double seconds = field.number();
  field.require_kind(std::isfinite(seconds) && seconds >= 0, "a time from 0");
  return seconds;
}

void read_events(const JsonField& file, MeasuredTimeline& timeline) {
  auto held = timeline.held;
  for (const JsonField& change : file["memory"].list()) {
    timeline.memory.push_back({category_of(change["category"]), change["change"].signed_whole()});
    auto& now = held[static_cast<std::size_t>(timeline.memory.back().category)];
    now += timeline.memory.back().bytes;
    change["change"].require_kind(now >= 0, "at most what is held");
  }
  for (const JsonField& span : file["spans"].list()) {
    timeline.spans.push_back(
        {time_of(span["begin"]), time_of(span["end"]), kind_of(span["what"]), unit_of(span)});
    span["end"].require_kind(timeline.spans.back().end >= timeline.spans.back().begin,
                             "at or after its begin");
  }
  for (const JsonField& mark : file["marks"].list()) {
    timeline.marks.push_back({mark["after"].whole(), unit_of(mark), mark["words"].text()});
    mark["after"].require_kind(timeline.marks.back().after <= timeline.memory.size(),
                               "a number of changes of memory");
  }
}

}  // namespace

std::optional<MeasuredTimeline> read_timeline(Results& results, int stage, bool overlapped) {
  MeasuredTimeline timeline;
  timeline.file = fmt::format("timeline-{}{}.json", stage, overlapped ? "-overlapped" : "");
  const nlohmann::json* all = results.json(timeline.file);
  if (all == nullptr) return std::nullopt;
  const JsonField file(results.folder() + "/" + timeline.file, *all);
  file["zerolab_timeline"].require_kind(file["zerolab_timeline"].whole() == 1, "1");
  file["stage"].require_kind(file["stage"].whole() == static_cast<std::uint64_t>(stage),
                             "that of the file's name");
  file["overlap"].require_kind(file["overlap"].truth() == overlapped, "that of the file's name");
  timeline.stage = stage;
  timeline.ranks = file["ranks"].whole();
  timeline.rank = file["rank"].whole();
  timeline.parameters = file["parameters"].whole();
  timeline.reduce = file["reduce"].text();
  timeline.simulated = file["simulated"].truth();
  timeline.seconds = time_of(file["seconds"]);
  file["seconds"].require_kind(timeline.seconds > 0, "above 0");
  for (std::size_t c = 0; c < categories; ++c) {
    timeline.held[c] = file["held"][name(static_cast<Category>(c))].signed_whole();
  }
  read_events(file, timeline);
  return timeline;
}

}  // namespace zerolab
