#pragma once

#include <span>
#include <vector>

#include "student_stage.hpp"  // declares student_stage(): here, your stage 0
#include "zerolab/comm/communicator.hpp"

namespace lab {

/// How an epoch is dealt out: n samples to N ranks, k micro-batches of B samples a rank and step.
struct Plan {
  std::size_t samples, ranks, accumulate, batch;
};

/// Positions in the epoch's order that `rank` runs as its micro-batch `round` (0 … k−1) of `step`,
/// ascending. Steps count on through the epochs, each of ⌈n/G⌉. A step takes the next G = N·k·B positions, or what is left of them; its micro-batch
/// j = 0 … N·k−1 takes the next B of these, or what is left, or none; rank r runs j = r, r+N, …
std::vector<std::size_t> positions(const Plan& plan, std::size_t step, std::size_t rank,
                                   std::size_t round);

/// gradient: [elements], the sum of the gradients of this rank's `samples` samples. Afterwards, on
/// every rank: the mean over the samples of all ranks, which may have different numbers of them,
/// also none. At least one sample in all.
void average_over_samples(MPI_Comm comm, std::span<double> gradient, std::size_t samples);

}  // namespace lab
