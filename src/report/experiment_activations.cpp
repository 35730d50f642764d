// EC3: activations at most in a network of 16 units, in every stage, kept and recomputed.
#include "experiment.hpp"

namespace zerolab::experiment {

nlohmann::json activations(Communicator& comm) {
  constexpr std::size_t steps = 3;
  const Digits digits;
  Job job = job_on(*digits.all, std::vector<std::size_t>(15, 64));
  const Picked data = digits.first(steps * comm.size() * job.batch);
  nlohmann::json found{{"ranks", comm.size()}, {"units", job.shape.units()}, {"steps", steps}};
  for (int stage = 0; stage < 4; ++stage) {
    nlohmann::json runs;
    for (const std::size_t segments : {0U, 2U, 4U, 8U}) {
      job.activation_segments = segments;
      const Outcome outcome = trained(job, stage, steps, data, comm);
      nlohmann::json one{{"segments", segments}, {"digest", digests(outcome)}};
      constexpr auto line = static_cast<std::size_t>(Category::activations);
      for (const RankReport& rank : outcome.reports) {
        one["peak"].push_back(rank.memory[line].peak);
      }
      for (const MemoryTable& rank : outcome.memory_formula) {
        one["formula"].push_back(rank[line].peak);
      }
      runs.push_back(one);
    }
    found["stages"].push_back(runs);
  }
  return found;
}

}  // namespace zerolab::experiment
