// Lab 11: will it fit? The core of a planner, in whole numbers.
#include <array>
#include <bit>

#include "lab.hpp"
#include "student.hpp"

namespace student {

namespace {

/// aΦ + bΦ/N: 2 + 2 + 12 bytes of an element, full or sharded.
struct Cost {
  std::uint64_t full, sharded;
};
constexpr std::array<Cost, 4> costs{{{16, 0}, {4, 12}, {2, 14}, {0, 16}}};

const Cost& cost_of(int stage) {
  return costs[static_cast<std::size_t>(stage)];
}

std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

/// What activations leave of the memory; none when they do not fit themselves.
std::optional<std::uint64_t> room_of(const Need& need) {
  if (need.activations > need.memory) return std::nullopt;
  return need.memory - need.activations;
}

}  // namespace

std::uint64_t state_bytes(int stage, std::uint64_t parameters, std::uint64_t ranks) {
  const auto [a, b] = cost_of(stage);
  return a * parameters + b * divided_up(parameters, ranks);
}

bool fits(int stage, const Need& need, std::uint64_t ranks) {
  const auto room = room_of(need);
  return room && state_bytes(stage, need.parameters, ranks) <= *room;
}

std::optional<std::uint64_t> smallest_ranks(int stage, const Need& need) {
  const auto [a, b] = cost_of(stage);
  const auto room = room_of(need);
  if (!room || a * need.parameters > *room) return std::nullopt;  // the floor: no N helps
  if (b == 0) return 1;
  const std::uint64_t elements = (*room - a * need.parameters) / b;  // of the largest shard
  if (elements == 0) return std::nullopt;
  return divided_up(need.parameters, elements);
}

std::optional<std::uint64_t> smallest_power_of_two(int stage, const Need& need) {
  const auto least = smallest_ranks(stage, need);
  if (!least) return std::nullopt;
  return std::bit_ceil(*least);  // what fits on N ranks fits on more
}

std::optional<int> recommend(const Need& need, std::uint64_t ranks) {
  for (int stage = 0; stage < 4; ++stage) {
    if (fits(stage, need, ranks)) return stage;
  }
  return std::nullopt;
}

std::uint64_t recomputed_bytes(std::uint64_t units, std::uint64_t segments,
                               std::uint64_t unit_bytes) {
  return (segments + divided_up(units, segments)) * unit_bytes;
}

std::uint64_t best_segments(std::uint64_t units) {
  std::uint64_t best = 1;
  for (std::uint64_t s = 2; s <= units; ++s) {
    if (recomputed_bytes(units, s, 1) < recomputed_bytes(units, best, 1)) best = s;
  }
  return best;
}

Remedies remedies(const Need& need, std::uint64_t ranks, std::uint64_t recomputed) {
  constexpr std::uint64_t left = 4;  // bytes of a parameter and its gradient
  const Need recomputing{need.parameters, need.memory, recomputed};
  const auto room = room_of(need);
  return {fits(3, recomputing, ranks), smallest_power_of_two(3, need),
          smallest_power_of_two(3, recomputing),
          room && left * divided_up(need.parameters, ranks) <= *room};
}

}  // namespace student
