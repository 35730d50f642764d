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
  bool known = computations.contains(word);
  for (std::size_t c = 0; c < collectives; ++c) known |= name(static_cast<Collective>(c)) == word;
  field.require_kind(known, "forward, recompute, backward, update or a collective");
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

// What a file may say: more than any step needs, and so little that no sum wraps.
constexpr std::uint64_t most_timeline_ranks = std::uint64_t{1} << 20U,
                        most_timeline_parameters = 1'000'000'000'000'000;
constexpr std::int64_t most_bytes = 100'000'000'000'000;
constexpr double least_seconds = 1e-9, most_seconds = 1e9;

void read_size(const JsonField& file, MeasuredTimeline& timeline) {
  timeline.ranks = file["ranks"].whole();
  file["ranks"].require_kind(timeline.ranks > 0 && timeline.ranks <= most_timeline_ranks,
                             "from 1 to 2^20");
  timeline.rank = file["rank"].whole();
  file["rank"].require_kind(timeline.rank < timeline.ranks, "below ranks");
  timeline.parameters = file["parameters"].whole();
  file["parameters"].require_kind(
      timeline.parameters > 0 && timeline.parameters <= most_timeline_parameters,
      "from 1 to 10^15");
  timeline.seconds = time_of(file["seconds"]);
  file["seconds"].require_kind(
      timeline.seconds >= least_seconds && timeline.seconds <= most_seconds, "from 10^-9 to 10^9");
  for (std::size_t c = 0; c < categories; ++c) {
    const JsonField held = file["held"][name(static_cast<Category>(c))];
    timeline.held[c] = held.signed_whole();
    held.require_kind(timeline.held[c] >= 0 && timeline.held[c] <= most_bytes,
                      "a number of bytes from 0 to 10^14");
  }
}

void read_spans(const JsonField& file, MeasuredTimeline& timeline) {
  const double over = timeline.seconds * (1 + 1e-6) + least_seconds;  // but for rounding
  for (const JsonField& span : file["spans"].list()) {
    timeline.spans.push_back(
        {time_of(span["begin"]), time_of(span["end"]), kind_of(span["what"]), unit_of(span)});
    const auto& [begin, end, what, unit] = timeline.spans.back();
    span["end"].require_kind(end >= begin, "at or after its begin");
    span["end"].require_kind(end <= over, "within the step's seconds");
  }
}

void read_events(const JsonField& file, MeasuredTimeline& timeline) {
  auto held = timeline.held;
  for (const JsonField& change : file["memory"].list()) {
    const std::int64_t bytes = change["change"].signed_whole();
    change["change"].require_kind(bytes >= -most_bytes && bytes <= most_bytes,
                                  "a number of bytes of at most 10^14");
    timeline.memory.push_back({category_of(change["category"]), bytes});
    auto& now = held[static_cast<std::size_t>(timeline.memory.back().category)];
    now += timeline.memory.back().bytes;
    change["change"].require_kind(now >= 0, "at most what is held");
    change["change"].require_kind(now <= most_bytes,
                                  "one after which at most 10^14 bytes are held");
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
  timeline.reduce = file["reduce"].text();
  timeline.simulated = file["simulated"].truth();
  read_size(file, timeline);
  read_events(file, timeline);
  read_spans(file, timeline);
  return timeline;
}

}  // namespace zerolab
