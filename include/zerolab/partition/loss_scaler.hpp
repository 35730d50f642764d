#pragma once

#include "zerolab/partition/job.hpp"

namespace zerolab {

/// The loss scale S, a power of two in [1, 2^24]. Dynamic: halved by each overflow (not below 1),
/// doubled after growth_interval updates in a row without one (not above 2^24). No hysteresis.
class LossScaler {
 public:
  explicit LossScaler(const LossScaleSettings& settings)
      : settings_(settings), scale_(settings.fixed.value_or(LossScaleSettings::initial)) {}

  double scale() const { return scale_; }
  std::size_t skips() const { return skips_; }

  /// After an update.
  void grow();
  /// After an overflow, on all ranks alike. Throws AgreedError at max_skips skips in a row.
  void skip();

 private:
  LossScaleSettings settings_;
  double scale_;
  std::size_t updates_in_a_row_ = 0;
  std::size_t skips_in_a_row_ = 0;
  std::size_t skips_ = 0;
};

}  // namespace zerolab
