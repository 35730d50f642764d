#include "zerolab/partition/loss_scaler.hpp"

#include <algorithm>

namespace zerolab {

void LossScaler::grow() {
  skips_in_a_row_ = 0;
  if (settings_.fixed || ++updates_in_a_row_ < settings_.growth_interval) return;
  scale_ = std::min(scale_ * 2, LossScaleSettings::largest);
  updates_in_a_row_ = 0;
}

void LossScaler::skip() {
  ++skips_;
  updates_in_a_row_ = 0;
  if (!settings_.fixed) scale_ = std::max(scale_ / 2, LossScaleSettings::smallest);
  if (++skips_in_a_row_ < settings_.max_skips) return;
  throw AgreedError(
      fmt::format("{} steps in a row were skipped because gradients were not finite or at least "
                  "2^17, the loss scale is now {}; "
                  "look for nan, inf or huge numbers in the data, or lower the learning rate",
                  skips_in_a_row_, scale_));
}

}  // namespace zerolab
