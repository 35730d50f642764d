#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>
#include <span>

#include "student.hpp"
#include "zerolab/core/shards.hpp"

// What lab 00 has you write. `full` has Φ elements on every rank, in place. Shards are ragged, as
// everywhere here: Shards{full.size(), N}. A ring sends to the next rank, (r+1) mod N, and receives
// from the one before. Each function returns the bytes that this rank handed over to be sent.

namespace student {

/// Before: every rank's own Φ values. After: this rank's shard of `full` holds the sums over ranks;
/// the rest may hold anything. N−1 × MPI_Sendrecv, and nothing else.
std::size_t reduce_scatter(std::span<double> full, MPI_Comm ranks);

/// Before: each rank's own shard of `full` is right. After: every shard is, on every rank.
/// N−1 × MPI_Sendrecv, and nothing else.
std::size_t all_gather(std::span<double> full, MPI_Comm ranks);

/// Before: every rank's own Φ values. After: all Φ sums on every rank, by the two above.
std::size_t all_reduce(std::span<double> full, MPI_Comm ranks);

/// The same by recursive doubling, with MPI_Sendrecv, MPI_Send and MPI_Recv. P is the largest power
/// of two ≤ N. Ranks from P on hand their values to rank r−P, and get the sums back from there.
std::size_t all_reduce_by_doubling(std::span<double> full, MPI_Comm ranks);

/// Whether the ring all-reduce takes less time than recursive doubling. A message of b bytes takes
/// as long as b + latency_bytes; the shards count as even.
bool ring_is_faster(std::size_t elements, std::size_t ranks, std::size_t latency_bytes);

}  // namespace student
