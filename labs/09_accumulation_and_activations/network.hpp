#pragma once

#include "check.hpp"
#include "lab.hpp"
#include "zerolab/nn/network.hpp"

// Task 6: real activations.

namespace {

using namespace zerolab;

/// Most bytes of activations while k micro-batches are trained, by the ledger of the library's
/// network.
std::uint64_t activations_in_ledger(const student::EqualLayers& net) {
  const NetworkShape shape{std::vector<std::size_t>(net.layers + 1, net.features)};
  std::vector<float> parameters(shape.elements(0)), gradient(shape.elements(0));
  initial_parameters(shape, 1, 0, 0, parameters);
  const Numbers weights = student::numbers(parameters);
  const std::vector<std::int32_t> labels(net.samples, 0);
  MemoryLedger memory;
  Network network(shape, memory, reference_gemm);
  for (std::uint64_t j = 0; j < net.training.k; ++j) {
    auto input = network.start(net.samples, Network::Keep::all_activations, net.segments);
    std::fill(input.begin(), input.end(), 1.0F);
    for (std::size_t l = 0; l < shape.units(); ++l) network.forward(l, weights);
    network.loss(labels, 1);
    for (std::size_t l = shape.units(); l-- > 0;) {
      const auto [first, last] = segment_of(l, shape.units(), net.segments);
      for (std::size_t again = first; l == last && again <= last; ++again)
        network.recompute(again, weights);
      network.backward(l, weights, student::numbers(gradient));
    }
    network.finish();
  }
  return memory.line(Category::activations).peak;
}

std::string mistake(const student::EqualLayers& net, std::uint64_t right, std::uint64_t got) {
  const std::uint64_t one = net.samples * net.features * sizeof(float);
  const std::uint64_t s = std::min(net.layers, net.segments), longest = (net.layers + s - 1) / s;
  if (got == right / net.ranks && net.ranks > 1) return ": no stage shards activations";
  if (got == right * net.training.k) return ": one micro-batch has gone before the next one comes";
  if (got * sizeof(float) == right) return ": bytes are asked, of fp32 numbers";
  if (got == (s + longest + 1) * one)
    return ": the longer segments come first, and are met when fewer inputs are left";
  if (got == (net.layers + 2) * one) return ": that is without checkpointing";
  if (got + one == right || got + 2 * one == right)
    return ": beside the inputs, a layer's backward holds two gradients";
  return "";
}

void real_activations(lab::Check& check) {
  const auto ask = [&](const student::EqualLayers& net) {
    const std::uint64_t right = activations_in_ledger(net), got = student::activation_bytes(net);
    if (right != got)
      check.fail(
          "activation_bytes(), {} layers of {} features, {} samples, s = {}, stage {}, N = {}, "
          "k = {}: a real network's ledger says {}, got {}{}",
          net.layers, net.features, net.samples, net.segments, net.training.stage, net.ranks,
          net.training.k, right, got, mistake(net, right, got));
  };
  for (const std::uint64_t s : {4U, 1U, 16U}) ask({16, 8, 4, s, 1, {0, 1}});
  for (int stage = 0; stage < 4; ++stage) {
    for (std::uint64_t s = 1; s <= 18; ++s) ask({16, 8, 4, s, check.ranks(), {stage, 1}});
    for (std::uint64_t s = 1; s <= 8; ++s) ask({7, 5, 3, s, 8, {stage, 3}});
  }
}

/// The least s + ⌊L/s⌋ + 1 of all s is ⌊√(4L+1)⌋ + 1.
void fewest_activations(lab::Check& check) {
  for (std::uint64_t layers = 1; layers <= 200; ++layers) {
    const auto held = [&](std::uint64_t s) { return s + layers / s + 1; };
    std::uint64_t least = 1;
    while ((least + 1) * (least + 1) <= 4 * layers + 1) ++least;
    ++least;
    const std::uint64_t got = student::best_segments(layers);
    if (!check.expect(got >= 1 && got <= layers, "best_segments({}): got {}", layers, got)) return;
    check.expect(held(got) == least, "best_segments({}): got {}, which holds {} vectors, not {}",
                 layers, got, held(got), least);
    for (std::uint64_t s = got + 1; s <= layers; ++s)
      check.expect(held(s) > least,
                   "best_segments({}): got {}; {} segments hold {} as well, and recompute less",
                   layers, got, s, least);
  }
}

void memory_of_network(lab::Check& check) {
  real_activations(check);
  fewest_activations(check);
}

}  // namespace
