#pragma once

#include <vector>

#include "zerolab/core/trace.hpp"
#include "zerolab/partition/job.hpp"

namespace zerolab {

/// Adam (Kingma, Ba 2015), AdamW (Loshchilov, Hutter 2019) or SGD on the elements it is given; it
/// does not know whether they are all there are. Element-wise: an element gets the same bits in a
/// full vector, in a shard, at any offset. With 16-bit parameters it keeps fp32 master weights;
/// with fp32 the parameters are the master weights.
class Optimizer {
 public:
  /// What it stores for one unit, each [elements of this rank]; empty where the settings need none.
  struct States {
    Buffer master, momentum, variance;
  };

  Optimizer(const OptimizerSettings& settings, Trace& trace) : settings_(settings), trace_(trace) {}

  /// Makes the states of the next unit, moments zero; master weights are filled by the caller.
  States& add_unit(MemoryLedger& ledger, NumberType precision, std::size_t elements);

  /// Begins an update in which gradients are multiplied by `factor` first (clipping and 1 / loss
  /// scale).
  void start_update(double factor);
  /// parameters and gradients: [elements], the averaged gradient still scaled.
  void update(std::size_t unit, Numbers parameters, ConstNumbers gradients);

  /// Floating-point operations of an update, each counted once, square root and division too: 17 an
  /// element for Adam and AdamW, 7 for SGD with momentum, 5 without (the loops in optimizer.cpp).
  double flops(std::size_t elements) const;

  std::size_t updates() const { return updates_; }  ///< t
  /// Goes on after that many updates, from states that the caller fills.
  void resume(std::size_t updates);
  const std::vector<States>& states() const { return states_; }
  std::vector<States>& states() { return states_; }

 private:
  OptimizerSettings settings_;
  Trace& trace_;
  std::vector<States> states_;
  std::size_t updates_ = 0;
  double beta1_power_ = 1, beta2_power_ = 1;  ///< β₁ᵗ and β₂ᵗ as running products
  float factor_ = 1;
};

}  // namespace zerolab
