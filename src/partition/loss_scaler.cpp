#include "zerolab/partition/loss_scaler.hpp"

#include <algorithm>

namespace zerolab {

void LossScaler::resume(const State& state) {
  state_ = state;
  if (settings_.fixed) state_.scale = *settings_.fixed;
}

void LossScaler::grow() {
  state_.skips_in_a_row = 0;
  if (settings_.fixed || ++state_.updates_in_a_row < settings_.growth_interval) return;
  state_.scale = std::min(state_.scale * 2, LossScaleSettings::largest);
  state_.updates_in_a_row = 0;
}

void LossScaler::skip() {
  ++state_.skips;
  state_.updates_in_a_row = 0;
  if (!settings_.fixed) state_.scale = std::max(state_.scale / 2, LossScaleSettings::smallest);
  if (++state_.skips_in_a_row < settings_.max_skips) return;
  throw AgreedError(
      fmt::format("{} steps in a row were skipped because gradients were not finite or at least "
                  "2^17, the loss scale is now {}; "
                  "look for nan, inf or huge numbers in the data, or lower the learning rate",
                  state_.skips_in_a_row, state_.scale));
}

}  // namespace zerolab
