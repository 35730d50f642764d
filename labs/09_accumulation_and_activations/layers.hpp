#pragma once

#include <span>
#include <vector>

#include "zerolab/core/random.hpp"

// The layers that the student's backward pass is tried on, and a pass that keeps everything.

namespace {

using Values = std::vector<float>;

/// Layers y = d(wx + 1), where d is 1, or in a layer with dropout 0 or 2.
struct Layers {
  Values weights, input;
  std::size_t dropout = 0;  ///< in layers 0, dropout, 2·dropout, …; 0: nowhere

  std::size_t size() const { return weights.size(); }
  bool drops(std::size_t layer) const { return dropout > 0 && layer % dropout == 0; }
  /// The state of the generator after a layer.
  std::uint64_t next(std::size_t layer, std::uint64_t random) const {
    return drops(layer) ? zerolab::random_mix(random) : random;
  }

  Values forward(std::size_t layer, std::uint64_t random, std::span<const float> x) const {
    Values y(x.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = dropped(layer, random, i) * (weights[layer] * x[i] + 1);
    return y;
  }
  struct Gradients {
    Values input;
    float weight = 0;
  };
  Gradients backward(std::size_t layer, std::uint64_t random, std::span<const float> x,
                     std::span<const float> output) const {
    Gradients gradients{Values(x.size())};
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float product = dropped(layer, random, i) * output[i];
      gradients.input[i] = weights[layer] * product;
      gradients.weight += x[i] * product;
    }
    return gradients;
  }
  /// The loss is the sum of the last layer's output.
  static Values loss(std::size_t elements) { return Values(elements, 1.0F); }

 private:
  float dropped(std::size_t layer, std::uint64_t random, std::size_t i) const {
    return !drops(layer) ? 1.0F : zerolab::random_bits(random, i) % 2 == 0 ? 0.0F : 2.0F;
  }
};

struct PlainPass {
  std::vector<Values> x, gradient;    ///< [l] of the input of layer l
  std::vector<std::uint64_t> random;  ///< [l] before layer l
  Values weight_gradients;

  PlainPass(const Layers& net, std::uint64_t seed)
      : x{net.input},
        gradient(net.size() + 1, Layers::loss(net.input.size())),
        random{seed},
        weight_gradients(net.size()) {
    for (std::size_t l = 0; l < net.size(); ++l) {
      x.push_back(net.forward(l, random[l], x[l]));
      random.push_back(net.next(l, random[l]));
    }
    for (std::size_t l = net.size(); l-- > 0;) {
      auto gradients = net.backward(l, random[l], x[l], gradient[l + 1]);
      gradient[l] = std::move(gradients.input);
      weight_gradients[l] = gradients.weight;
    }
  }
};

}  // namespace
