// Lab 01: what each rank stores, calculated and measured.
#include <algorithm>
#include <numeric>

#include "lab.hpp"
#include "student.hpp"

namespace student {

using namespace zerolab;

namespace {

/// Bytes of an element of each state; fp32 parameters are their own master weights.
States element_bytes(const Setting& setting) {
  const std::uint64_t w = width(setting.precision);
  const bool adam = setting.optimizer == Optimizer::adam;
  const bool momentum = adam || setting.optimizer == Optimizer::sgd_with_momentum;
  return {w, w, w < 4 ? 4u : 0u, momentum ? 4u : 0u, adam ? 4u : 0u};
}

/// The stage from which on each state is sharded.
constexpr std::array sharded_from{3, 2, 1, 1, 1};

bool sharded(const Setting& setting, std::size_t state) {
  return setting.stage >= sharded_from[state];
}

std::uint64_t shard(std::uint64_t elements, std::uint64_t ranks, std::uint64_t rank) {
  return elements / ranks + (rank < elements % ranks ? 1 : 0);
}

}  // namespace

States state_bytes(const Setting& setting, std::uint64_t elements, std::uint64_t ranks,
                   std::uint64_t rank) {
  States bytes = element_bytes(setting);
  for (std::size_t s = 0; s < bytes.size(); ++s) {
    bytes[s] *= sharded(setting, s) ? shard(elements, ranks, rank) : elements;
  }
  return bytes;
}

Cost cost(const Setting& setting) {
  const States bytes = element_bytes(setting);
  Cost sum{0, 0};
  for (std::size_t s = 0; s < bytes.size(); ++s) {
    (sharded(setting, s) ? sum.sharded : sum.full) += bytes[s];
  }
  return sum;
}

std::uint64_t bytes_on_fullest(const Cost& cost, std::uint64_t elements, std::uint64_t ranks) {
  return cost.full * elements + cost.sharded * shard(elements, ranks, 0);
}

std::uint64_t bytes_of_all(const Cost& cost, std::uint64_t elements, std::uint64_t ranks) {
  return cost.full * elements * ranks + cost.sharded * elements;
}

namespace {

Fraction lowest_terms(std::uint64_t numerator, std::uint64_t denominator) {
  const std::uint64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

}  // namespace

Fraction reduction(const Cost& cost, std::uint64_t ranks) {
  const auto [a, b] = cost;
  return lowest_terms((a + b) * ranks, a * ranks + b);
}

std::optional<Fraction> ceiling(const Cost& cost) {
  const auto [a, b] = cost;
  if (a == 0) return std::nullopt;  // N itself: nothing is full on every rank
  return lowest_terms(a + b, a);
}

std::vector<Buffer> hold_states(const Setting& setting, const std::vector<std::uint64_t>& units,
                                std::uint64_t ranks, std::uint64_t rank, MemoryLedger& memory) {
  std::vector<Buffer> held;
  for (const std::uint64_t elements : units) {
    const States bytes = state_bytes(setting, elements, ranks, rank);
    for (std::size_t s = 0; s < bytes.size(); ++s) {
      const auto category = static_cast<Category>(s);
      const bool optimizer = category != Category::parameters && category != Category::gradients;
      const NumberType type = optimizer ? NumberType::fp32 : setting.precision;
      held.emplace_back(memory, category, type, bytes[s] / width(type));
    }
  }
  return held;
}

Measured measure(MPI_Comm ranks, const MemoryLedger& memory) {
  Measured bytes{0, 0, 0};
  for (std::size_t s = 0; s < States{}.size(); ++s) {
    bytes.mine += memory.line(static_cast<Category>(s)).now;
  }
  MPI_Allreduce(&bytes.mine, &bytes.fullest, 1, MPI_UINT64_T, MPI_MAX, ranks);
  MPI_Allreduce(&bytes.mine, &bytes.all, 1, MPI_UINT64_T, MPI_SUM, ranks);
  return bytes;
}

Cost cost_from_totals(std::uint64_t elements, const Total& one, const Total& other) {
  // A total is aΦN + bΦ: per element a straight line over N, a its slope.
  const auto [few, many] =
      std::minmax(one, other, [](auto& x, auto& y) { return x.ranks < y.ranks; });
  const std::uint64_t a = (many.bytes - few.bytes) / elements / (many.ranks - few.ranks);
  return {a, few.bytes / elements - a * few.ranks};
}

}  // namespace student
