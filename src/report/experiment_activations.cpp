// EC3: activations at most in a network of 16 units, in every stage.
#include "experiment.hpp"

namespace zerolab::experiment {

nlohmann::json activations(Communicator& comm) {
  const Digits digits;
  Job job = job_on(*digits.all, std::vector<std::size_t>(15, 32));
  const Picked data = digits.first(comm.size() * job.batch);
  nlohmann::json found{{"ranks", comm.size()}, {"units", job.shape.units()}};
  for (int stage = 0; stage < 4; ++stage) {
    MemoryLedger memory;
    const Outcome outcome = run({.job = job,
                                 .stage = stage,
                                 .steps = 1,
                                 .data = data,
                                 .comm = comm,
                                 .memory = memory,
                                 .after_step = {}});
    nlohmann::json one{{"segments", 0}};
    for (const RankReport& rank : outcome.reports) {
      one["peak"].push_back(rank.memory[static_cast<std::size_t>(Category::activations)].peak);
    }
    found["stages"].push_back({one});
  }
  return found;
}

}  // namespace zerolab::experiment
