#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../stages/plain_network.hpp"
#include "zerolab/core/random.hpp"
#include "zerolab/nn/network.hpp"

namespace zerolab {

using Widths = std::vector<std::size_t>;

inline std::vector<float> as_floats(ConstNumbers numbers) {
  std::vector<float> values(numbers.size);
  widen(numbers, values);
  return values;
}

/// One batch with its weights, all from the generator.
struct Problem {
  NetworkShape shape;
  MemoryLedger ledger;
  std::vector<Buffer> weights;
  std::vector<float> samples;
  std::vector<std::int32_t> labels;

  Problem(const Widths& widths, std::size_t rows, NumberType stored, std::uint64_t seed)
      : shape{widths}, samples(rows * widths.front()) {
    for (std::size_t l = 0; l < shape.units(); ++l) {
      std::vector<float> values(shape.elements(l));
      const float size = 1.5F / std::sqrt(static_cast<float>(shape.in(l)));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = size * random_symmetric(seed, shape.first(l) + i);
      weights.emplace_back(ledger, Category::parameters, stored, values.size());
      narrow(values, weights.back());
    }
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = random_symmetric(~seed, i);
    for (std::size_t r = 0; r < rows; ++r)
      labels.push_back(static_cast<std::int32_t>(random_bits(seed, ~r) % widths.back()));
  }

  PlainNetwork plain() const {
    std::vector<PlainNetwork::Unit> units;
    for (const Buffer& unit : weights) {
      const std::vector<float> values = as_floats(unit);
      units.emplace_back(values.begin(), values.end());
    }
    return {shape.widths, std::move(units)};
  }
};

/// The segment that ends with unit l, if one does.
inline void recompute(Network& network, const Problem& problem, std::size_t l,
                      std::size_t segments) {
  const Segment segment = segment_of(l, problem.shape.units(), segments);
  for (std::size_t u = segment.first; l == segment.last && u <= l; ++u)
    network.recompute(u, problem.weights[u]);
}

struct Trained {
  LossSum loss;
  std::vector<Buffer> gradients;
};

/// One forward and backward pass, with recomputation where there are segments; gradients start as
/// rubbish.
inline Trained train(Problem& problem, NumberType stored, float scale, Gemm gemm = openblas_gemm,
                     std::size_t segments = 0) {
  Network network(problem.shape, problem.ledger, gemm);
  const auto input = network.start(problem.labels.size(), Network::Keep::all_activations, segments);
  std::copy(problem.samples.begin(), problem.samples.end(), input.begin());
  for (std::size_t l = 0; l < problem.shape.units(); ++l) network.forward(l, problem.weights[l]);
  Trained result;
  result.loss = network.loss(problem.labels, scale);
  result.gradients.resize(problem.shape.units());
  for (std::size_t l = problem.shape.units(); l-- > 0;) {
    if (segments > 0) recompute(network, problem, l, segments);
    Buffer gradient(problem.ledger, Category::gradients, stored, problem.shape.elements(l));
    std::fill_n(gradient.numbers().data, gradient.numbers().bytes(), std::byte{0xFF});
    network.backward(l, problem.weights[l], gradient);
    result.gradients[l] = std::move(gradient);
  }
  network.finish();
  EXPECT_EQ(problem.ledger.line(Category::activations).now, 0U);
  return result;
}

}  // namespace zerolab
