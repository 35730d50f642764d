#pragma once

#include <cstdint>
#include <optional>

// Lab 11: what is written by the student. Mixed precision with Adam, a model that is one unit. All
// numbers are whole and at most 10^18: 16 times that is just within std::uint64_t, N times it is
// not.

namespace student {

/// What has to fit, on every rank.
struct Need {
  std::uint64_t parameters;   ///< Φ, at least 1
  std::uint64_t memory;       ///< bytes that a rank has
  std::uint64_t activations;  ///< bytes that a rank needs beside the states; maybe more than it has
};

/// Task 1. Bytes of the five states on the rank that holds most.
std::uint64_t state_bytes(int stage, std::uint64_t parameters, std::uint64_t ranks);

/// Task 2. States and activations in the memory, on the rank that holds most; just so is enough.
bool fits(int stage, const Need& need, std::uint64_t ranks);

/// Task 3. The smallest N, and the smallest power of two, on which it fits; none: on no N.
std::optional<std::uint64_t> smallest_ranks(int stage, const Need& need);
std::optional<std::uint64_t> smallest_power_of_two(int stage, const Need& need);

/// Task 4. The lowest stage that fits; none: no stage does.
std::optional<int> recommend(const Need& need, std::uint64_t ranks);

/// Task 5. Most bytes of activations at a time when `units` (at most 10^6) are cut into `segments`
/// (at most as many) that are recomputed, and a unit's activations are `unit_bytes`.
std::uint64_t recomputed_bytes(std::uint64_t units, std::uint64_t segments,
                               std::uint64_t unit_bytes);
/// Task 5. The number of segments with the fewest bytes; of several the smallest.
std::uint64_t best_segments(std::uint64_t units);

/// What makes stage 3 fit where no stage does.
struct Remedies {
  bool recompute;                                  ///< on the N ranks there are
  std::optional<std::uint64_t> ranks;              ///< this power of two, activations as they are
  std::optional<std::uint64_t> ranks_recomputing;  ///< this power of two, and recomputing
  bool offload;  ///< master, momentum and variance kept elsewhere; N and activations as they are
  bool operator==(const Remedies&) const = default;
};

/// Task 6. `recomputed`: bytes that are left of the activations when they are recomputed.
Remedies remedies(const Need& need, std::uint64_t ranks, std::uint64_t recomputed);

}  // namespace student
