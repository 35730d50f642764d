#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "zerolab/comm/reductions.hpp"
#include "zerolab/nn/batches.hpp"
#include "zerolab/nn/network.hpp"

namespace zerolab {

enum class OptimizerKind { adam, adamw, sgd };

struct OptimizerSettings {
  OptimizerKind kind = OptimizerKind::adam;
  double learning_rate = 1e-3;
  double momentum = 0;      ///< of sgd
  double weight_decay = 0;  ///< adam, sgd: added to the gradient (L2); adamw: decoupled

  bool has_momentum() const { return kind != OptimizerKind::sgd || momentum != 0; }
  bool has_variance() const { return kind != OptimizerKind::sgd; }
};

struct LossScaleSettings {
  static constexpr double smallest = 1;
  static constexpr double largest = 0x1p24;
  static constexpr double initial = 0x1p16;  ///< of the dynamic scale

  std::optional<double> fixed;  ///< a power of two; none: dynamic
  std::size_t growth_interval =
      1000;                    ///< updates without overflow before the dynamic scale doubles
  std::size_t max_skips = 50;  ///< skipped steps in a row that end the job
};

/// Everything that decides what is computed; the stage and the number of ranks only decide where.
struct Job {
  NetworkShape shape;
  NumberType precision =
      NumberType::fp16;  ///< of stored parameters and gradients: fp16, bf16, fp32
  ReduceMode reduce = ReduceMode::exact;
  OptimizerSettings optimizer;
  LossScaleSettings loss_scale;
  double clip_norm = std::numeric_limits<double>::infinity();
  std::size_t batch = 32;          ///< B, samples of a micro-batch
  std::size_t accumulate = 1;      ///< k, micro-batches of a rank in a step
  std::size_t virtual_shards = 0;  ///< V, micro-batches of a step on any number of ranks; 0: N·k
  std::size_t chunk_elements = std::size_t{1} << 18;
  std::uint64_t seed = 1;
  GemmKind gemm = GemmKind::openblas;
  std::size_t activation_segments = 0;  ///< whose inner activations are recomputed; 0: all are kept
  bool overlap = false;  ///< non-blocking collectives, where the stage has such a twin

  /// Micro-batches of a step over all ranks: V, or N·k.
  std::size_t micro_batches(std::size_t ranks) const {
    return virtual_shards > 0 ? virtual_shards : ranks * accumulate;
  }
  /// k of the formulas: micro-batches of a rank at most, ⌈V/N⌉ with virtual shards.
  std::size_t rounds(std::size_t ranks) const { return (micro_batches(ranks) + ranks - 1) / ranks; }
};

/// Throws Error for sizes that MPI's counts or memory cannot address.
void check_job(const Job& job, std::size_t ranks);

/// Full: every rank holds the whole of it. Shard: each rank holds its ragged shard of every unit.
enum class Placement { full, shard };

/// Where the three model states of the ZeRO paper lie.
struct Placements {
  Placement parameters, gradients, optimizer_states;
};

/// Figure 1 of the ZeRO paper: stages 0 … 3 (baseline, P_os, P_os+g, P_os+g+p).
Placements placements_of(int stage);

/// Elements of a vector of `elements` that lie on `rank`.
std::size_t placed(Placement placement, std::size_t elements, std::size_t ranks, std::size_t rank);

}  // namespace zerolab
