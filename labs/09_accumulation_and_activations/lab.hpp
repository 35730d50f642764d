#pragma once

#include <functional>
#include <optional>
#include <span>

#include "zerolab/comm/communicator.hpp"
#include "zerolab/core/buffer.hpp"
#include "zerolab/nn/pass_order.hpp"

// Lab 09: what is written by the student. Calculated numbers are exact integers.

namespace student {

/// How a step is trained.
struct Training {
  int stage;                   ///< 0 … 3
  std::uint64_t k;             ///< micro-batches of a rank in a step
  bool checkpointing = false;  ///< activations are recomputed, segment by segment
};

/// Elements that a rank hands to collectives in a step, times Φ(N−1)/N.
struct Sent {
  std::uint64_t payload;  ///< every collective counts once
  std::uint64_t ring;     ///< an all-reduce counts as its two halves
  bool operator==(const Sent&) const = default;
};
/// Task 1. Gradients and parameters; the few words of norm, overflow and loss are not counted.
Sent sent(const Training& training);

struct Fraction {
  std::uint64_t numerator, denominator;
};
/// Task 2. Bytes that the ring model sends from a rank in a step, for each sample that this rank
/// trains in it. Φ elements of 2 bytes, N ranks, micro-batches of `batch` samples. Any terms.
Fraction bytes_per_sample(const Training& training, std::uint64_t elements, std::uint64_t ranks,
                          std::uint64_t batch);
/// Task 2. How many times fewer bytes a sample costs than with k = 1, for ever larger k, without
/// checkpointing: the limit, none where there is no limit.
std::optional<std::uint64_t> saved_at_most(int stage);

/// One step's work on a rank.
struct Step {
  std::size_t k;        ///< micro-batches, on every rank
  std::size_t samples;  ///< of all micro-batches of all ranks, at least 1
  /// Writes the sum of the gradients of a micro-batch's samples, [Φ]; returns how many samples
  /// those were, which may be few or none in the last ones. To be called for 0 … k−1, once each.
  std::function<std::size_t(std::size_t micro_batch, std::span<float> gradient)> backward;
};
/// Values as the Communicator takes them.
inline zerolab::Numbers numbers(std::span<float> values) {
  return {zerolab::NumberType::fp32, std::as_writable_bytes(values).data(), values.size()};
}
/// Task 3. The gradient averaged over all samples of the step. `average` is [Φ] in stages 0 and 1,
/// this rank's shard in 2 and 3, and of undefined contents.
void average_gradient(int stage, const Step& step, std::size_t elements,
                      zerolab::Communicator& comm, std::span<float> average);

/// A network of the check's, as a chain of layers. Inputs, outputs and their gradients are Buffers:
/// the check reads in a ledger how many are held.
class Chain {
 public:
  virtual ~Chain() = default;
  virtual std::size_t layers() const = 0;

  /// The output of a layer.
  virtual zerolab::Buffer forward(std::size_t layer, const zerolab::Buffer& input) = 0;
  /// The gradient of the last layer's output.
  virtual zerolab::Buffer loss(const zerolab::Buffer& output) = 0;
  /// The gradient of a layer's input, from that input and the gradient of its output. The gradient
  /// of the layer's weight is noted on the way. Last layer to first, once each.
  virtual zerolab::Buffer backward(std::size_t layer, const zerolab::Buffer& input,
                                   const zerolab::Buffer& output_gradient) = 0;

  /// State of the generator of random numbers. In forward a layer with dropout draws from it which
  /// elements it drops, and moves it on.
  std::uint64_t random = 0;
};
/// Tasks 4, 5 and 7. One micro-batch: forward, loss, backward. The layers are cut by
/// zerolab::segment_of(layer, layers, segments), segments > 0; of all inputs only those of a
/// segment's first layer outlive the forward pass.
void run_batch(Chain& chain, zerolab::Buffer input, std::size_t segments);

/// A network of equal layers in fp32, as it is trained.
struct EqualLayers {
  std::uint64_t layers, features;  ///< features of a layer's input, and of its output
  std::uint64_t samples;           ///< of a micro-batch, on a rank
  std::uint64_t segments;          ///< more than there are layers: as many as there are layers
  std::uint64_t ranks;
  Training training;
};
/// Task 6. Bytes of activations and their gradients on a rank, at most.
std::uint64_t activation_bytes(const EqualLayers& network);
/// Task 6. The number of segments with the fewest activations held at a time; of several, the one
/// that recomputes least.
std::uint64_t best_segments(std::uint64_t layers);

}  // namespace student
