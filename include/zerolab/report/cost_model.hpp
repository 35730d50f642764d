#pragma once

#include <array>
#include <string>
#include <vector>

#include "zerolab/partition/job.hpp"

namespace zerolab {

// Closed forms, in exact integers, of what a rank stores and hands to MPI. Nothing here looks at a
// ledger: ledgers are held against it.

/// A run whose cost is asked for.
struct Run {
  const Job& job;
  int stage;
  std::size_t ranks;
  std::size_t steps;  ///< trained in this run, skipped ones included
  std::size_t skipped;
  std::size_t training_samples, test_samples;  ///< to be trained on, evaluated
  std::size_t evaluation_block;                ///< test samples of one block
  std::size_t data_bytes;                      ///< of the data set on a rank
  DataPosition origin = {};                    ///< where its first step begins
};

using MemoryTable = std::array<MemoryLedger::Line, categories>;

/// Bytes of `rank` by category, after the last step and at most. Adam in 16 bits: 2Φ + 2Φ + 12Φ,
/// each full or a ragged shard as the stage places it (items 1.1, 2.1–2.3 of the exercises), beside
/// them what the reductions, micro-batches, gathered units and activations need for a while.
MemoryTable memory_formula(const Run& run, std::size_t rank);

/// Traffic of `rank` in all steps, by collective; other is outside the formula and stays 0.
TrafficTable traffic_formula(const Run& run, std::size_t rank);

/// One part of the model state: bytes of an element, and where the elements lie.
struct State {
  Category category;
  std::size_t bytes;
  Placement placement;
};

/// The parts that a job has: parameters, gradients, then what of master, momentum and variance its
/// precision and optimizer need (items 1.1, SE3).
std::vector<State> model_states(const Job& job, int stage);

/// Model state of the whole job without rounding to whole elements: aΦ + bΦ/N bytes per rank.
struct StateBytes {
  std::size_t full;     ///< a
  std::size_t sharded;  ///< b
};
StateBytes state_bytes(const std::vector<State>& states);
StateBytes state_bytes(const Job& job, int stage);

/// "4Φ+12Φ/N".
std::string formula(const StateBytes& bytes);

/// How often a unit's gradients and parameters pass through each collective in a step: k times with
/// the gradients of each micro-batch in stages 2 and 3; stage 3 gathers parameters for each pass,
/// the recomputation of activations included.
struct UnitCalls {
  std::size_t all_reduce, reduce_scatter, all_gather;
};
UnitCalls calls_per_unit(const Job& job, int stage, std::size_t ranks);

/// Times Φ(N−1)/N: elements per step, in the two conventions. Payload counts every collective once,
/// wire counts an all-reduce as its two halves. `ordered` and the overlapped stage 0 sum by those
/// halves, so there both are the wire's.
struct Volume {
  std::size_t payload, wire;
};
Volume volume(const Job& job, int stage, std::size_t ranks);

}  // namespace zerolab
