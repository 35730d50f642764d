// Lab 00, solution: all-reduce from MPI_Sendrecv, as a ring and by recursive doubling.
#include <bit>
#include <vector>

#include "lab.hpp"

namespace {

using zerolab::Shards;

constexpr int tag = 0;

std::size_t rank_in(MPI_Comm ranks) {
  int rank = 0;
  MPI_Comm_rank(ranks, &rank);
  return static_cast<std::size_t>(rank);
}
std::size_t size_of(MPI_Comm ranks) {
  int size = 1;
  MPI_Comm_size(ranks, &size);
  return static_cast<std::size_t>(size);
}

/// Sends to one rank while it receives from another. Returns the bytes sent.
std::size_t exchange(std::span<const double> out, std::size_t to, std::span<double> in,
                     std::size_t from, MPI_Comm ranks) {
  MPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_DOUBLE, static_cast<int>(to), tag,
               in.data(), static_cast<int>(in.size()), MPI_DOUBLE, static_cast<int>(from), tag,
               ranks, MPI_STATUS_IGNORE);
  return out.size_bytes();
}

void add(std::span<const double> more, std::span<double> sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

/// This rank's place in the ring, and the shards of a vector by their distance from it.
struct Ring {
  std::span<double> full;
  std::size_t rank, size;
  Shards cut{full.size(), size};

  std::size_t next() const { return (rank + 1) % size; }
  std::size_t previous() const { return (rank + size - 1) % size; }
  /// The shard of the rank that is so many places behind, 0 … N.
  std::span<double> behind(std::size_t places) const {
    const std::size_t owner = (rank + size - places) % size;
    return full.subspan(cut.first(owner), cut.size(owner));
  }
};

}  // namespace

// Step t: the shard of rank r−1−t leaves, with the sums so far; that of r−2−t arrives and grows.
// The last to arrive, t = N−2, is this rank's own.
std::size_t student::reduce_scatter(std::span<double> full, MPI_Comm ranks) {
  const Ring ring{full, rank_in(ranks), size_of(ranks)};
  std::vector<double> arriving(ring.cut.size(0));  // as long as the longest shard
  std::size_t sent = 0;
  for (std::size_t t = 0; t + 1 < ring.size; ++t) {
    const auto out = ring.behind(t + 1), grows = ring.behind(t + 2);
    const auto in = std::span(arriving).first(grows.size());
    sent += exchange(out, ring.next(), in, ring.previous(), ranks);
    add(in, grows);
  }
  return sent;
}

// Step t: the shard of rank r−t, this rank's own first, leaves; that of r−1−t arrives.
std::size_t student::all_gather(std::span<double> full, MPI_Comm ranks) {
  const Ring ring{full, rank_in(ranks), size_of(ranks)};
  std::size_t sent = 0;
  for (std::size_t t = 0; t + 1 < ring.size; ++t)
    sent += exchange(ring.behind(t), ring.next(), ring.behind(t + 1), ring.previous(), ranks);
  return sent;
}

std::size_t student::all_reduce(std::span<double> full, MPI_Comm ranks) {
  const std::size_t sent = reduce_scatter(full, ranks);
  return sent + all_gather(full, ranks);
}

std::size_t student::all_reduce_by_doubling(std::span<double> full, MPI_Comm ranks) {
  const std::size_t rank = rank_in(ranks), size = size_of(ranks);
  const std::size_t powers = std::bit_floor(size);  // P
  const int count = static_cast<int>(full.size());
  if (rank >= powers) {
    const int partner = static_cast<int>(rank - powers);
    MPI_Send(full.data(), count, MPI_DOUBLE, partner, tag, ranks);
    MPI_Recv(full.data(), count, MPI_DOUBLE, partner, tag, ranks, MPI_STATUS_IGNORE);
    return full.size_bytes();
  }
  const bool has_extra = rank + powers < size;
  const int extra = static_cast<int>(rank + powers);
  std::vector<double> arriving(full.size());
  std::size_t sent = 0;
  if (has_extra) {
    MPI_Recv(arriving.data(), count, MPI_DOUBLE, extra, tag, ranks, MPI_STATUS_IGNORE);
    add(arriving, full);
  }
  for (std::size_t distance = 1; distance < powers; distance *= 2) {
    const std::size_t partner = rank ^ distance;
    sent += exchange(full, partner, arriving, partner, ranks);
    add(arriving, full);
  }
  if (has_extra) {
    MPI_Send(full.data(), count, MPI_DOUBLE, extra, tag, ranks);
    sent += full.size_bytes();
  }
  return sent;
}

// Times N, so that all is whole. Ring: 2(N−1) messages of Φ/N elements. Doubling: log2 P messages
// of Φ, and two more, one after the other, where ranks are folded in.
bool student::ring_is_faster(std::size_t elements, std::size_t ranks, std::size_t latency_bytes) {
  const std::size_t bytes = elements * sizeof(double);
  const std::size_t rounds = std::bit_width(ranks) - 1 + (std::has_single_bit(ranks) ? 0 : 2);
  const std::size_t ring = 2 * (ranks - 1) * (ranks * latency_bytes + bytes);
  const std::size_t doubling = rounds * ranks * (latency_bytes + bytes);
  return ring < doubling;
}
