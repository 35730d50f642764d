#include "zerolab/nn/batches.hpp"

#include "zerolab/core/random.hpp"

namespace zerolab {

std::size_t BatchPlan::samples_in(std::size_t step, std::size_t rank, std::size_t round) const {
  const std::size_t before = (round * ranks + rank) * batch;
  return std::min(batch, samples_in(step) - std::min(before, samples_in(step)));
}

std::vector<std::size_t> BatchPlan::indices(std::size_t step, std::size_t rank,
                                            std::size_t round) const {
  const std::size_t epoch = step / steps_per_epoch();
  const Permutation shuffled(random_bits(seed, epoch), samples);
  const std::size_t first =
      step % steps_per_epoch() * global_batch() + (round * ranks + rank) * batch;
  std::vector<std::size_t> indices(samples_in(step, rank, round));
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = shuffled(first + i);
  return indices;
}

}  // namespace zerolab
