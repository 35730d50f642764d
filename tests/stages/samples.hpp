#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "zerolab/core/random.hpp"
#include "zerolab/nn/dataset.hpp"

namespace zerolab {

/// Whether the exhaustive suite runs, which tries every combination.
inline bool exhaustive() {
  return std::getenv("ZEROLAB_EXHAUSTIVE") != nullptr;
}

/// Labelled samples that a test may change: features uniform in ±size, labels drawn.
class Samples final : public Dataset {
 public:
  Samples(std::size_t features, std::size_t classes, std::size_t train, std::size_t test,
          float size = 0.5F)
      : features_(features), classes_(classes), test_(test), values_((train + test) * features) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = size * random_symmetric(11, i);
    for (std::size_t i = 0; i < train + test; ++i)
      labels_.push_back(static_cast<std::int32_t>(random_bits(12, i) % classes));
  }

  std::size_t features() const override { return features_; }
  std::size_t classes() const override { return classes_; }
  std::size_t samples(Split split) const override {
    return split == Split::test ? test_ : labels_.size() - test_;
  }
  std::size_t bytes() const override { return 0; }  // not in a Buffer
  void read(Split split, std::size_t index, std::span<float> out) const override {
    const auto from = values_.begin() + static_cast<std::ptrdiff_t>(row(split, index) * features_);
    std::copy_n(from, features_, out.begin());
  }
  std::int32_t label(Split split, std::size_t index) const override {
    return labels_[row(split, index)];
  }

  /// A training sample in full, to be changed.
  std::span<float> sample(std::size_t index) {
    return std::span(values_).subspan(index * features_, features_);
  }
  void set_label(std::size_t index, std::size_t label) {
    labels_[index] = static_cast<std::int32_t>(label);
  }
  void fill(float value) { std::fill(values_.begin(), values_.end(), value); }
  void fill_labels(std::int32_t label) { std::fill(labels_.begin(), labels_.end(), label); }

 private:
  std::size_t row(Split split, std::size_t index) const {
    return split == Split::train ? index : samples(Split::train) + index;
  }

  std::size_t features_, classes_, test_;
  std::vector<float> values_;
  std::vector<std::int32_t> labels_;
};

}  // namespace zerolab
