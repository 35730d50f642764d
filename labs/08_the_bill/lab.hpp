#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "student.hpp"
#include "zerolab/comm/traffic_ledger.hpp"
#include "zerolab/core/shards.hpp"

// What lab 08 has you write. Stages are 0 … 3, k ≥ 1 is the number of micro-batches in a step.

namespace student {

using zerolab::Collective;  // of interest: all_reduce, reduce_scatter, all_gather

/// Payload counts every collective once. Ring counts what leaves a rank, so an all-reduce twice.
enum class Convention { payload, ring };

/// 3/2, or 6/4: any form is right.
struct Ratio {
  std::size_t numerator, denominator;
};

struct Bill {
  std::uint64_t one_direction, both_directions;  ///< bytes
};

struct Link {
  double latency;    ///< α, seconds
  double bandwidth;  ///< β, bytes a second
};

/// What a step of a stage sends, in units of Φ(N−1)/N elements.
std::size_t payload_units(int stage, std::size_t k);
std::size_t ring_units(int stage, std::size_t k);

/// What stage 3 sends, divided by what stage 0 sends, if stage 3 gathers each unit so often in a
/// micro-batch: 2 as it is, 1 if it keeps what it gathered, 3 if it computes activations anew.
Ratio stage_3_to_0(Convention convention, std::size_t k, std::size_t gathers);

/// Bytes of a step of Φ parameters of 2 bytes on N ranks; N divides Φ.
Bill bill(Convention convention, int stage, std::uint64_t phi, std::size_t ranks, std::size_t k);

/// Bytes that `rank` sends in a ring in one collective of so many elements of so many bytes. The
/// ring and the ragged shards are those of lab 00.
std::size_t ring_bytes(Collective collective, std::size_t elements, std::size_t bytes_per_element,
                       std::size_t ranks, std::size_t rank);

/// Bytes that `rank` sends in a ring in a step of a model whose units have so many parameters of 2
/// bytes. Each unit has collectives of its own.
std::size_t step_ring_bytes(int stage, std::size_t k, std::span<const std::size_t> units,
                            std::size_t ranks, std::size_t rank);

/// Seconds of one message; of an all-reduce of so many bytes by a ring, with even shards; and by
/// recursive doubling, where messages that follow one another count.
double message_seconds(Link link, double bytes);
double ring_seconds(Link link, std::size_t ranks, double bytes);
double doubling_seconds(Link link, std::size_t ranks, double bytes);

/// The size in bytes up to which doubling is not slower than the ring, N ≥ 2; infinity if
/// doubling is never slower.
double latency_rules_below(Link link, std::size_t ranks);

}  // namespace student
