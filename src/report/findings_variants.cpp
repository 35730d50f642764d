// What the documents' job shows in other forms: sums in the MPI's own order, overlap, fp32.
#include <algorithm>

#include "experiment_file.hpp"
#include "findings.hpp"
#include "zerolab/core/shards.hpp"

namespace zerolab::findings {

namespace {

ExperimentFile variants_file(const Folder& folder) {
  return {folder.results, "experiment-variants.json"};
}

/// Elements of the model, and of a rank's shards.
std::uint64_t parameters_of(const ExperimentFile& file) {
  return file.at("units[*]").sum();
}
std::uint64_t shard_of(const ExperimentFile& file, std::size_t rank) {
  std::uint64_t sum = 0;
  for (const std::uint64_t unit : file.at("units[*]").wholes()) {
    sum += Shards{unit, file.ranks()}.size(rank);
  }
  return sum;
}

Evidence by_order(const ExperimentFile& file) {
  const Selection stages = file.at("library_order.stages[*]");
  const auto& all = stages.fields();
  require(all.size() == 4, "{}: library_order.stages is not of four stages", file.file);
  const JsonField first = file.at("library_order.first_difference").field();
  const bool as_it_must = ended_alike(all[0], all[1]) && ended_alike(all[2], all[3]) &&
                          (file.ranks() > 2 || ended_alike(all[0], all[2]));
  return {
      "measured",
      "stage 3 against stage 0 under --reduce mpi, where the library adds in an order of its own: "
      "the first parameter that parts, and how many do in that step; right: stages 0 and 1 have "
      "the same bits, 2 and 3 have, and on 2 ranks all four (how far they part: shown, not judged)",
      {{file.where(),
        first.is_null()
            ? "all the same"
            : fmt::format("step {}, unit {}, element {}: {} ulp{}; {} of {}", first["step"].whole(),
                          first["unit"].whole(), first["index"].whole(), first["ulps"].whole(),
                          first["ulps"].whole() == 1 ? "" : "s", thin(first["differing"].whole()),
                          thin(parameters_of(file))),
        as_it_must}},
      {{file.file, "library_order.first_difference"},
       {file.file, "library_order.stages[*].{parameters,master,moments,agrees,updates}"}}};
}

Evidence two_units(const ExperimentFile& file) {
  const auto units = file.at("units[*]").wholes();
  std::uint64_t pair = 0;  // of neighbours
  for (std::size_t l = 0; l + 1 < units.size(); ++l) pair = std::max(pair, units[l] + units[l + 1]);
  const Selection peak = file.at("overlapped.peak[*]"), now = file.at("overlapped.now[*]");
  const auto peaks = peak.wholes(), held = now.wholes();
  bool holds = peaks.size() == file.ranks() && held.size() == file.ranks();
  std::uint64_t most = 0;
  for (std::size_t r = 0; holds && r < peaks.size(); ++r) {
    const std::uint64_t gathered = peaks[r] - std::min(peaks[r], held[r]);
    most = std::max(most, gathered);
    holds = held[r] == 2 * shard_of(file, r) && gathered == 2 * pair;
  }
  return {"measured",
          fmt::format("gathered parameters at most on each rank in stage 3 with --overlap, bytes; "
                      "right: two units, {} of the largest neighbours",
                      thin(2 * pair)),
          {{file.where(), thin(most), holds}},
          {{file.file, "overlapped.{peak,now}[*]"}, {file.file, "units[*]"}}};
}

Evidence parts_in_fp32(const ExperimentFile& file) {
  Evidence evidence{"measured",
                    "in fp32, parameters + gradients + momentum and variance, of all ranks, in Φ; "
                    "right: 4N + 4N + 8N in stage 0, 4 + 4 + 8 in stage 3, no master weights",
                    {},
                    {{file.file, "fp32[*].{parameters,gradients,master,momentum,variance}[*]"},
                     {file.file, "units[*]"}}};
  const std::uint64_t phi = parameters_of(file);
  for (const std::size_t i : {0U, 1U}) {
    const auto by_rank = [&](const char* state) {
      return file.at(fmt::format("fp32[{}].{}[*]", i, state));
    };
    const std::uint64_t stage = file.whole(fmt::format("fp32[{}].stage", i));
    bool holds = stage == 3 * i && by_rank("master").all(0);
    for (const char* state : {"parameters", "gradients", "momentum", "variance"}) {
      const auto bytes = by_rank(state).wholes();
      holds &= bytes.size() == file.ranks();
      for (std::size_t r = 0; r < bytes.size(); ++r) {
        holds &= bytes[r] == 4 * (stage == 0 ? phi : shard_of(file, r));
      }
    }
    const auto sum = [&](const char* states) { return times(by_rank(states).sum(), phi); };
    evidence.values.push_back({fmt::format("{}, stage {}", file.where(), stage),
                               fmt::format("{} + {} + {}", sum("parameters"), sum("gradients"),
                                           sum("{momentum,variance}")),
                               holds});
  }
  return evidence;
}

}  // namespace

Finding order_of_sums(const Folder& folder) {
  const ExperimentFile file = variants_file(folder);
  return decided_by(file, "where and by how many ulps sums part that depend on the order", 2,
                    [&]() -> std::vector<Evidence> { return {by_order(file)}; });
}

Finding prefetched_units(const Folder& folder) {
  const ExperimentFile file = variants_file(folder);
  return decided_by(file, "two units at a time when prefetching (--overlap)", 2,
                    [&]() -> std::vector<Evidence> { return {two_units(file)}; });
}

Finding states_in_fp32(const Folder& folder) {
  const ExperimentFile file = variants_file(folder);
  return decided_by(file, "4 + 4 + 8 of a run in fp32", 2,
                    [&]() -> std::vector<Evidence> { return {parts_in_fp32(file)}; });
}

}  // namespace zerolab::findings
