#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zerolab {

/// A place in the training data: an epoch, and how many of its samples have been used.
struct DataPosition {
  std::size_t epoch = 0, sample = 0;
  bool operator==(const DataPosition&) const = default;
};

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
  /// Where a resumed run begins: its first step, and the samples used before it, by whatever G.
  /// The rest of that epoch comes first; later epochs are cut as ever.
  std::size_t first_step = 0;
  DataPosition origin = {};

  /// Goes on from there; an epoch of which all samples are used is over.
  void resume(std::size_t step, DataPosition from) {
    first_step = step;
    origin = from.sample < samples ? from : DataPosition{from.epoch + 1, 0};
  }

  std::size_t global_batch() const { return micro_batches * batch; }
  /// ⌈M/N⌉: rounds in which all ranks take part, some without samples in the last.
  std::size_t rounds() const { return (micro_batches + ranks - 1) / ranks; }
  std::size_t steps_per_epoch() const { return steps_for(samples); }
  /// Steps, with those before the first, until so many epochs are complete; no fewer than are done.
  std::size_t steps_until(std::size_t epochs) const;
  /// Where a step begins, from the first step on. Steps count on through the epochs.
  DataPosition position(std::size_t step) const;
  /// Samples that take part in a step, over all ranks.
  std::size_t samples_in(std::size_t step) const {
    return std::min(global_batch(), samples - position(step).sample);
  }
  /// Samples of micro-batch `round` of `rank`: B, fewer at an epoch's end, or 0.
  std::size_t samples_in(std::size_t step, std::size_t rank, std::size_t round) const;
  /// Their indices in the training set.
  std::vector<std::size_t> indices(std::size_t step, std::size_t rank, std::size_t round) const;

 private:
  std::size_t steps_for(std::size_t some) const {
    return (some + global_batch() - 1) / global_batch();
  }
};

}  // namespace zerolab
