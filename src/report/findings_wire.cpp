// What an MPI says that it sends in single calls.
#include "experiment_file.hpp"
#include "findings.hpp"

namespace zerolab::findings {

namespace {

/// Bytes that all ranks together have sent in one kind of call, and send in a ring.
struct Calls {
  std::uint64_t sent, ring;

  bool as_ring() const { return sent == ring; }
};

/// experiment-wire.json, where the MPI counts.
struct Counted {
  ExperimentFile file;
  Calls whole, scatter, gather;

  /// No algorithm does with fewer bytes than a ring.
  bool all_seen() const {
    return whole.sent >= whole.ring && scatter.sent >= scatter.ring && gather.sent >= gather.ring;
  }
  /// Another algorithm in one of the three says nothing of the others.
  bool comparable() const {
    return all_seen() && whole.as_ring() && scatter.as_ring() && gather.as_ring();
  }
  Value value(std::string number, bool right) const {
    return {file.where(), std::move(number), comparable() ? std::optional(right) : std::nullopt};
  }
};

const std::string single_calls = "bytes on the wire of single calls, as the MPI counts them";
std::vector<Source> all_calls(const ExperimentFile& file) {
  return {{file.file, "{allreduce,reduce_scatter,allgather}.{sent,ring}[*]"}};
}

/// What was counted; else, or when it was not all, that is open.
std::optional<Counted> counted(const Folder& folder, Finding& finding) {
  const ExperimentFile file{folder.results, "experiment-wire.json"};
  if (!file.there() || file.ranks() == 1) {
    finding.open.push_back(fmt::format("{} ({})", single_calls, file.file));
    return std::nullopt;
  }
  if (const Selection fault = file.at("not_available"); !fault.field().is_null()) {
    finding.open.push_back(single_calls + ": " + fault.field().text());
    return std::nullopt;
  }
  const auto calls = [&](const char* name) {
    const auto sum = [&](const char* what) {
      return file.at(fmt::format("{}.{}[*]", name, what)).sum();
    };
    return Calls{sum("sent"), sum("ring")};
  };
  return Counted{file, calls("allreduce"), calls("reduce_scatter"), calls("allgather")};
}

const std::string not_all_seen = single_calls + ": not all bytes were seen";

}  // namespace

void add_counted_halves(const Folder& folder, Finding& finding) {
  const auto calls = counted(folder, finding);
  if (!calls) return;
  const auto& [file, whole, scatter, gather] = *calls;
  const std::uint64_t halves = scatter.sent + gather.sent;
  const std::optional<bool> less = scatter.sent < whole.sent;
  add_first(
      finding,
      {{"measured",
        "bytes on the wire, one reduce-scatter over one all-reduce of 1 MB; right: less than 1",
        {{file.where(), times(scatter.sent, whole.sent), calls->all_seen() ? less : std::nullopt}},
        all_calls(file)},
       {"measured",
        "bytes on the wire, a reduce-scatter and an all-gather over an all-reduce; right: 1 "
        "(judged where each of the three sends in sum what a ring does)",
        {calls->value(times(halves, whole.sent), halves == whole.sent)},
        all_calls(file)}});
  if (!calls->all_seen()) leave_undecided(finding, not_all_seen);
}

void add_counted_stage_3(const Folder& folder, Finding& finding) {
  const auto calls = counted(folder, finding);
  if (!calls) return;
  const auto& [file, whole, scatter, gather] = *calls;
  const std::uint64_t sharded = 2 * gather.sent + scatter.sent;
  finding.evidence.push_back(
      {"measured",
       "bytes on the wire, two all-gathers and a reduce-scatter over an all-reduce of 1 MB; right: "
       "1.5 (judged where each of the three sends in sum what a ring does)",
       {calls->value(times(sharded, whole.sent), 2 * sharded == 3 * whole.sent)},
       all_calls(file)});
  if (!calls->all_seen()) finding.open.push_back(not_all_seen);
}

bool add_counted_alone(const Folder& folder, Finding& finding) {
  const ExperimentFile file{folder.results, "experiment-wire.json"};
  if (!file.there() || !file.at("not_available").field().is_null()) return false;
  Evidence sent{
      "measured",
      "bytes that a rank sends when it trains a step alone, as the MPI counts them on each "
      "rank; right: 0 in every stage",
      {},
      {{file.file, "alone[*][*]"}}};
  for (int stage = 0; stage < 4; ++stage) {
    const Selection bytes = file.at(fmt::format("alone[{}][*]", stage));
    sent.values.push_back({fmt::format("stage {}", stage), bytes.range(),
                           bytes.wholes().size() == file.ranks() && bytes.all(0)});
  }
  finding.evidence.push_back(std::move(sent));
  return true;
}

}  // namespace zerolab::findings
