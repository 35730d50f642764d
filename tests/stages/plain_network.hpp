#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace zerolab {

/// A number in double, and how far the same number may lie from it when it is computed in fp32 with
/// the additions in any order.
struct Bounded {
  double value = 0;
  double error = 0;

  double low() const { return value - error; }
  double high() const { return value + error; }
  double size() const { return std::abs(value) + error; }
};

/// n·u / (1 − n·u), u = 2^-24: what n roundings can add up to, relative to the sum of magnitudes
/// (Higham, Accuracy and Stability, 3.1).
inline double rounding(std::size_t n) {
  const double nu = std::ldexp(static_cast<double>(n), -24);
  return nu / (1 - nu);
}

/// The perceptron once more, as an oracle: plain loops in double, one sample after the other, and
/// the bounds carried along (running error analysis, Higham 3.3). Shares no code with Network.
class PlainNetwork {
 public:
  using Unit = std::vector<double>;     ///< weights [out × in], then biases [out]
  using Values = std::vector<Bounded>;  ///< of one layer, or of one unit

  PlainNetwork(std::vector<std::size_t> widths, std::vector<Unit> units)
      : widths_(std::move(widths)), units_(std::move(units)) {}

  std::vector<Unit>& units() { return units_; }

  Values logits(std::span<const float> sample) const { return forward(sample).back(); }

  /// Cross-entropy of one sample; 2Δ, since log Σ exp z and z_label each move by Δ = max |Δz|.
  static Bounded loss(const Values& logits, std::size_t label) {
    const double largest = max_of(logits, &Bounded::value);
    double sum = 0;
    for (const Bounded& z : logits) sum += std::exp(z.value - largest);
    return {std::log(sum) + largest - logits[label].value, 2 * max_of(logits, &Bounded::error)};
  }

  struct Gradient {
    std::vector<Values> units;
    Bounded loss;         ///< sum over the samples
    bool decided = true;  ///< every ReLU is so far from zero that fp32 puts it on the same side
  };

  /// Of scale × the sum of the losses; samples: [labels × features].
  Gradient gradient(std::span<const float> samples, std::span<const std::int32_t> labels,
                    double scale) const {
    Gradient total;
    for (const Unit& unit : units_) total.units.emplace_back(unit.size());
    std::vector<Unit> magnitude(units_.size());
    for (std::size_t l = 0; l < units_.size(); ++l) magnitude[l].resize(units_[l].size());
    for (std::size_t r = 0; r < labels.size(); ++r) {
      add_sample(samples.subspan(r * widths_[0], widths_[0]), static_cast<std::size_t>(labels[r]),
                 scale, total, magnitude);
    }
    for (std::size_t l = 0; l < units_.size(); ++l) {  // a sum over samples, of products
      for (std::size_t i = 0; i < units_[l].size(); ++i)
        total.units[l][i].error += rounding(labels.size() + 2) * magnitude[l][i] + tiny;
    }
    return total;
  }

 private:
  static constexpr double tiny = 1e-37;  ///< what is lost below the normal numbers of fp32

  template <class Member>
  static double max_of(const Values& values, Member member) {
    double largest = -HUGE_VAL;
    for (const Bounded& v : values) largest = std::max(largest, v.*member);
    return largest;
  }

  /// Whether fp32 may see this output of a ReLU as zero or not.
  static bool undecided(const Bounded& x) { return x.error > 0 && x.value <= x.error; }

  /// [l] is the input of unit l, the last one the logits.
  std::vector<Values> forward(std::span<const float> sample) const {
    std::vector<Values> layers(1);
    for (const float x : sample) layers[0].push_back({x, 0});
    for (std::size_t l = 0; l < units_.size(); ++l) {
      const std::size_t in = widths_[l], out = widths_[l + 1];
      Values y(out);
      for (std::size_t o = 0; o < out; ++o) {
        double z = units_[l][out * in + o], error = 0, magnitude = std::abs(z);
        for (std::size_t i = 0; i < in; ++i) {
          const double w = units_[l][o * in + i];
          z += w * layers[l][i].value;
          error += std::abs(w) * layers[l][i].error;
          magnitude += std::abs(w) * layers[l][i].size();
        }
        error += rounding(in + 2) * magnitude + tiny;
        const bool hidden = l + 1 < units_.size();
        y[o] = hidden && z < -error ? Bounded{0, 0} : Bounded{hidden ? std::max(z, 0.0) : z, error};
      }
      layers.push_back(std::move(y));
    }
    return layers;
  }

  void add_sample(std::span<const float> sample, std::size_t label, double scale, Gradient& total,
                  std::vector<Unit>& magnitude) const {
    const std::vector<Values> layers = forward(sample);
    for (std::size_t l = 1; l < units_.size(); ++l)
      for (const Bounded& x : layers[l]) total.decided &= !undecided(x);
    const Values& z = layers.back();
    const Bounded loss_here = loss(z, label);
    total.loss = {total.loss.value + loss_here.value, total.loss.error + loss_here.error};

    // p = softmax z moves by at most p (exp 2Δ − 1); then three roundings: to fp32, × scale, scale.
    const double largest = max_of(z, &Bounded::value);
    const double factor = std::expm1(2 * std::min(max_of(z, &Bounded::error), 1.0));
    double sum = 0;
    for (const Bounded& logit : z) sum += std::exp(logit.value - largest);
    Values delta(z.size());
    for (std::size_t c = 0; c < z.size(); ++c) {
      const double p = std::exp(z[c].value - largest) / sum;
      delta[c].value = scale * (p - (c == label ? 1 : 0));
      delta[c].error = scale * (p * factor + 1e-14);
      delta[c].error += rounding(3) * delta[c].size();
    }
    for (std::size_t l = units_.size(); l-- > 0;) {
      add_unit(l, layers[l], delta, total.units[l], magnitude[l]);
      if (l > 0) delta = input_gradient(l, layers[l], delta);
    }
  }

  /// ∂loss/∂W += δ xᵀ, ∂loss/∂b += δ
  void add_unit(std::size_t l, const Values& x, const Values& delta, Values& gradient,
                Unit& magnitude) const {
    const std::size_t in = widths_[l], out = widths_[l + 1];
    const auto add = [&](std::size_t i, const Bounded& d, const Bounded& v) {
      gradient[i].value += d.value * v.value;
      gradient[i].error += d.size() * v.error + d.error * std::abs(v.value);
      magnitude[i] += d.size() * v.size();
    };
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) add(o * in + i, delta[o], x[i]);
      add(out * in + o, delta[o], {1, 0});
    }
  }

  /// Wᵀδ where ReLU let x through.
  Values input_gradient(std::size_t l, const Values& x, const Values& delta) const {
    const std::size_t in = widths_[l], out = widths_[l + 1];
    Values dx(in);
    for (std::size_t i = 0; i < in; ++i) {
      if (x[i].value == 0 && !undecided(x[i])) continue;
      double magnitude = 0;
      for (std::size_t o = 0; o < out; ++o) {
        const double w = units_[l][o * in + i];
        dx[i].value += w * delta[o].value;
        dx[i].error += std::abs(w) * delta[o].error;
        magnitude += std::abs(w) * delta[o].size();
      }
      dx[i].error += rounding(out + 2) * magnitude + tiny;
      if (undecided(x[i])) {  // 0 or dx, and all between
        const double half = std::abs(dx[i].value) / 2;
        dx[i] = {dx[i].value / 2, dx[i].error + half};
      }
    }
    return dx;
  }

  std::vector<std::size_t> widths_;
  std::vector<Unit> units_;
};

}  // namespace zerolab
