#include "floor.hpp"

#include <cblas.h>

#include "zerolab/core/random.hpp"
#include "zerolab/core/simd.hpp"

namespace zerolab {

namespace {

/// fp32 numbers in ±1 that a product meets at full speed.
Buffer random_numbers(MemoryLedger& memory, std::size_t elements) {
  Buffer buffer(memory, Category::data, NumberType::fp32, elements);
  const auto values = buffer.as<float>();
  for (std::size_t i = 0; i < elements; ++i) values[i] = random_symmetric(1, i);
  return buffer;
}

/// Zeros, whose sum stays zero in every repetition.
Buffer zeros(MemoryLedger& memory, NumberType type, std::size_t elements) {
  Buffer buffer(memory, Category::buffers, type, elements);
  buffer.fill_zero();
  return buffer;
}

ZEROLAB_SIMD void scale_and_add(float* x, const float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.5F * x[i] + y[i];
}

}  // namespace

Floor::Floor(const Job& job, int stage, Communicator& comm)
    : shape_(job.shape),
      precision_(job.precision),
      reduce_(job.reduce),
      rows_(job.batch),
      stage_(stage),
      chunk_elements_(job.chunk_elements),
      comm_(comm) {
  const bool exact = reduce_ == ReduceMode::exact;
  for (std::size_t l = 0; l < shape_.units(); ++l) {
    const std::size_t weights = shape_.in(l)*shape_.out(l), elements = shape_.elements(l);
    weights_.push_back(random_numbers(memory_, weights));
    gradients_.push_back(random_numbers(memory_, weights));
    activations_.push_back(random_numbers(memory_, rows_ * shape_.in(l)));
    deltas_.push_back(random_numbers(memory_, rows_ * shape_.out(l)));
    sent_parameters_.push_back(zeros(memory_, precision_, elements));
    sent_gradients_.push_back(zeros(memory_, exact ? NumberType::fp64 : precision_,
                                    exact ? std::min(chunk_elements_, elements) : elements));
  }
  activations_.push_back(random_numbers(memory_, rows_ * shape_.widths.back()));
}

void Floor::products() {
  const auto rows = static_cast<blasint>(rows_);
  for (std::size_t l = 0; l < shape_.units(); ++l) {  // y = x · Wᵀ
    const auto in = static_cast<blasint>(shape_.in(l)), out = static_cast<blasint>(shape_.out(l));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, out, in, 1,
                activations_[l].as<float>().data(), in, weights_[l].as<float>().data(), in, 0,
                activations_[l + 1].as<float>().data(), out);
  }
  for (std::size_t l = shape_.units(); l-- > 0;) {
    const auto in = static_cast<blasint>(shape_.in(l)), out = static_cast<blasint>(shape_.out(l));
    const float* delta = deltas_[l].as<float>().data();  // dW = δᵀ · x, dx = δ · W
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, out, in, rows, 1, delta, out,
                activations_[l].as<float>().data(), in, 0, gradients_[l].as<float>().data(), in);
    if (l == 0) continue;  // the data needs no gradient
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, in, out, 1, delta, out,
                weights_[l].as<float>().data(), in, 0, deltas_[l - 1].as<float>().data(), in);
  }
}

/// Under exact a unit travels as doubles, in chunks through one buffer.
void Floor::reduce(std::size_t unit, bool scatter) {
  const std::size_t elements = shape_.elements(unit);
  const std::size_t most = sent_gradients_[unit].size();
  for (std::size_t done = 0; done < elements; done += most) {
    const auto some = sent_gradients_[unit].numbers().part(0, std::min(most, elements - done));
    scatter ? comm_.reduce_scatter(some) : comm_.all_reduce(some);
  }
}

void Floor::collectives() {
  const std::size_t gathers = stage_ == 0 ? 0 : stage_ == 3 ? 2 : 1;
  for (std::size_t l = 0; l < shape_.units(); ++l) {
    for (std::size_t g = 0; g < gathers; ++g) comm_.all_gather(sent_parameters_[l]);
    reduce(l, stage_ >= 2);
  }
}

std::size_t Floor::optimizer_bytes() const {
  const Placement placement = placements_of(stage_).optimizer_states;
  std::size_t elements = 0;
  for (std::size_t l = 0; l < shape_.units(); ++l) {
    elements += placed(placement, shape_.elements(l), comm_.size(), comm_.rank());
  }
  // Master weights, momentum and variance there and back; the gradient in; 16-bit parameters out.
  const std::size_t fp32_states = 3 * 8;
  const std::size_t parameters_out = precision_ == NumberType::fp32 ? 0 : width(precision_);
  return elements * (fp32_states + width(precision_) + parameters_out);
}

MemoryBandwidth::MemoryBandwidth()
    : x_(zeros(memory_, NumberType::fp32, elements)),
      y_(zeros(memory_, NumberType::fp32, elements)) {}

void MemoryBandwidth::pass() {
  scale_and_add(x_.as<float>().data() + next_, y_.as<float>().data() + next_, window);
  next_ = (next_ + window) % elements;
}

}  // namespace zerolab
