// TF1: which samples each rank reads in one epoch of stage 0, and what it holds after each step.
#include "experiment.hpp"
#include "zerolab/partition/digest.hpp"

namespace zerolab::experiment {

namespace {

std::string digest_of(const std::vector<ConstNumbers>& units) {
  std::uint64_t sum = 0;
  std::size_t first = 0;
  for (const ConstNumbers& unit : units) {
    sum += digest(Digested::parameters, unit, first);
    first += unit.size;
  }
  return hex(sum);
}

nlohmann::json held(const Stage& stage) {
  const auto& parameters = stage.stored_parameters();
  std::vector<ConstNumbers> gradients;
  for (const Sum& unit : stage.averaged_gradients()) gradients.emplace_back(unit);
  return {{"gradients", digest_of(gradients)},
          {"parameters", digest_of({parameters.begin(), parameters.end()})}};
}

}  // namespace

nlohmann::json batches(Communicator& comm) {
  const Digits digits;
  const std::size_t samples = digits.all->samples(Split::train);
  const Picked data = digits.first(samples);
  const Job job = job_on(data, {32});
  const BatchPlan plan{samples, comm.size(), comm.size(), job.batch, job.seed};
  MemoryLedger memory;
  nlohmann::json steps;
  run({.job = job,
       .stage = 0,
       .steps = plan.steps_per_epoch(),
       .data = data,
       .comm = comm,
       .memory = memory,
       .after_step = [&](std::size_t, const StepResult&, const Stage& stage) {
         steps.push_back(held(stage));
         steps.back()["samples"] = data.take_read();
       }});
  return {{"ranks", comm.size()}, {"samples", samples}, {"per_rank", gathered(comm, steps)}};
}

}  // namespace zerolab::experiment
