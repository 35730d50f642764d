// Lab 08, solution: what a step sends, in two conventions, and when bytes are not what counts.
#include <bit>
#include <limits>

#include "lab.hpp"

namespace {

/// How often each unit passes through a collective in a step.
struct Calls {
  std::size_t all_reduce, reduce_scatter, all_gather;
};

Calls calls(int stage, std::size_t k) {
  switch (stage) {
    case 0:
      return {1, 0, 0};  // the gradients, once a step
    case 1:
      return {1, 0, 1};  // and the updated parameters
    case 2:
      return {0, k, 1};  // the gradients of every micro-batch
    default:
      return {0, k, 2 * k};  // the parameters, forward and backward, in every micro-batch
  }
}

std::size_t units(student::Convention convention, const Calls& c) {
  const std::size_t halves = convention == student::Convention::ring ? 2 : 1;
  return halves * c.all_reduce + c.reduce_scatter + c.all_gather;
}

/// Messages of recursive doubling that follow one another: ⌊log2 N⌋, and two to fold ranks in.
std::size_t rounds(std::size_t ranks) {
  return std::bit_width(ranks) - 1 + (std::has_single_bit(ranks) ? 0 : 2);
}

}  // namespace

std::size_t student::payload_units(int stage, std::size_t k) {
  return units(Convention::payload, calls(stage, k));
}

std::size_t student::ring_units(int stage, std::size_t k) {
  return units(Convention::ring, calls(stage, k));
}

student::Ratio student::stage_3_to_0(Convention convention, std::size_t k, std::size_t gathers) {
  return {units(convention, {0, k, gathers * k}), units(convention, calls(0, k))};
}

student::Bill student::bill(Convention convention, int stage, std::uint64_t phi, std::size_t ranks,
                            std::size_t k) {
  constexpr std::uint64_t bytes_per_element = 2;
  const std::uint64_t one_unit = phi / ranks * (ranks - 1) * bytes_per_element;  // of Φ(N−1)/N
  const std::uint64_t sent = units(convention, calls(stage, k)) * one_unit;
  return {sent, 2 * sent};
}

// A reduce-scatter sends every shard but this rank's own, an all-gather every one but the next
// rank's, an all-reduce does both.
std::size_t student::ring_bytes(Collective collective, std::size_t elements,
                                std::size_t bytes_per_element, std::size_t ranks,
                                std::size_t rank) {
  const zerolab::Shards cut{elements, ranks};
  const std::size_t scatter = elements - cut.size(rank);
  const std::size_t gather = elements - cut.size((rank + 1) % ranks);
  if (collective == Collective::reduce_scatter) return scatter * bytes_per_element;
  if (collective == Collective::all_gather) return gather * bytes_per_element;
  return (scatter + gather) * bytes_per_element;
}

std::size_t student::step_ring_bytes(int stage, std::size_t k, std::span<const std::size_t> units,
                                     std::size_t ranks, std::size_t rank) {
  const Calls each = calls(stage, k);
  std::size_t bytes = 0;
  for (const std::size_t elements : units) {
    const auto of = [&](Collective c) { return ring_bytes(c, elements, 2, ranks, rank); };
    bytes += each.all_reduce * of(Collective::all_reduce) +
             each.reduce_scatter * of(Collective::reduce_scatter) +
             each.all_gather * of(Collective::all_gather);
  }
  return bytes;
}

double student::message_seconds(Link link, double bytes) {
  return link.latency + bytes / link.bandwidth;
}

double student::ring_seconds(Link link, std::size_t ranks, double bytes) {
  const auto n = static_cast<double>(ranks);
  return 2 * (n - 1) * message_seconds(link, bytes / n);
}

double student::doubling_seconds(Link link, std::size_t ranks, double bytes) {
  return static_cast<double>(rounds(ranks)) * message_seconds(link, bytes);
}

// 2(N−1)·(α + b/(Nβ)) = R·(α + b/β), solved for b.
double student::latency_rules_below(Link link, std::size_t ranks) {
  const auto n = static_cast<double>(ranks), r = static_cast<double>(rounds(ranks));
  const double more_messages = 2 * (n - 1) - r, fewer_bytes = r - 2 * (n - 1) / n;
  if (fewer_bytes <= 0) return std::numeric_limits<double>::infinity();
  return link.latency * link.bandwidth * more_messages / fewer_bytes;
}
