// WY7: what a rank hands to MPI, and its activations, for 1, 2, 4 and 8 micro-batches a step.
#include "experiment.hpp"

namespace zerolab::experiment {

nlohmann::json accumulation(Communicator& comm) {
  constexpr std::size_t steps = 2, batch = 8, most = 8;
  const Digits digits;
  const Picked data = digits.first(steps * batch * most * comm.size());
  Job job = job_on(data, {32});
  job.reduce = ReduceMode::mpi;
  job.batch = batch;
  nlohmann::json found{{"ranks", comm.size()},
                       {"parameters", job.shape.parameters()},
                       {"steps", steps},
                       {"batch", batch}};
  for (int stage = 0; stage < 4; ++stage) {
    nlohmann::json runs;
    for (job.accumulate = 1; job.accumulate <= most; job.accumulate *= 2) {
      const Outcome outcome = trained(job, stage, steps, data, comm);
      nlohmann::json one{{"accumulate", job.accumulate}};
      for (const RankReport& rank : outcome.reports) {
        std::size_t bytes = 0;
        for (const auto c : {Collective::all_reduce, Collective::reduce_scatter,
                             Collective::all_gather, Collective::all_to_all}) {
          bytes += rank.traffic[static_cast<std::size_t>(c)].payload_bytes;
        }
        one["payload_bytes"].push_back(bytes);
        one["activations"].push_back(
            rank.memory[static_cast<std::size_t>(Category::activations)].peak);
      }
      runs.push_back(one);
    }
    found["stages"].push_back(runs);
  }
  return found;
}

}  // namespace zerolab::experiment
