// What the memory ledgers say of activations, which no stage shards.
#include <algorithm>

#include "findings.hpp"
#include "zerolab/stages/stage.hpp"

namespace zerolab::findings {

namespace {

Evidence equal_activations(const Folder& folder) {
  return over_runs(
      folder, "measured",
      "peak of activations on each rank, bytes, the same in stages 0, 1, 2 and 3 (the first ranks "
      "also evaluate, in blocks of 256 test samples; the others show training alone)",
      {"stages.0.memory.per_rank[*].activations.peak",
       "stages.1.memory.per_rank[*].activations.peak",
       "stages.2.memory.per_rank[*].activations.peak",
       "stages.3.memory.per_rank[*].activations.peak"},
      [](const VerifyRun&, const std::vector<Selection>& s) {
        const bool equal = std::all_of(s.begin(), s.end(), [&](const Selection& stage) {
          return stage.wholes() == s[0].wholes();
        });
        const std::uint64_t least = s[0].wholes().back();
        return Judged{equal ? s[0].range()
                            : fmt::format("stage 0 {}, stage 3 {}", s[0].range(), s[3].range()),
                      equal && least > 0};
      },
      2);
}

const std::string peaks = "stages.3.memory.per_rank[*].activations.peak";

/// What training alone needs at most, by the formula of a run's last rank; nothing when that rank
/// evaluates too.
std::optional<std::uint64_t> needed(const VerifyRun& run) {
  const std::uint64_t samples = run.at("stages.3.test_samples").whole();
  if ((samples + Stage::evaluation_block - 1) / Stage::evaluation_block >= run.ranks) return {};
  return run.at("stages.3.memory.formula[*].activations.peak").wholes().back();
}

/// There is a run on another number of ranks with the same model and samples of a rank.
bool comparable(const Folder& folder, const VerifyRun& run) {
  return std::any_of(folder.runs.begin(), folder.runs.end(), [&](const VerifyRun& other) {
    return other.ranks != run.ranks && other.parameters == run.parameters &&
           needed(other) == needed(run);
  });
}

}  // namespace

Evidence training_activations(const Folder& folder) {
  return over_runs(folder, "measured",
                   "peak of activations in training alone, bytes on the last rank in stage 3, of "
                   "runs of one model and batch; right: as its formula says, the same for every N",
                   {peaks, "stages.3.memory.formula[*].activations.peak"},
                   [&](const VerifyRun& run, const std::vector<Selection>& s) {
                     const auto right = needed(run);
                     if (!right || !comparable(folder, run)) return Judged{};
                     const std::uint64_t peak = s[0].wholes().back();
                     return Judged{thin(peak), peak == *right};
                   });
}

Finding activations(const Folder& folder) {
  Finding finding = one(equal_activations(folder), no_ranks);
  add(finding, training_activations(folder),
      "training alone: two runs of one model and batch with a rank that evaluates nothing");
  return finding;
}

Finding activations_and_checkpointing(const Folder& folder) {
  Finding finding = one(equal_activations(folder), no_ranks);
  leave_undecided(finding, "what recomputing activations saves");
  return finding;
}

}  // namespace zerolab::findings
