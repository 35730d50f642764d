// Lab 09: k micro-batches for one step, and activations that are computed twice to be held once.
#include "lab.hpp"

#include "student.hpp"

namespace student {

using namespace zerolab;

Sent sent(const Training& training) {
  const std::uint64_t k = training.k;
  switch (training.stage) {
    case 0:  // all-reduce of the sum
      return {1, 2};
    case 1:  // the same, and all-gather of what was updated
      return {2, 3};
    case 2:  // reduce-scatter of each micro-batch, all-gather of what was updated
      return {k + 1, k + 1};
    default: {  // gather for forward, backward and recomputation, and reduce-scatter, of each
      const std::uint64_t each = training.checkpointing ? 4 : 3;
      return {each * k, each * k};
    }
  }
}

Fraction bytes_per_sample(const Training& training, std::uint64_t elements, std::uint64_t ranks,
                          std::uint64_t batch) {
  constexpr std::uint64_t width = 2;
  return {sent(training).ring * width * elements * (ranks - 1), ranks * training.k * batch};
}

std::optional<std::uint64_t> saved_at_most(int stage) {
  if (stage <= 1) return std::nullopt;  // k times fewer: what is sent does not grow with k
  return stage == 2 ? 2 : 1;            // 2k/(k+1); 3k/3k
}

void average_gradient(int stage, const Step& step, std::size_t elements, Communicator& comm,
                      std::span<float> average) {
  const bool sharded = stage >= 2;
  std::vector<float> gradient(elements);
  std::fill(average.begin(), average.end(), 0.0F);
  for (std::size_t j = 0; j < step.k; ++j) {
    step.backward(j, gradient);
    if (sharded) comm.reduce_scatter(numbers(gradient));  // my shard of the sum comes first
    for (std::size_t i = 0; i < average.size(); ++i) average[i] += gradient[i];
  }
  if (!sharded) comm.all_reduce(numbers(average));
  for (float& g : average) g = static_cast<float>(g / static_cast<double>(step.samples));
}

namespace {

/// What outlives the forward pass.
struct Kept {
  Segment segment;
  Buffer input;
  std::uint64_t random;  ///< state of the generator before the segment
};

/// From the gradient of a segment's output to that of its input.
Buffer backward(Chain& chain, Kept kept, Buffer gradient) {
  const auto [first, last] = kept.segment;
  std::vector<Buffer> inputs;  // of the segment's layers
  inputs.push_back(std::move(kept.input));
  chain.random = kept.random;
  for (std::size_t l = first; l < last; ++l) inputs.push_back(chain.forward(l, inputs.back()));
  for (std::size_t l = last + 1; l-- > first; inputs.pop_back())
    gradient = chain.backward(l, inputs.back(), gradient);
  return gradient;
}

}  // namespace

void run_batch(Chain& chain, Buffer input, std::size_t segments) {
  const std::size_t layers = chain.layers();
  std::vector<Kept> kept;
  Buffer x = std::move(input);
  for (std::size_t l = 0; l < layers; ++l) {
    const Segment segment = segment_of(l, layers, segments);
    const bool keep = l == segment.first;
    if (keep) kept.push_back({segment, std::move(x), chain.random});
    x = chain.forward(l, keep ? kept.back().input : x);
  }
  Buffer gradient = chain.loss(x);
  x = Buffer();  // the output
  const std::uint64_t after = chain.random;
  for (; !kept.empty(); kept.pop_back())
    gradient = backward(chain, std::move(kept.back()), std::move(gradient));
  chain.random = after;  // the next micro-batch draws other numbers
}

namespace {

/// Inputs of s segments, of the last one also those of its other layers, and two gradients. Of a
/// ragged cut the first segments are longer, and met when fewer inputs are left.
std::uint64_t most_held(std::uint64_t layers, std::uint64_t segments) {
  const std::uint64_t s = std::min(layers, segments);
  return s + layers / s + 1;
}

}  // namespace

std::uint64_t activation_bytes(const EqualLayers& network) {
  // Whatever the stage, N and k: no stage shards activations, and one micro-batch has gone before
  // the next one comes.
  const std::uint64_t one = network.samples * network.features * sizeof(float);
  return most_held(network.layers, network.segments) * one;
}

std::uint64_t best_segments(std::uint64_t layers) {
  std::uint64_t best = 1;
  for (std::uint64_t s = 2; s <= layers; ++s) {
    if (most_held(layers, s) <= most_held(layers, best)) best = s;  // more segments, less again
  }
  return best;
}

}  // namespace student
