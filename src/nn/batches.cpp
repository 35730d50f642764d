#include "zerolab/nn/batches.hpp"

#include "zerolab/core/random.hpp"

namespace zerolab {

std::size_t BatchPlan::steps_until(std::size_t epochs) const {
  if (epochs <= origin.epoch) return first_step;
  return first_step + steps_for(samples - origin.sample) +
         (epochs - origin.epoch - 1) * steps_per_epoch();
}

DataPosition BatchPlan::position(std::size_t step) const {
  const std::size_t done = step - first_step, rest = steps_for(samples - origin.sample);
  if (done < rest) return {origin.epoch, origin.sample + done * global_batch()};
  const std::size_t later = done - rest;
  return {origin.epoch + 1 + later / steps_per_epoch(), later % steps_per_epoch() * global_batch()};
}

std::size_t BatchPlan::samples_in(std::size_t step, std::size_t rank, std::size_t round) const {
  const std::size_t before = (round * ranks + rank) * batch;
  return std::min(batch, samples_in(step) - std::min(before, samples_in(step)));
}

std::vector<std::size_t> BatchPlan::indices(std::size_t step, std::size_t rank,
                                            std::size_t round) const {
  const DataPosition here = position(step);
  const Permutation shuffled(random_bits(seed, here.epoch), samples);
  const std::size_t first = here.sample + (round * ranks + rank) * batch;
  std::vector<std::size_t> indices(samples_in(step, rank, round));
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = shuffled(first + i);
  return indices;
}

}  // namespace zerolab
