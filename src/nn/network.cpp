#include "zerolab/nn/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zerolab/core/require.hpp"
#include "zerolab/nn/elementary.hpp"

namespace zerolab {

namespace {

constexpr bool transposed = true;

/// Cross-entropy of one row of logits [classes], which become scale · ∂loss/∂logits.
double row_loss(std::span<float> logits, std::size_t label, float scale) {
  const float largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float z : logits) sum += portable::exp(static_cast<double>(z) - largest);
  const double loss = portable::log(sum) - (static_cast<double>(logits[label]) - largest);
  for (std::size_t c = 0; c < logits.size(); ++c) {
    const double probability = portable::exp(static_cast<double>(logits[c]) - largest) / sum;
    logits[c] = static_cast<float>(probability - (c == label ? 1.0 : 0.0)) * scale;
  }
  return loss;
}

}  // namespace

/// c [m × n] = a [m × k] · b [k × n] + beta · c, all row-major with their leading dimensions.
void Network::product(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n,
                      std::size_t k, const float* a, std::size_t lda, const float* b,
                      std::size_t ldb, float beta, float* c, std::size_t ldc) const {
  const auto whole = [](std::size_t size) { return static_cast<int>(size); };
  gemm_({transpose_a, transpose_b, whole(m), whole(n), whole(k), 1.0F, a, whole(lda), b, whole(ldb),
         beta, c, whole(ldc)});
}

std::span<float> Network::start(std::size_t rows, Keep keep, std::size_t segments) {
  rows_ = rows;
  keep_ = keep;
  segments_ = segments;
  finish();
  order_.start(shape_.units(), segments);
  activations_.resize(shape_.units() + 1);
  activations_[0] = Buffer(ledger_, Category::activations, NumberType::fp32, rows * shape_.in(0));
  return activations_[0].as<float>();
}

void Network::finish() {
  activations_.clear();
  order_.end();
}

/// Calls use(first row, fp32 weights [tile rows × in] or the biases [out] at row out) over a unit.
template <class Use>
void Network::for_each_tile(std::size_t unit, ConstNumbers parameters, Use use) {
  const std::size_t in = shape_.in(unit), out = shape_.out(unit);
  if (parameters.type == NumberType::fp32) {
    const auto values = parameters.as<const float>();
    use(0, values.first(out * in));
    return use(out, values.last(out));
  }
  Buffer workspace(ledger_, Category::activations, NumberType::fp32,
                   shape_.workspace(unit, parameters.type));
  for (std::size_t row = 0; row < out; row += shape_.tile_rows(unit)) {
    const std::size_t rows = std::min(shape_.tile_rows(unit), out - row);
    const auto tile = workspace.as<float>().first(rows * in);
    widen(parameters.part(row * in, rows * in), tile);
    use(row, tile);
  }
  const auto biases = workspace.as<float>().first(out);
  widen(parameters.part(out * in, out), biases);
  use(out, biases);
}

void Network::require_parameters(std::size_t unit, ConstNumbers parameters) const {
  require(parameters.size == shape_.elements(unit), "unit {} has {} parameters, got {}", unit,
          shape_.elements(unit), parameters.size);
}

void Network::require_kept(const char* pass, std::size_t unit) const {
  require(keep_ == Keep::all_activations, "{} of unit {}: its input has not been kept", pass, unit);
}

void Network::forward(std::size_t unit, ConstNumbers parameters) {
  order_.forward(unit);
  require_parameters(unit, parameters);
  activations_[unit + 1] = output(unit, parameters);
  const bool kept = keep_ == Keep::all_activations &&
                    (segments_ == 0 || segment_of(unit, shape_.units(), segments_).first == unit);
  if (!kept) activations_[unit] = Buffer();
}

void Network::recompute(std::size_t unit, ConstNumbers parameters) {
  order_.recompute(unit);
  require_kept("recompute", unit);
  require_parameters(unit, parameters);
  Buffer again = output(unit, parameters);
  // A segment is run to its end, though nobody needs the output of its last unit any more: the
  // gradient has its place.
  if (unit < segment_of(unit, shape_.units(), segments_).last)
    activations_[unit + 1] = std::move(again);
}

/// Of a unit whose input is there: [rows × out].
Buffer Network::output(std::size_t unit, ConstNumbers parameters) {
  const std::size_t in = shape_.in(unit), out = shape_.out(unit);
  Buffer output(ledger_, Category::activations, NumberType::fp32, rows_ * out);
  if (rows_ == 0) return output;
  const float* x = activations_[unit].as<float>().data();
  float* y = output.as<float>().data();
  const bool hidden = unit + 1 < shape_.units();
  for_each_tile(unit, parameters, [&](std::size_t row, std::span<const float> weights) {
    if (row < out) {  // y = x · Wᵀ
      const std::size_t tile = weights.size() / in;
      return product(!transposed, transposed, rows_, tile, in, x, in, weights.data(), in, 0,
                     y + row, out);
    }
    for (std::size_t r = 0; r < rows_; ++r) {  // y = ReLU(y + b); a NaN stays one
      for (std::size_t o = 0; o < out; ++o) {
        const float z = y[r * out + o] + weights[o];
        y[r * out + o] = hidden && z <= 0 ? 0 : z;
      }
    }
  });
  return output;
}

LossSum Network::loss(std::span<const std::int32_t> labels, float scale, double limit) {
  order_.loss();
  require(labels.size() == rows_, "a batch of {} samples, got {} labels", rows_, labels.size());
  LossSum total;
  const auto logits = activations_.back().as<float>();
  for (std::size_t r = 0; r < rows_; ++r) {
    const std::size_t classes = shape_.widths.back();
    const double loss =
        row_loss(logits.subspan(r * classes, classes), static_cast<std::size_t>(labels[r]), scale);
    if (loss >= 0 && loss < limit) {
      total.grid += static_cast<std::uint64_t>(std::llrint(loss * 0x1p32));
    } else {
      ++total.not_finite;
    }
  }
  return total;
}

std::size_t Network::correct(std::span<const std::int32_t> labels) const {
  order_.logits("accuracy");
  require(labels.size() == rows_, "a batch of {} samples, got {} labels", rows_, labels.size());
  const auto logits = activations_.back().as<float>();
  const auto classes = static_cast<std::ptrdiff_t>(shape_.widths.back());
  std::size_t correct = 0;
  for (std::size_t r = 0; r < rows_; ++r) {
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>(r) * classes;
    correct += std::max_element(row, row + classes) - row == labels[r];
  }
  return correct;
}

void Network::backward(std::size_t unit, ConstNumbers parameters, Numbers gradient) {
  order_.backward(unit);
  require_kept("backward", unit);
  require_parameters(unit, parameters);
  require(gradient.size == shape_.elements(unit), "the gradient of unit {} has {} elements, got {}",
          unit, shape_.elements(unit), gradient.size);
  if (rows_ == 0) {
    std::fill_n(gradient.data, gradient.bytes(), std::byte{0});
  } else {
    weight_gradient(unit, gradient);
    if (unit > 0) input_gradient(unit, parameters);  // the data needs no gradient
  }
  activations_[unit + 1] = Buffer();
}

/// ∂loss/∂W = δᵀ · x and ∂loss/∂b = column sums of δ, [out × in] and [out].
void Network::weight_gradient(std::size_t unit, Numbers gradient) {
  const std::size_t in = shape_.in(unit), out = shape_.out(unit);
  const float* delta = activations_[unit + 1].as<float>().data();
  const float* x = activations_[unit].as<float>().data();
  const bool in_place = gradient.type == NumberType::fp32;
  Buffer workspace(ledger_, Category::activations, NumberType::fp32,
                   shape_.workspace(unit, gradient.type));
  const std::size_t step = in_place ? out : shape_.tile_rows(unit);
  for (std::size_t row = 0; row < out; row += step) {
    const std::size_t rows = std::min(step, out - row);
    const Numbers place = gradient.part(row * in, rows * in);
    const auto tile = in_place ? place.as<float>() : workspace.as<float>().first(rows * in);
    product(transposed, !transposed, rows, in, rows_, delta + row, out, x, in, 0, tile.data(), in);
    if (!in_place) narrow(std::span<const float>(tile), place);
  }
  const Numbers place = gradient.part(out * in, out);
  const auto biases = in_place ? place.as<float>() : workspace.as<float>().first(out);
  std::fill(biases.begin(), biases.end(), 0.0F);
  for (std::size_t r = 0; r < rows_; ++r) {
    for (std::size_t o = 0; o < out; ++o) biases[o] += delta[r * out + o];
  }
  if (!in_place) narrow(std::span<const float>(biases), place);
}

/// ∂loss/∂x = δ · W where ReLU let x through; takes the place of x.
void Network::input_gradient(std::size_t unit, ConstNumbers parameters) {
  const std::size_t in = shape_.in(unit), out = shape_.out(unit);
  const float* delta = activations_[unit + 1].as<float>().data();
  Buffer gradient(ledger_, Category::activations, NumberType::fp32, rows_ * in);
  float* dx = gradient.as<float>().data();
  for_each_tile(unit, parameters, [&](std::size_t row, std::span<const float> weights) {
    if (row == out) return;
    const std::size_t tile = weights.size() / in;
    product(!transposed, !transposed, rows_, in, tile, delta + row, out, weights.data(), in,
            row == 0 ? 0.0F : 1.0F, dx, in);
  });
  const auto x = activations_[unit].as<float>();
  for (std::size_t i = 0; i < x.size(); ++i) dx[i] = x[i] <= 0 ? 0 : dx[i];
  activations_[unit] = std::move(gradient);
}

}  // namespace zerolab
