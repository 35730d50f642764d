#include "zerolab/partition/gradient_norm.hpp"

#include <algorithm>
#include <cmath>

#include "zerolab/core/simd.hpp"

namespace zerolab {

namespace {

__extension__ using uint128 = unsigned __int128;

/// Squares of q = 2^24 · high + low with low < 2^24, summed by product: q² = high² 2^48 + 2 high
/// low 2^24 + low². Each product is below 2^48, so 2^16 of them fit a word.
struct Products {
  std::uint64_t high_high = 0, high_low = 0, low_low = 0, not_finite = 0;
};

constexpr std::size_t block = 1024;

ZEROLAB_SIMD Products squares(const float* gradient, std::size_t n, float unit) {
  Products sum;
  for (std::size_t i = 0; i < n; ++i) {
    const float magnitude = std::abs(gradient[i]);
    const bool finite = magnitude < 0x1p17F;  // false for a NaN
    const double q = std::nearbyint(static_cast<double>(finite ? magnitude : 0.0F) * unit);
    const auto high = static_cast<std::int32_t>(q * 0x1p-24);
    const auto low = static_cast<std::int32_t>(q - high * 0x1p24);
    const auto h = static_cast<std::uint64_t>(static_cast<std::uint32_t>(high));
    const auto l = static_cast<std::uint64_t>(static_cast<std::uint32_t>(low));
    sum.high_high += h * h;
    sum.high_low += h * l;
    sum.low_low += l * l;
    sum.not_finite += finite ? 0U : 1U;
  }
  return sum;
}

float unit_of(NumberType type) {
  return type == NumberType::fp16 ? 0x1p24F : 0x1p30F;
}

}  // namespace

void SquareSum::add(ConstNumbers gradient) {
  std::array<float, block> values;
  uint128 total = 0;
  for (std::size_t i = 0; i < gradient.size; i += block) {
    const std::size_t n = std::min(block, gradient.size - i);
    widen(gradient.part(i, n), std::span(values).first(n));
    const Products sum = squares(values.data(), n, unit_of(gradient.type));
    total += (uint128{sum.high_high} << 48U) + (uint128{sum.high_low} << 25U) + sum.low_low;
    not_finite += sum.not_finite;
  }
  for (std::uint64_t& limb : limbs) {
    limb += static_cast<std::uint32_t>(total);
    total >>= 32U;
  }
}

double SquareSum::norm(NumberType type) const {
  uint128 total = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) total = (total << 32U) + limbs[i];
  return std::sqrt(static_cast<double>(total)) / unit_of(type);
}

}  // namespace zerolab
