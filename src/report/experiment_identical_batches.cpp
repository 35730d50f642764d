// EC6: every rank is given the samples that one rank alone is given.
#include "experiment.hpp"

namespace zerolab::experiment {

namespace {

/// Samples for so many steps, such that in step s every rank's micro-batch is samples
/// s·B … (s+1)·B − 1, in this order, however the plan shuffles.
Picked same_for_all(const Digits& digits, const Communicator& comm, const Job& job,
                    std::size_t steps) {
  const std::size_t size = steps * comm.size() * job.batch;
  const BatchPlan plan{size, comm.size(), comm.size(), job.batch, job.seed};
  std::vector<std::size_t> indices(size);
  for (std::size_t s = 0; s < steps; ++s) {
    for (std::size_t r = 0; r < comm.size(); ++r) {
      std::size_t sample = s * job.batch;
      for (const std::size_t place : plan.indices(s, r, 0)) indices[place] = sample++;
    }
  }
  return digits.pick(std::move(indices));
}

Outcome train(const Job& job, int stage, const Digits& digits, std::size_t steps,
              Communicator& comm) {
  return trained(job, stage, steps, same_for_all(digits, comm, job, steps), comm);
}

/// Of the averaged gradient along a direction, over steps at the initial weights.
double variance(Job job, const Digits& digits, std::size_t steps, Communicator& comm) {
  const Picked data = same_for_all(digits, comm, job, steps);
  MemoryLedger memory;
  std::vector<double> found;
  run({.job = job,
       .stage = 0,
       .steps = steps,
       .data = data,
       .comm = comm,
       .memory = memory,
       .after_step = [&](std::size_t, const StepResult&, const Stage& stage) {
         found.push_back(along_direction(stage));
       }});
  return moments(found).variance;
}

}  // namespace

nlohmann::json identical_batches(Communicator& comm) {
  constexpr std::size_t steps = 20;
  const Digits digits;
  Communicator alone(MPI_COMM_SELF);
  const Job job = job_on(*digits.all, {32});
  nlohmann::json found{{"ranks", comm.size()},
                       {"steps", steps},
                       {"one_rank", digests(train(job, 0, digits, steps, alone))}};
  for (int stage = 0; stage < 4; ++stage) {
    found["stages"].push_back(digests(train(job, stage, digits, steps, comm)));
  }
  const Job still = plain_job_on(*digits.all, {32}, 0);
  found["variance"] = {{"one_rank", variance(still, digits, steps, alone)},
                       {"all_ranks", variance(still, digits, steps, comm)}};
  return found;
}

}  // namespace zerolab::experiment
