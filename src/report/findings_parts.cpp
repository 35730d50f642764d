// What the memory ledgers say of the parts of the model state.
#include "findings.hpp"

namespace zerolab::findings {

namespace {

/// A category on every rank of a stage in which it is full.
Evidence full_on_every_rank(const Folder& folder, const std::string& what, const char* stage,
                            const char* category, std::uint64_t bytes,
                            std::uint64_t least_ranks = 1) {
  return over_runs(
      folder, "measured", what, {held(stage, category)},
      [=](const VerifyRun& run, const std::vector<Selection>& s) {
        return Judged{
            fmt::format("{} = {}Φ", s[0].range(), times(s[0].sum(), run.ranks * run.parameters)),
            s[0].all(bytes * run.parameters)};
      },
      least_ranks);
}

}  // namespace

Finding optimizer_states(const Folder& folder) {
  return one(over_runs(
      folder, "measured",
      "momentum, variance and master weights on each rank in stage 0, bytes; right: 4Φ each, 12Φ",
      {held("0", "momentum"), held("0", "variance"), held("0", "master")},
      [](const VerifyRun& run, const std::vector<Selection>& s) {
        const std::uint64_t right = 4 * run.parameters;
        return Judged{
            fmt::format("{} + {} + {} = {}Φ", s[0].range(), s[1].range(), s[2].range(),
                        times(s[0].sum() + s[1].sum() + s[2].sum(), run.ranks * run.parameters)),
            s[0].all(right) && s[1].all(right) && s[2].all(right)};
      }));
}

Finding parts_of_16(const Folder& folder) {
  Finding finding =
      one(over_runs(
              folder, "measured",
              "parameters + gradients + master weights, momentum and variance of all ranks in "
              "stage 3, in "
              "Φ; right: 2 + 2 + 12, the parts of mixed precision, sharded and not replaced",
              {held("3", "parameters"), held("3", "gradients"),
               held("3", "{master,momentum,variance}")},
              [](const VerifyRun& run, const std::vector<Selection>& s) {
                const std::uint64_t phi = run.parameters;
                return Judged{fmt::format("{} + {} + {}", times(s[0].sum(), phi),
                                          times(s[1].sum(), phi), times(s[2].sum(), phi)),
                              s[0].sum() == 2 * phi && s[1].sum() == 2 * phi &&
                                  s[2].sum() == 12 * phi && own_shares(run, 3, all_states)};
              },
              2),
          no_ranks);
  add_part(finding, states_in_fp32(folder));
  add_part(finding, without_master_copy(folder));
  return finding;
}

Finding gradients_of_stage_1(const Folder& folder) {
  return one(full_on_every_rank(
                 folder, "gradients on each rank in stage 1 after the last step, bytes; right: 2Φ",
                 "1", "gradients", 2, 2),
             no_ranks);
}

Finding first_stage_with_gradients(const Folder& folder) {
  return one(over_runs(
                 folder, "measured",
                 "bytes of all ranks' gradients, in Φ, in stages 0, 1, 2, 3; right: 2N, 2N, 2, 2",
                 {held("0", "gradients"), held("1", "gradients"), held("2", "gradients"),
                  held("3", "gradients")},
                 [](const VerifyRun& run, const std::vector<Selection>& s) {
                   const std::uint64_t phi = run.parameters, full = 2 * phi * run.ranks;
                   return Judged{
                       fmt::format("{}, {}, {}, {}", times(s[0].sum(), phi), times(s[1].sum(), phi),
                                   times(s[2].sum(), phi), times(s[3].sum(), phi)),
                       s[0].sum() == full && s[1].sum() == full && s[2].sum() == 2 * phi &&
                           s[3].sum() == 2 * phi && own_shares(run, 0, "gradients") &&
                           own_shares(run, 1, "gradients") && own_shares(run, 2, "gradients") &&
                           own_shares(run, 3, "gradients")};
                 },
                 2),
             no_ranks);
}

Finding moments_and_master(const Folder& folder) {
  return one(over_runs(
      folder, "measured",
      "momentum and variance + master weights on each rank in stage 0, in Φ; right: 8 + 4",
      {held("0", "{momentum,variance}"), held("0", "master")},
      [](const VerifyRun& run, const std::vector<Selection>& s) {
        const std::uint64_t phi = run.parameters;
        return Judged{fmt::format("{} + {}", times(s[0].sum(), run.ranks * phi),
                                  times(s[1].sum(), run.ranks * phi)),
                      s[0].all(4 * phi) && s[1].all(4 * phi)};
      }));
}

Finding largest_part(const Folder& folder) {
  Finding finding = one(over_runs(
      folder, "measured", "optimizer states over model state in stage 0; right: 12/16",
      {held("0", "{master,momentum,variance}"), state("0")},
      [](const VerifyRun&, const std::vector<Selection>& s) {
        return Judged{exact_ratio(s[0].sum(), s[1].sum()), 4 * s[0].sum() == 3 * s[1].sum()};
      }));
  add(finding, reduction(folder, 1, "4N/(N+3), so 32/11 at N = 8"), "");
  return finding;
}

Finding working_and_master_copy(const Folder& folder) {
  Finding finding = one(
      full_on_every_rank(folder, "parameters on each rank in stage 0, bytes; right: 2Φ, in 16 bits",
                         "0", "parameters", 2));
  add(finding,
      full_on_every_rank(folder,
                         "master weights on each rank in stage 0, bytes; right: 4Φ, in 32 bits",
                         "0", "master", 4),
      "");
  add_part(finding, without_master_copy(folder));
  return finding;
}

}  // namespace zerolab::findings
