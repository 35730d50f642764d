// What more ranks bring and cost: from the ledgers of every N, and on simulated clusters.
#include <algorithm>
#include <cmath>

#include "findings.hpp"
#include "simulated_network.hpp"

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

/// One value a job, all of them from one place.
template <class Number>
Evidence for_each_job(const std::vector<SimulatedStep>& jobs, const char* how, std::string what,
                      const char* path, const Number& number) {
  Evidence evidence{how, std::move(what), {}, {{network_file, path}}};
  for (const SimulatedStep& job : jobs) {
    evidence.values.push_back({fmt::format("N = {}", job.ranks), number(job), job.as_formula()});
  }
  return evidence;
}

/// Falls, then rises; the least is neither the first nor the last.
Value sweet_spot(const std::vector<SimulatedStep>& jobs) {
  const auto shorter = [](const SimulatedStep& a, const SimulatedStep& b) {
    return a.step < b.step;
  };
  const auto least = std::min_element(jobs.begin(), jobs.end(), shorter);
  bool holds = least != jobs.begin() && least + 1 < jobs.end();
  for (auto job = jobs.begin(); job + 1 < jobs.end(); ++job) {
    const bool more_ranks = job[1].ranks > job->ranks;
    const bool same_batch = job[1].ranks * job[1].batch == job->ranks * job->batch;
    holds = holds && more_ranks && same_batch && (job < least) == shorter(job[1], *job);
  }
  return {"sweet spot", fmt::format("N = {}", least == jobs.end() ? 0 : least->ranks), holds};
}

/// Time, for SE8.
void add_time_against_ranks(const Folder& folder, Finding& finding) {
  if (!folder.has(network_file)) {
    finding.open.push_back(not_simulated("the time of a step against N"));
    return;
  }
  const auto jobs = simulated_steps(folder.results, "scaling");
  Evidence steps = for_each_job(
      jobs, "simulated",
      fmt::format(
          "step of stage 3, {} samples on all ranks together, {}: computing + communicating, "
          "ms; right: as the formula, falling and then rising",
          jobs[0].ranks * jobs[0].batch, jobs[0].network()),
      "scaling[*].{step_seconds,compute_seconds,communication_seconds}",
      [](const SimulatedStep& job) {
        return fmt::format("{:.4g} + {:.4g} = {:.4g}", 1e3 * job.compute, 1e3 * job.communication,
                           1e3 * job.step);
      });
  steps.values.push_back(sweet_spot(jobs));
  add_first(finding, {steps});
  finding.evidence.push_back(for_each_job(
      jobs, "measured", "of the same step, model state of a rank, mean; right: 16Φ/N",
      "scaling[*].state_bytes",
      [](const SimulatedStep& job) { return times(job.state, job.ranks * job.parameters) + "Φ"; }));
  finding.evidence.push_back(for_each_job(
      jobs, "ring model", "of the same step, bytes that a rank sends, mean; right: 6Φ(N−1)/N",
      "scaling[*].ring_bytes",
      [](const SimulatedStep& job) { return times(job.ring, job.ranks * job.parameters) + "Φ"; }));
}

/// Time, for EC2.
void add_time_of_endless_ranks(const Folder& folder, Finding& finding) {
  if (!folder.has(network_file)) {
    finding.open.push_back(not_simulated("the time of communication against N"));
    return;
  }
  const auto jobs = simulated_steps(folder.results, "limit");
  const Evidence seconds = for_each_job(
      jobs, "simulated",
      fmt::format("seconds of communication in a step of stage 3, {}, times bandwidth; right: "
                  "6Φ(N−1)/N, which tends to 6Φ, and what SMPI adds to a message",
                  jobs[0].network()),
      "limit[*].communication_seconds", [](const SimulatedStep& job) {
        const double unit = static_cast<double>(job.parameters) / job.bandwidth;
        return fmt::format("{:.4f}Φ (ring {:.4f}Φ)", std::abs(job.communication) / unit,
                           job.ring_seconds() / unit);
      });
  add_first(finding, {seconds});
}

constexpr const char* no_growth = "runs of one model on two numbers of ranks (verify-N.json)";

}  // namespace

Finding more_ranks(const Folder& folder) {
  Finding finding;
  add(finding, memory_of_stage_3(folder), no_run);
  add(finding, ring_of_stage_3(folder), "");
  if (!several_ranks(folder)) leave_undecided(finding, no_growth);
  add_time_against_ranks(folder, finding);
  return finding;
}

Finding endless_ranks(const Folder& folder) {
  Finding finding;
  add(finding, memory_of_stage_3(folder), no_run);
  add(finding, ring_of_stage_3(folder), "");
  if (!several_ranks(folder)) leave_undecided(finding, no_growth);
  add_time_of_endless_ranks(folder, finding);
  return finding;
}

}  // namespace zerolab::findings
