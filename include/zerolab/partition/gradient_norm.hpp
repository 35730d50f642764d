#pragma once

#include <array>
#include <cstdint>

#include "zerolab/core/number.hpp"

namespace zerolab {

/// Σ q² of gradients as an integer, so that any cut over units and ranks gives the same bits. q = g
/// · 2^24 for fp16 (exact), g · 2^30 rounded for bf16 and fp32.
struct SquareSum {
  /// 128 bits in four limbs of 32, each in a 64-bit word, so that words of up to 2^32 ranks add
  /// without carrying.
  std::array<std::uint64_t, 4> limbs{};
  std::uint64_t not_finite = 0;  ///< elements that are nan, inf, or 2^17 and above

  void add(ConstNumbers gradient);
  /// √(Σ q²) in units of g, of gradients stored in `type`.
  double norm(NumberType type) const;
};

}  // namespace zerolab
