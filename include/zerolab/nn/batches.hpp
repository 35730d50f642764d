#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zerolab {

/// Which samples a rank runs. Step s of an epoch takes positions [sG, min((s+1)G, n)) of that
/// epoch's permutation, G = M·B; within it micro-batch j = 0 … M−1 takes the next B positions and
/// rank r runs j = r, r+N, …. Shards are disjoint, cover the epoch, and the last ones may be short
/// or empty. M is N·k, or the number of virtual shards, which does not depend on N.
struct BatchPlan {
  std::size_t samples;        ///< n, of an epoch
  std::size_t ranks;          ///< N
  std::size_t micro_batches;  ///< M, of a step, over all ranks
  std::size_t batch;          ///< B, samples of a full micro-batch
  std::uint64_t seed;         ///< the permutation depends on (seed, epoch) only

  std::size_t global_batch() const { return micro_batches * batch; }
  /// ⌈M/N⌉: rounds in which all ranks take part, some without samples in the last.
  std::size_t rounds() const { return (micro_batches + ranks - 1) / ranks; }
  std::size_t steps_per_epoch() const { return (samples + global_batch() - 1) / global_batch(); }
  /// Samples that take part in a step, over all ranks. Steps count on through the epochs.
  std::size_t samples_in(std::size_t step) const {
    return std::min(global_batch(), samples - step % steps_per_epoch() * global_batch());
  }
  /// Samples of micro-batch `round` of `rank`: B, fewer at an epoch's end, or 0.
  std::size_t samples_in(std::size_t step, std::size_t rank, std::size_t round) const;
  /// Their indices in the training set.
  std::vector<std::size_t> indices(std::size_t step, std::size_t rank, std::size_t round) const;
};

}  // namespace zerolab
