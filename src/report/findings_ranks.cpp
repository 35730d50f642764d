// What more ranks bring and cost, from the ledgers of every N.
#include "findings.hpp"

namespace zerolab::findings {

namespace {

Evidence ring_of_stage_3(const Folder& folder) {
  return over_runs(folder, "ring model",
                   "bytes that a rank sends in a step of stage 3, mean; right: 6Φ(N−1)/N, below 6Φ",
                   {sent("3", "ring_bytes")},
                   [](const VerifyRun& run, const std::vector<Selection>& s) {
                     return Judged{times(s[0].sum(), run.ranks * run.steps * run.parameters) + "Φ",
                                   s[0].sum() == 6 * run.parameters * (run.ranks - 1) * run.steps};
                   });
}

Evidence memory_of_stage_3(const Folder& folder) {
  return over_runs(folder, "measured", "model state of a rank in stage 3, mean; right: 16Φ/N",
                   {state("3")}, [](const VerifyRun& run, const std::vector<Selection>& s) {
                     return Judged{
                         times(s[0].sum(), run.ranks * run.parameters) + "Φ",
                         s[0].sum() == 16 * run.parameters && own_shares(run, 3, all_states)};
                   });
}

constexpr const char* no_growth = "runs of one model on two numbers of ranks (verify-N.json)";

}  // namespace

Finding more_ranks(const Folder& folder) {
  Finding finding;
  add(finding, memory_of_stage_3(folder), no_run);
  add(finding, ring_of_stage_3(folder), "");
  if (!several_ranks(folder)) leave_undecided(finding, no_growth);
  finding.open.emplace_back("the time of a step against N on a simulated cluster");
  return finding;
}

Finding endless_ranks(const Folder& folder) {
  Finding finding;
  add(finding, memory_of_stage_3(folder), no_run);
  add(finding, ring_of_stage_3(folder), "");
  if (!several_ranks(folder)) leave_undecided(finding, no_growth);
  return finding;
}

}  // namespace zerolab::findings
