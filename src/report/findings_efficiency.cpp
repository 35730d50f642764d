// Efficiency of a step on the cluster of exercises 5.2 and 5.3, made small and simulated.
#include <algorithm>

#include "planned.hpp"
#include "simulated_network.hpp"

namespace zerolab::findings {

namespace {

// The exercises' N, and seconds of computation.
constexpr double compute_seconds = 10;
constexpr std::uint64_t ranks = 64;

bool exactly(double value, double right) {
  return Range{right, right}.has(value);
}

/// t/(t+c), from SMPI's own messages to a ring's bytes alone.
Range efficiency(const SimulatedStep& job) {
  const double t = job.compute_formula();
  return {t / (t + job.communication_formula().most), t / (t + job.ring_seconds())};
}

Value efficiency_value(const SimulatedStep& job, bool also) {
  const double measured = job.compute / job.step;
  return {fmt::format("stage {}, {:.6g} GB/s", job.stage, exercise_bandwidth(job) / giga),
          fmt::format("{:.4g} s and {:.4g} s, {:.2f} % (a ring's bytes alone: {:.2f} %)",
                      job.compute, job.communication, 100 * measured, 100 * efficiency(job).most),
          job.as_formula() && job.ranks == ranks && efficiency(job).has(measured) && also};
}

void put(Evidence& evidence, const SimulatedStep& job, Value value) {
  evidence.values.push_back(std::move(value));
  evidence.sources.push_back(
      {job.source.file, job.source.path + ".{compute_seconds,communication_seconds}"});
}

/// The job of a stage and bandwidth on the exercise's cluster.
const SimulatedStep& exercise_job(const std::vector<SimulatedStep>& jobs, int stage,
                                  double bandwidth) {
  const auto found = std::find_if(jobs.begin(), jobs.end(), [&](const SimulatedStep& job) {
    return job.stage == stage && exactly(exercise_bandwidth(job), bandwidth);
  });
  require(found != jobs.end(), "{}: exercise: no job of stage {} over {:.6g} GB/s", network_file,
          stage, bandwidth / giga);
  return *found;
}

/// Plain, then overlapped with computation longer and with communication longer.
Evidence overlapped(const Folder& folder) {
  Evidence evidence{"simulated",
                    "the same cluster for a model of more units, 16 ranks, C of 6Φ·15/16: a step, "
                    "plain and with overlap; right: t + c, then max(t, c) and up to three "
                    "collectives that nothing hides",
                    {},
                    {}};
  bool longer_computing = false, longer_communicating = false;
  for (const SimulatedStep& job : simulated_steps(folder.results, "overlap")) {
    const double t = job.compute_formula(), c = job.ring_seconds();
    (t > c ? longer_computing : longer_communicating) |= job.overlap;
    put(evidence, job,
        {job.overlap ? "overlapped" : "plain",
         fmt::format("t = {:.4g} s, c = {:.4g} s: step {:.5g} s, {:.2f} %", t, c, job.step,
                     100 * job.compute / job.step),
         job.as_formula()});
  }
  require(longer_computing && longer_communicating, "{}: overlap: a job is missing", network_file);
  return evidence;
}

}  // namespace

void add_efficiency(const Folder& folder, Finding& finding) {
  if (!folder.has(network_file)) {
    finding.open.push_back(not_simulated("the efficiency of a step on a simulated cluster"));
    return;
  }
  const auto jobs = simulated_steps(folder.results, "exercise");
  Evidence steps{"simulated",
                 "10 s of computation on 64 ranks, stage 3, a small model with bandwidth and flops "
                 "divided as Φ is; GB/s of both directions together: seconds of computation and of "
                 "communication, efficiency; right: 59.2 % over 300 GB/s, 80 % over 826.875 GB/s",
                 {},
                 {}};
  for (const double gigabytes : {300.0, 600.0, 826.875}) {
    const SimulatedStep& job = exercise_job(jobs, 3, gigabytes * giga);
    put(steps, job, efficiency_value(job, exactly(job.compute, compute_seconds)));
  }
  finding.evidence.push_back(std::move(steps));
  finding.evidence.push_back(overlapped(folder));
}

void add_two_stages(const Folder& folder, Finding& finding) {
  if (!folder.has(network_file)) {
    finding.open.push_back(not_simulated("steps of stages 0 and 3 on a simulated cluster"));
    return;
  }
  const auto jobs = simulated_steps(folder.results, "exercise");
  const SimulatedStep &plain = exercise_job(jobs, 0, 300 * giga),
                      &sharded = exercise_job(jobs, 3, 300 * giga);
  Evidence steps{
      "simulated",
      "steps on 64 ranks of the exercise's cluster made small, 300 GB/s of both directions "
      "together, seconds of computation and communication, efficiency; right: stage 0 "
      "sends 4Φ·63/64 on a ring, so above stage 3 and below the documents' 81.3 %",
      {},
      {}};
  put(steps, plain, efficiency_value(plain, true));
  put(steps, sharded,
      efficiency_value(sharded, plain.compute / plain.step > sharded.compute / sharded.step));
  const Range a = sharded.communication_formula(), b = plain.communication_formula();
  const double ratio = sharded.communication / plain.communication;
  steps.values.push_back({"communication, stage 3 over stage 0",
                          fmt::format("{:.4f}, of 6Φ over 4Φ", ratio),
                          Range{a.least / b.most, a.most / b.least}.has(ratio)});
  finding.evidence.push_back(std::move(steps));
}

}  // namespace zerolab::findings
