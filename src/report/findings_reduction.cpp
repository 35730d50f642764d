// How many times less a rank holds: every formula is held against sums over all ranks, which ragged
// shards do not round.
#include "planned.hpp"

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
      },
      2);
}

namespace {

/// The factor at some N, and what it tends to, which no number of ranks can show; 0: no ceiling.
Finding with_ceiling(const Folder& folder, int stage, const char* formula, std::uint64_t ceiling) {
  Finding finding = one(reduction(folder, stage, formula), no_ranks);
  Evidence plan = calculated(fmt::format("ceiling by zerolab plan; right: {}",
                                         ceiling == 0 ? "none" : std::to_string(ceiling)));
  for (const char* id : {"3.1", "5.1"}) {
    if (plan.values.empty())
      put_fraction(plan, folder, id, stage, "ceiling", ceiling, ceiling == 0 ? 0 : 1);
  }
  add(finding, plan, "the ceiling (exercise-3.1.json or exercise-5.1.json, zerolab plan)");
  return finding;
}

}  // namespace

Finding reduction_of_stage_1(const Folder& folder) {
  return with_ceiling(folder, 1, "4N/(N+3)", 4);
}

Finding reduction_of_stage_2(const Folder& folder) {
  return with_ceiling(folder, 2, "8N/(N+7)", 8);
}

Finding reduction_of_stage_3(const Folder& folder) {
  return with_ceiling(folder, 3, "N", 0);
}

Finding reductions(const Folder& folder) {
  Finding finding;
  add(finding, reduction(folder, 1, "16N/(4N+12), ceiling 16/4 = 4"), no_ranks);
  add(finding, reduction(folder, 2, "16N/(2N+14), ceiling 16/2 = 8"), "");
  add(finding, reduction(folder, 3, "16N/16 = N; a = 0, so no ceiling"), "");
  return finding;
}

}  // namespace zerolab::findings
