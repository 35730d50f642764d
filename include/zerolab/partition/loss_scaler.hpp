#pragma once

#include "zerolab/partition/job.hpp"

namespace zerolab {

/// The loss scale S, a power of two in [1, 2^24]. Dynamic: halved by each overflow (not below 1),
/// doubled after growth_interval updates in a row without one (not above 2^24). No hysteresis.
class LossScaler {
 public:
  explicit LossScaler(const LossScaleSettings& settings)
      : settings_(settings), state_{settings.fixed.value_or(LossScaleSettings::initial)} {}

  double scale() const { return state_.scale; }
  std::size_t skips() const { return state_.skips; }

  /// What a checkpoint keeps of it.
  struct State {
    double scale = LossScaleSettings::initial;
    std::size_t updates_in_a_row = 0, skips_in_a_row = 0;
    std::size_t skips = 0;  ///< in all
    bool operator==(const State&) const = default;
  };
  const State& state() const { return state_; }
  /// Goes on from there; a fixed scale stays what the settings say.
  void resume(const State& state);

  /// After an update.
  void grow();
  /// After an overflow, on all ranks alike. Throws AgreedError at max_skips skips in a row.
  void skip();

 private:
  LossScaleSettings settings_;
  State state_;
};

}  // namespace zerolab
