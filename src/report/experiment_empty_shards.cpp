// EC4: units with fewer parameters than ranks, so that some ranks have nothing of them.
#include "experiment.hpp"

namespace zerolab::experiment {

namespace {

/// Parameters of each unit that have changed.
nlohmann::json moved(const Job& job, const std::vector<float>& before,
                     const std::vector<float>& after) {
  nlohmann::json counts;
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    std::size_t count = 0;
    for (std::size_t i = job.shape.first(l); i < job.shape.first(l + 1); ++i) {
      count += before[i] != after[i] ? 1 : 0;
    }
    counts.push_back(count);
  }
  return counts;
}

}  // namespace

nlohmann::json empty_shards(Communicator& comm) {
  constexpr std::size_t steps = 10;
  MemoryLedger of_data;
  const auto synthetic = open_dataset("synthetic:256,4,2", 1, of_data);
  const Picked data(*synthetic, in_turn(256, 256));
  Job job = job_on(data, {2, 1, 1});  // units of 10, 3, 2 and 4 parameters
  job.batch = 4;
  job.seed = 24;  // whose ReLUs pass something on in every unit
  nlohmann::json found{{"ranks", comm.size()}, {"steps", steps}};
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    found["units"].push_back({{"parameters", job.shape.elements(l)}});
  }
  for (int stage = 0; stage < 4; ++stage) {
    std::vector<float> before, after;
    nlohmann::json sizes;
    MemoryLedger memory;
    const Outcome outcome =
        run({.job = job,
             .stage = stage,
             .steps = steps,
             .data = data,
             .comm = comm,
             .memory = memory,
             .before_steps =
                 [&](const Stage& made) {
                   before = values(made.stored_parameters());
                   for (const Buffer& unit : made.stored_parameters()) {
                     sizes.push_back(unit.size());
                   }
                 },
             .after_step = [&](std::size_t, const StepResult&,
                               const Stage& made) { after = values(made.stored_parameters()); }});
    found["stages"].push_back(digests(outcome));
    if (stage == 0) found["moved"] = moved(job, before, after);
    if (stage == 3) found["shards"] = gathered(comm, sizes);
  }
  return found;
}

}  // namespace zerolab::experiment
