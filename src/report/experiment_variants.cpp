// TF3, TF8, TF10: a short job with sums in the MPI's own order, overlapped, and in fp32.
#include "experiment.hpp"
#include "zerolab/report/first_difference.hpp"

namespace zerolab::experiment {

namespace {

constexpr std::size_t variant_steps = 3;

nlohmann::json library_order(Job job, const Dataset& data, Communicator& comm) {
  job.reduce = ReduceMode::mpi;
  job.loss_scale.fixed = 1;  // 16-bit sums overflow sooner
  MemoryLedger memory;
  const auto training = [&](int stage) {
    return Training{.job = job,
                    .stage = stage,
                    .steps = variant_steps,
                    .data = data,
                    .comm = comm,
                    .memory = memory,
                    .digest_steps = true,
                    .after_step = {}};
  };
  std::vector<Outcome> outcomes;
  nlohmann::json found{{"first_difference", nullptr}};
  for (int stage = 0; stage < 4; ++stage) {
    outcomes.push_back(run(training(stage)));
    found["stages"].push_back(digests(outcomes.back()));
  }
  if (const auto first =
          find_first_difference(training(0), outcomes[0], training(3), outcomes[3])) {
    found["first_difference"] = {{"step", first->step},
                                 {"unit", first->unit},
                                 {"index", first->index},
                                 {"ulps", first->ulps},
                                 {"differing", first->differing}};
  }
  return found;
}

nlohmann::json overlapped(Job job, const Dataset& data, Communicator& comm) {
  job.overlap = true;
  nlohmann::json found;
  for (const RankReport& rank : trained(job, 3, variant_steps, data, comm).reports) {
    const auto& line = rank.memory[static_cast<std::size_t>(Category::parameters)];
    found["peak"].push_back(line.peak);
    found["now"].push_back(line.now);
  }
  return found;
}

nlohmann::json in_fp32(Job job, const Dataset& data, Communicator& comm) {
  job.precision = NumberType::fp32;
  nlohmann::json stages;
  for (const int stage : {0, 3}) {
    nlohmann::json one{{"stage", stage}};
    for (const RankReport& rank : trained(job, stage, variant_steps, data, comm).reports) {
      for (const Category c : {Category::parameters, Category::gradients, Category::master,
                               Category::momentum, Category::variance}) {
        one[std::string(name(c))].push_back(rank.memory[static_cast<std::size_t>(c)].now);
      }
    }
    stages.push_back(one);
  }
  return stages;
}

}  // namespace

nlohmann::json variants(Communicator& comm) {
  const Digits digits;
  const Job job = job_on(*digits.all, {32, 48});  // units of 2080, 1584 and 490 parameters
  const Picked data = digits.first(variant_steps * comm.size() * job.batch);
  nlohmann::json found{{"ranks", comm.size()}, {"steps", variant_steps}};
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    found["units"].push_back(job.shape.elements(l));
  }
  found["library_order"] = library_order(job, data, comm);
  found["overlapped"] = overlapped(job, data, comm);
  found["fp32"] = in_fp32(job, data, comm);
  return found;
}

}  // namespace zerolab::experiment
