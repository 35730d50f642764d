// How many times less a rank holds: every formula is held against sums over all ranks, which ragged
// shards do not round.
#include "findings.hpp"

namespace zerolab::findings {

Evidence reduction(const Folder& folder, int stage, const std::string& formula) {
  return over_runs(
      folder, "measured",
      fmt::format("model state of all ranks, stage 0 over stage {}; right: {}", stage, formula),
      {state("0"), state(std::to_string(stage))},
      [&](const VerifyRun& run, const std::vector<Selection>& s) {
        const std::uint64_t a = s[0].sum(), b = s[1].sum();
        return Judged{exact_ratio(a, b), a == right_state(run, 0) && b == right_state(run, stage) &&
                                             own_shares(run, 0, all_states) &&
                                             own_shares(run, stage, all_states)};
      });
}

Finding reduction_of_stage_1(const Folder& folder) {
  return one(reduction(folder, 1, "4N/(N+3), below 4"));
}

Finding reduction_of_stage_2(const Folder& folder) {
  return one(reduction(folder, 2, "8N/(N+7), below 8"));
}

Finding reduction_of_stage_3(const Folder& folder) {
  return one(reduction(folder, 3, "N, without a ceiling"));
}

Finding reductions(const Folder& folder) {
  Finding finding;
  add(finding, reduction(folder, 1, "16N/(4N+12), ceiling 16/4 = 4"), no_run);
  add(finding, reduction(folder, 2, "16N/(2N+14), ceiling 16/2 = 8"), "");
  add(finding, reduction(folder, 3, "16N/16 = N; a = 0, so no ceiling"), "");
  return finding;
}

}  // namespace zerolab::findings
