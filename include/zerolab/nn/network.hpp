#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zerolab/core/buffer.hpp"
#include "zerolab/nn/blas.hpp"
#include "zerolab/nn/pass_order.hpp"

namespace zerolab {

/// Sizes of a multi-layer perceptron: features, hidden widths, classes. Unit l is layer l with its
/// weights [out × in, row-major] followed by its biases [out].
struct NetworkShape {
  std::vector<std::size_t> widths;

  std::size_t units() const { return widths.size() - 1; }
  std::size_t in(std::size_t unit) const { return widths[unit]; }
  std::size_t out(std::size_t unit) const { return widths[unit + 1]; }
  std::size_t elements(std::size_t unit) const { return (in(unit) + 1) * out(unit); }
  std::size_t first(std::size_t unit) const;  ///< of the unit's first element in the whole model
  std::size_t parameters() const { return first(units()); }

  /// Rows of a unit's weights that are widened at a time, so that their fp32 copy stays in the
  /// cache.
  std::size_t tile_rows(std::size_t unit) const;
  /// Elements of the fp32 workspace that a unit with `stored` weights needs; 0 when they are fp32.
  std::size_t workspace(std::size_t unit, NumberType stored) const;
  /// Floating-point operations of a unit's matrix products for `rows` samples, a multiplication and
  /// an addition each: forward Y = XWᵀ; backward ∂W = ∂YᵀX and ∂X = ∂YW, unit 0 without the
  /// latter. Biases, ReLU and softmax are of lower order and not counted.
  double forward_flops(std::size_t unit, std::size_t rows) const;
  double backward_flops(std::size_t unit, std::size_t rows) const;
  /// Bytes of activations at most, from the closed form: `rows` samples trained on, `evaluated`
  /// evaluated. With `segments` only their inputs outlive the forward pass; 0: all activations do.
  std::size_t activation_bytes(std::size_t rows, std::size_t evaluated, NumberType stored,
                               std::size_t segments = 0) const;
};

/// Initial weights, uniform in ±√(6/fan_in), biases 0: elements [first, first + size) of a unit,
/// each made from (seed, its global index) alone.
void initial_parameters(const NetworkShape& shape, std::uint64_t seed, std::size_t unit,
                        std::size_t first, std::span<float> values);

/// Cross-entropy over some samples, summed on a grid of 2^-32 so that the order does not matter.
struct LossSum {
  std::uint64_t grid = 0;        ///< sum of the finite losses, in units of 2^-32
  std::uint64_t not_finite = 0;  ///< samples whose loss is not finite, or too large to be summed
};

/// The perceptron: ReLU between layers, softmax cross-entropy at the end. Holds activations, never
/// weights: they are handed in unit by unit. Activations and their gradients are fp32; weights and
/// weight gradients may be stored in 16 bits and are then widened tile by tile. Does not know that
/// it is distributed. Units out of order and vectors of another size than the unit's throw Error.
class Network {
 public:
  enum class Keep { all_activations, last_activations };

  Network(NetworkShape shape, MemoryLedger& ledger, Gemm gemm = openblas_gemm)
      : shape_(std::move(shape)), ledger_(ledger), gemm_(gemm) {}

  const NetworkShape& shape() const { return shape_; }
  std::size_t rows() const { return rows_; }  ///< samples of the batch

  /// Begins a batch and returns its input [rows × features], to be filled. `keep` says whether a
  /// backward pass will follow. Of all activations, `segments` > 0 keeps the inputs of so many
  /// segments (segment_of()); the rest is recomputed.
  std::span<float> start(std::size_t rows, Keep keep, std::size_t segments = 0);
  /// Unit after unit, first to last. parameters: [elements(unit)].
  void forward(std::size_t unit, ConstNumbers parameters);
  /// After the last forward: loss of the batch; leaves scale · ∂loss/∂logits behind for backward.
  /// Losses from `limit` on count as not finite; the sum over ranks must stay below 2^32.
  LossSum loss(std::span<const std::int32_t> labels, float scale, double limit = 0x1p20);
  /// After the last forward: how many samples have their largest logit (the first of equals) at the
  /// label.
  std::size_t correct(std::span<const std::int32_t> labels) const;
  /// Forward once more, before the backward pass enters a segment: its units, first to last.
  void recompute(std::size_t unit, ConstNumbers parameters);
  /// Unit after unit, last to first. Writes the batch's gradient [elements(unit)] in its storage
  /// type, rounded once; zeros for a batch without samples. Releases the unit's activations.
  void backward(std::size_t unit, ConstNumbers parameters, Numbers gradient);
  /// Releases what is held of the batch.
  void finish();

 private:
  void require_parameters(std::size_t unit, ConstNumbers parameters) const;
  void require_kept(const char* pass, std::size_t unit) const;
  Buffer output(std::size_t unit, ConstNumbers parameters);
  void weight_gradient(std::size_t unit, Numbers gradient);
  void input_gradient(std::size_t unit, ConstNumbers parameters);
  void product(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k,
               const float* a, std::size_t lda, const float* b, std::size_t ldb, float beta,
               float* c, std::size_t ldc) const;
  template <class Use>
  void for_each_tile(std::size_t unit, ConstNumbers parameters, Use use);

  NetworkShape shape_;
  MemoryLedger& ledger_;
  Gemm gemm_;
  std::size_t rows_ = 0;
  Keep keep_ = Keep::all_activations;
  std::size_t segments_ = 0;
  PassOrder order_;
  std::vector<Buffer>
      activations_;  ///< [l] is the input of unit l, or in backward the gradient of it
};

}  // namespace zerolab
