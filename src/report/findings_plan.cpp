// The exercises on memory and bytes: what zerolab plan worked out, and beside it a small model as
// measured, scaled.
#include "planned.hpp"

namespace zerolab::findings {

namespace {

/// A small model's model state, as many bytes for each parameter, times a large one's parameters.
Evidence scaled(const Folder& folder, int stage, std::uint64_t ranks, std::uint64_t parameters,
                const std::string& right) {
  return over_runs(
      folder, "measured",
      fmt::format("a small model's model state in stage {}, mean of the ranks, scaled to {} "
                  "billion parameters; right: {}",
                  stage, parameters / 1'000'000'000, right),
      {state(std::to_string(stage))}, [=](const VerifyRun& run, const std::vector<Selection>& s) {
        if (ranks != 0 && run.ranks != ranks) return Judged{};
        const std::uint64_t sum = s[0].sum(), elements = run.ranks * run.parameters;
        const double bytes = static_cast<double>(sum) / static_cast<double>(elements);
        return Judged{fmt::format("{} × {} = {}", times(sum, elements), thin(parameters),
                                  gigabytes(bytes * static_cast<double>(parameters))),
                      sum == right_state(run, stage) && own_shares(run, stage, all_states)};
      });
}

}  // namespace

Finding exercise_2_1(const Folder& folder) {
  Finding finding;
  Evidence plan = calculated("model state of a rank, by zerolab plan; right: 112 GB");
  put_bytes(plan, folder, "2.1", 0, "bytes_per_rank", "", 112 * billion);
  add(finding, plan, no_plan("2.1"));
  add(finding, scaled(folder, 0, 0, seven_billion, "112 GB"), no_run);
  return finding;
}

Finding exercise_2_2(const Folder& folder) {
  Finding finding;
  Evidence plan = calculated("model state of a rank of 8, by zerolab plan; right: 14 GB");
  put_bytes(plan, folder, "2.2", 3, "bytes_per_rank", "", 14 * billion);
  add(finding, plan, no_plan("2.2"));
  add(finding, scaled(folder, 3, 8, seven_billion, "14 GB"), "a run on 8 ranks (verify-8.json)");
  return finding;
}

Finding exercise_2_3(const Folder& folder) {
  Finding finding;
  Evidence plan =
      calculated("model state of a rank of 8, by zerolab plan; right: 38.5 GB and 26.25 GB");
  put_bytes(plan, folder, "2.3", 1, "bytes_per_rank", "", 385 * billion / 10);
  put_bytes(plan, folder, "2.3", 2, "bytes_per_rank", "", 2625 * billion / 100);
  add(finding, plan, no_plan("2.3"));
  add(finding, scaled(folder, 1, 8, seven_billion, "38.5 GB"), "a run on 8 ranks (verify-8.json)");
  add(finding, scaled(folder, 2, 8, seven_billion, "26.25 GB"), "");
  return finding;
}

Finding exercise_3_3(const Folder& folder) {
  constexpr std::uint64_t phi = 175 * billion, ranks = 64, volume = 6 * phi / ranks * (ranks - 1);
  static_assert(phi % ranks == 0);
  Finding finding;
  Evidence plan = calculated(
      "by zerolab plan: model state of a rank, payload in one and in both directions; right: "
      "43.75, "
      "1033.59 and 2067.19 GB");
  put_bytes(plan, folder, "3.3", 3, "bytes_per_rank", "", 16 * phi / ranks);
  put_bytes(plan, folder, "3.3", 3, "volume_bytes", ", one direction", volume);
  put_bytes(plan, folder, "3.3", 3, "volume_bytes_both_directions", ", both", 2 * volume);
  add(finding, plan, no_plan("3.3"));
  add(finding, scaled(folder, 3, ranks, phi, "43.75 GB"), "a run on 64 ranks (verify-64.json)");
  return finding;
}

Finding exercise_3_1(const Folder& folder) {
  Finding finding = one(reduction(folder, 1, "4N/(N+3), below 4"), no_ranks);
  Evidence plan = calculated("ceiling of stage 1's factor, by zerolab plan; right: 4");
  put_fraction(plan, folder, "3.1", 1, "ceiling", 4, 1);
  add(finding, plan, no_plan("3.1"));
  return finding;
}

Finding exercise_5_1(const Folder& folder) {
  Finding finding = reductions(folder);
  Evidence plan = calculated("ceilings by zerolab plan; right: 4, 8, none");
  put_fraction(plan, folder, "5.1", 1, "ceiling", 4, 1);
  put_fraction(plan, folder, "5.1", 2, "ceiling", 8, 1);
  put_fraction(plan, folder, "5.1", 3, "ceiling", 0, 0);
  add(finding, plan, no_plan("5.1"));
  return finding;
}

}  // namespace zerolab::findings
