// WY4: how far averaged gradients scatter, at the initial weights, when samples are drawn with and
// without replacement. The samples that are drawn from are few, so that what is drawn without
// replacement is half of them.
#include "experiment.hpp"
#include "zerolab/core/random.hpp"

namespace zerolab::experiment {

namespace {

constexpr std::size_t draws = 300, batch = 8;

/// The averaged gradient along a direction in steps 0, `stride`, 2·`stride`, ….
std::vector<double> gradients(const Dataset& data, std::size_t batch_size, std::size_t steps,
                              std::size_t stride, Communicator& comm) {
  Job job = plain_job_on(data, {16}, 0);
  job.batch = batch_size;
  MemoryLedger memory;
  Trace trace;
  const auto stage = make_stage(0, {job, data, comm, memory, trace});
  std::vector<double> found;
  for (std::size_t s = 0; s < steps; ++s) {
    stage->step(s * stride);
    found.push_back(along_direction(*stage));
  }
  return found;
}

nlohmann::json mean_and_variance(const std::vector<double>& values) {
  const Moments of = moments(values);
  return {{"mean", of.mean}, {"variance", of.variance}};
}

/// Every sample of every draw anew, any of the first `of`.
Picked drawn(const Digits& digits, std::size_t of, std::size_t ranks) {
  std::vector<std::size_t> indices(draws * ranks * batch);
  constexpr std::uint64_t key = 0x64726177;  // "draw"
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = random_bits(key, i) % of;
  return digits.pick(std::move(indices));
}

}  // namespace

nlohmann::json averaging(Communicator& comm) {
  const Digits digits;
  Communicator alone(MPI_COMM_SELF);
  const std::size_t drawn_from = 2 * comm.size() * batch;
  const Picked few = digits.first(drawn_from);
  const Moments each = moments(gradients(few, 1, drawn_from, 1, alone));
  const Picked for_one = drawn(digits, drawn_from, 1);
  const Picked for_all = drawn(digits, drawn_from, comm.size());
  // An epoch's first step is half of the samples, and every epoch has a permutation of its own.
  return {{"ranks", comm.size()},
          {"draws", draws},
          {"batch", batch},
          {"drawn_from", drawn_from},
          {"single_samples",
           {{"mean", each.mean}, {"variance", each.variance}, {"excess", each.excess}}},
          {"one_rank", mean_and_variance(gradients(for_one, batch, draws, 1, alone))},
          {"all_ranks", mean_and_variance(gradients(for_all, batch, draws, 1, comm))},
          {"without_replacement", mean_and_variance(gradients(few, batch, draws, 2, comm))}};
}

}  // namespace zerolab::experiment
