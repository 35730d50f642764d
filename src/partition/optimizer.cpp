#include "zerolab/partition/optimizer.hpp"

#include <array>
#include <cmath>

#include "zerolab/core/simd.hpp"

namespace zerolab {

namespace {

constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
constexpr std::size_t updated_at_a_time =
    1024;  // elements updated at a time, so that the widened ones stay cached

/// What an update multiplies with, rounded to fp32 once a step.
struct Constants {
  float step;          ///< Adam: η / (1 − β₁ᵗ); SGD: η
  float inverse_root;  ///< 1 / √(1 − β₂ᵗ)
  float l2, decay;     ///< weight decay added to the gradient; factor 1 − ηλ of AdamW
  float momentum;      ///< μ of SGD
  float factor;        ///< of the gradient
};

/// m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², θ ← θ − η m̂ / (√v̂ + ε)
ZEROLAB_SIMD void adam(float* theta, float* m, float* v, const float* gradient, std::size_t n,
                       Constants c) {
  for (std::size_t i = 0; i < n; ++i) {
    const float g = gradient[i] * c.factor + c.l2 * theta[i];
    m[i] = static_cast<float>(beta1) * m[i] + static_cast<float>(1 - beta1) * g;
    v[i] = static_cast<float>(beta2) * v[i] + static_cast<float>(1 - beta2) * (g * g);
    const float root = std::sqrt(v[i]) * c.inverse_root;
    theta[i] = c.decay * theta[i] - c.step * m[i] / (root + static_cast<float>(epsilon));
  }
}

/// m ← μm + g, θ ← θ − ηm
ZEROLAB_SIMD void sgd_with_momentum(float* theta, float* m, const float* gradient, std::size_t n,
                                    Constants c) {
  for (std::size_t i = 0; i < n; ++i) {
    m[i] = c.momentum * m[i] + (gradient[i] * c.factor + c.l2 * theta[i]);
    theta[i] -= c.step * m[i];
  }
}

/// θ ← θ − ηg
ZEROLAB_SIMD void sgd(float* theta, const float* gradient, std::size_t n, Constants c) {
  for (std::size_t i = 0; i < n; ++i) {
    theta[i] -= c.step * (gradient[i] * c.factor + c.l2 * theta[i]);
  }
}

}  // namespace

Optimizer::States& Optimizer::add_unit(MemoryLedger& ledger, NumberType precision,
                                       std::size_t elements) {
  States states;
  if (precision != NumberType::fp32) {
    states.master = Buffer(ledger, Category::master, NumberType::fp32, elements);
  }
  if (settings_.has_momentum()) {
    states.momentum = Buffer(ledger, Category::momentum, NumberType::fp32, elements);
    states.momentum.fill_zero();
  }
  if (settings_.has_variance()) {
    states.variance = Buffer(ledger, Category::variance, NumberType::fp32, elements);
    states.variance.fill_zero();
  }
  states_.push_back(std::move(states));
  return states_.back();
}

double Optimizer::flops(std::size_t elements) const {
  const double each = settings_.has_variance() ? 17 : settings_.has_momentum() ? 7 : 5;
  return each * static_cast<double>(elements);
}

void Optimizer::resume(std::size_t updates) {
  updates_ = updates;
  // The same products in the same order, as far as they change: the smallest numbers round to
  // themselves.
  const auto power = [updates](double beta) {
    double product = 1;
    for (std::size_t t = 0; t < updates && product * beta != product; ++t) product *= beta;
    return product;
  };
  beta1_power_ = power(beta1);
  beta2_power_ = power(beta2);
}

void Optimizer::start_update(double factor) {
  ++updates_;
  beta1_power_ *= beta1;
  beta2_power_ *= beta2;
  factor_ = static_cast<float>(factor);
}

void Optimizer::update(std::size_t unit, Numbers parameters, ConstNumbers gradients) {
  require(parameters.size == gradients.size, "{} parameters, {} gradients", parameters.size,
          gradients.size);
  States& states = states_[unit];
  const auto holds = [&](bool needed, const Buffer& state) {
    require(!needed || state.size() >= parameters.size,
            "unit {}: {} parameters to update, optimizer states of {}", unit, parameters.size,
            state.size());
  };
  holds(parameters.type != NumberType::fp32, states.master);
  holds(settings_.has_momentum(), states.momentum);
  holds(settings_.has_variance(), states.variance);
  const double eta = settings_.learning_rate, lambda = settings_.weight_decay;
  const bool is_sgd = settings_.kind == OptimizerKind::sgd;
  const bool decoupled = settings_.kind == OptimizerKind::adamw;
  const Constants c{.step = static_cast<float>(is_sgd ? eta : eta / (1 - beta1_power_)),
                    .inverse_root = static_cast<float>(1 / std::sqrt(1 - beta2_power_)),
                    .l2 = static_cast<float>(decoupled ? 0 : lambda),
                    .decay = static_cast<float>(decoupled ? 1 - eta * lambda : 1),
                    .momentum = static_cast<float>(settings_.momentum),
                    .factor = factor_};
  const bool has_master = parameters.type != NumberType::fp32;
  const auto theta = has_master ? states.master.as<float>() : parameters.as<float>();
  std::array<float, updated_at_a_time> gradient;
  for (std::size_t i = 0; i < parameters.size; i += updated_at_a_time) {
    const std::size_t n = std::min(updated_at_a_time, parameters.size - i);
    widen(gradients.part(i, n), std::span(gradient).first(n));
    if (!is_sgd) {
      adam(&theta[i], &states.momentum.as<float>()[i], &states.variance.as<float>()[i],
           gradient.data(), n, c);
    } else if (settings_.has_momentum()) {
      sgd_with_momentum(&theta[i], &states.momentum.as<float>()[i], gradient.data(), n, c);
    } else {
      sgd(&theta[i], gradient.data(), n, c);
    }
    if (has_master) narrow(std::span<const float>(theta).subspan(i, n), parameters.part(i, n));
  }
  trace_.event(unit, "update {} parameters", parameters.size);
}

}  // namespace zerolab
