#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "zerolab/comm/communicator.hpp"
#include "zerolab/core/buffer.hpp"

// Lab 01: what is written by the student. All numbers are exact integers; elements up to 10^12,
// ranks up to 10^6.

namespace student {

enum class Optimizer { adam, sgd_with_momentum, sgd };

/// What decides which states a rank holds.
struct Setting {
  int stage;                      ///< 0 … 3
  zerolab::NumberType precision;  ///< of parameters and gradients: fp16, bf16 or fp32
  Optimizer optimizer;
};

/// Bytes of parameters, gradients, master, momentum, variance, in this order, which is that of
/// zerolab::Category: momentum is bytes[3]; 0 where there is no such state.
using States = std::array<std::uint64_t, 5>;

/// Task 1. What `rank` of `ranks` holds of one unit, a layer of so many elements, between steps.
States state_bytes(const Setting& setting, std::uint64_t elements, std::uint64_t ranks,
                   std::uint64_t rank);

/// aΦ + bΦ/N bytes.
struct Cost {
  std::uint64_t full;     ///< a: bytes of an element that every rank holds
  std::uint64_t sharded;  ///< b: bytes of an element that one rank holds
  bool operator==(const Cost&) const = default;
};

/// Task 2.
Cost cost(const Setting& setting);
/// Task 2. Bytes on the rank that holds most, of a model that is one unit of Φ elements.
std::uint64_t bytes_on_fullest(const Cost& cost, std::uint64_t elements, std::uint64_t ranks);

/// Task 3. Bytes on all ranks together.
std::uint64_t bytes_of_all(const Cost& cost, std::uint64_t elements, std::uint64_t ranks);

/// In lowest terms, as 32/11 or 8/1.
struct Fraction {
  std::uint64_t numerator, denominator;
  bool operator==(const Fraction&) const = default;
};

/// Task 4. How many times less a rank holds on N ranks than on one: (a+b)N/(aN+b).
Fraction reduction(const Cost& cost, std::uint64_t ranks);
/// Task 4. Its limit for ever more ranks; none when it grows without bound.
std::optional<Fraction> ceiling(const Cost& cost);

/// Task 5. Makes the Buffers that `rank` holds between steps, each unit cut by itself.
std::vector<zerolab::Buffer> hold_states(const Setting& setting,
                                         const std::vector<std::uint64_t>& units,
                                         std::uint64_t ranks, std::uint64_t rank,
                                         zerolab::MemoryLedger& memory);

/// Bytes of the five states that are held now.
struct Measured {
  std::uint64_t mine, fullest, all;  ///< on this rank, on the rank that holds most, on all together
  bool operator==(const Measured&) const = default;
};

/// Task 6. Reads the ledger of every rank of `ranks`, which all call this; all get the answer.
Measured measure(MPI_Comm ranks, const zerolab::MemoryLedger& memory);

/// What all ranks together held in a run.
struct Total {
  std::uint64_t ranks, bytes;
};
/// Task 6. a and b of a model of Φ elements, from its totals on two different numbers of ranks.
Cost cost_from_totals(std::uint64_t elements, const Total& one, const Total& other);

}  // namespace student
