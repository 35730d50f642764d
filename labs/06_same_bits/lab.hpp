#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "zerolab/comm/communicator.hpp"

// What lab 06 has you write. All vectors have the same number of elements, on every
// rank, perhaps 0.

namespace student {

/// The sum of numbers[order[0]], numbers[order[1]], … from left to right, each addition in fp32.
float sum_in_order(std::span<const float> numbers, std::span<const std::size_t> order);

inline constexpr std::uint64_t no_distance = std::numeric_limits<std::uint64_t>::max();

/// Steps from a to b through all fp32 numbers in order, −∞ … −0, +0 … +∞; −0 and +0 are one step
/// apart. no_distance when one of them is a NaN.
std::uint64_t ulps_between(float a, float b);

struct Difference {
  std::size_t index;
  float a, b;
  std::uint64_t ulps;
};

/// The first element whose bits differ; none when all are equal. a and b have the same size.
std::optional<Difference> first_difference(std::span<const float> a, std::span<const float> b);

/// Where two sums of the same vectors over ranks part: a of MPI_Allreduce, b of MPI_Reduce_scatter
/// (counts of Ranks::shards) and MPI_Allgatherv; MPI_FLOAT, MPI_SUM.
std::optional<Difference> mpi_difference(MPI_Comm comm, std::span<const float> mine);

/// data becomes the sum over ranks: ((0 + data of rank 0) + data of rank 1) + …, each addition in
/// fp32. One MPI_Alltoallv, one MPI_Allgatherv.
void ordered_all_reduce(MPI_Comm comm, std::span<float> data);

/// The multiple of 2^-24 that is nearest to g, of two the even one. ±∞, with the sign of g, when
/// |g| is 2^16 or above, or g is a NaN.
double on_grid(float g);

/// The sum of on_grid() of all vectors of all ranks, rounded to fp32 once; a zero sum is +0. A rank
/// brings any number of vectors of sum.size() elements, also none; 2^13 in all at most. Hands MPI 8 bytes an element.
void exact_all_reduce(MPI_Comm comm, std::span<const std::vector<float>> mine,
                      std::span<float> sum);

/// Given: this rank, the number of ranks, and how a vector is cut into a shard for each.
struct Ranks {
  int rank = 0, size = 1;
  zerolab::Layout shards;  ///< counts[r] elements of rank r, from displacements[r] on

  Ranks(MPI_Comm comm, std::size_t elements) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const zerolab::Shards cut{elements, static_cast<std::size_t>(size)};
    for (std::size_t r = 0; r < cut.ranks; ++r) shards.append(cut.size(r), cut.first(r));
  }
};

}  // namespace student
