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
      });
}

}  // namespace

Evidence training_activations(const Folder& folder) {
  std::optional<std::uint64_t> first;
  return over_runs(folder, "measured",
                   "peak of activations in training alone, bytes on the last rank in stage 3, the "
                   "same for every N at B samples a rank",
                   {"stages.3.memory.per_rank[*].activations.peak", "stages.3.test_samples"},
                   [&](const VerifyRun& run, const std::vector<Selection>& s) {
                     const std::uint64_t blocks =
                         (s[1].whole() + Stage::evaluation_block - 1) / Stage::evaluation_block;
                     if (blocks >= run.ranks) return Judged{};  // every rank evaluates
                     const std::uint64_t peak = s[0].wholes().back();
                     if (!first) first = peak;
                     return Judged{thin(peak), peak == *first};
                   });
}

Finding activations(const Folder& folder) {
  Finding finding = one(equal_activations(folder));
  add(finding, training_activations(folder),
      "training alone: every rank of every run here also evaluates");
  return finding;
}

Finding activations_and_checkpointing(const Folder& folder) {
  Finding finding = one(equal_activations(folder));
  finding.open.push_back("what recomputing activations saves");
  return finding;
}

}  // namespace zerolab::findings
