// Lab 06: same bits. Two sums of the same vectors differ; this finds where, and mends it twice.
#include <bit>
#include <cmath>

#include "lab.hpp"

namespace student {

float sum_in_order(std::span<const float> numbers, std::span<const std::size_t> order) {
  float sum = 0;
  for (const std::size_t i : order) sum += numbers[i];
  return sum;
}

namespace {

/// Place among all numbers in order: … −2^-149 is −2, −0 is −1, +0 is 0, 2^-149 is 1 …
std::int64_t place(float x) {
  const auto magnitude = static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(x) & 0x7FFF'FFFFU);
  return std::signbit(x) ? -magnitude - 1 : magnitude;
}

}  // namespace

std::uint64_t ulps_between(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return no_distance;
  return static_cast<std::uint64_t>(std::abs(place(a) - place(b)));
}

std::optional<Difference> first_difference(std::span<const float> a, std::span<const float> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]))
      return Difference{i, a[i], b[i], ulps_between(a[i], b[i])};
  }
  return std::nullopt;
}

std::optional<Difference> mpi_difference(MPI_Comm comm, std::span<const float> mine) {
  const Ranks ranks(comm, mine.size());
  const auto& [counts, displacements] = ranks.shards;
  const int my_count = counts[static_cast<std::size_t>(ranks.rank)];
  std::vector<float> a(mine.size()), b(mine.size()), shard(static_cast<std::size_t>(my_count));

  MPI_Allreduce(mine.data(), a.data(), static_cast<int>(mine.size()), MPI_FLOAT, MPI_SUM, comm);

  MPI_Reduce_scatter(mine.data(), shard.data(), counts.data(), MPI_FLOAT, MPI_SUM, comm);
  MPI_Allgatherv(shard.data(), my_count, MPI_FLOAT, b.data(), counts.data(), displacements.data(),
                 MPI_FLOAT, comm);
  return first_difference(a, b);
}

void ordered_all_reduce(MPI_Comm comm, std::span<float> data) {
  const Ranks ranks(comm, data.size());
  const auto& [counts, displacements] = ranks.shards;
  const auto me = static_cast<std::size_t>(ranks.rank), size = static_cast<std::size_t>(ranks.size);
  const auto mine = static_cast<std::size_t>(counts[me]);

  // Every rank's numbers for my shard, one rank after the other.
  zerolab::Layout arriving;
  for (std::size_t r = 0; r < size; ++r) arriving.append(mine, r * mine);
  std::vector<float> received(size * mine);
  MPI_Alltoallv(data.data(), counts.data(), displacements.data(), MPI_FLOAT, received.data(),
                arriving.counts.data(), arriving.displacements.data(), MPI_FLOAT, comm);

  float* shard = data.data() + displacements[me];
  for (std::size_t i = 0; i < mine; ++i) {
    float sum = 0;
    for (std::size_t r = 0; r < size; ++r) sum += received[r * mine + i];
    shard[i] = sum;
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.data(), counts.data(),
                 displacements.data(), MPI_FLOAT, comm);
}

double on_grid(float g) {
  if (!(std::abs(g) < 0x1p16F)) {  // a NaN is not below anything
    return std::copysign(std::numeric_limits<double>::infinity(), g);
  }
  constexpr double shift = 0x1.8p28;  // doubles near it lie 2^-24 apart: the addition rounds
  return (g + shift) - shift;
}

void exact_all_reduce(MPI_Comm comm, std::span<const std::vector<float>> mine,
                      std::span<float> sum) {
  // 2^13 numbers below 2^16 in steps of 2^-24 need 13 + 16 + 24 = 53 bits: no addition rounds.
  std::vector<double> total(sum.size());
  for (const auto& vector : mine) {
    for (std::size_t i = 0; i < sum.size(); ++i) total[i] += on_grid(vector[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, total.data(), static_cast<int>(total.size()), MPI_DOUBLE, MPI_SUM,
                comm);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<float>(total[i]);
}

}  // namespace student
