#include "zerolab/partition/gradient_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "zerolab/core/simd.hpp"

namespace zerolab {

namespace {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// Numbers are squared in blocks, each in its lane of a vector register.
constexpr std::size_t lanes = 16, squared_at_a_time = 64 * lanes;

/// With g = high + low, high a multiple of 2^24 units and |low| ≤ 2^23 units: g² = high² + 2 high
/// low + low². Below 2^47 units each product is a multiple of its own unit, at most 2^46 of them,
/// so the 64 of a lane add in a double without rounding.
struct Products {
  std::array<double, lanes> high_high{}, high_low{}, low_low{};
  std::array<float, lanes> not_finite{};
};

ZEROLAB_SIMD void add_squares(const float* gradient, double unit, Products& sum) {
  // Added and subtracted, these round to units and to multiples of 2^24 units, ties to even.
  const double fine = 0x1.8p52 * unit, coarse = 0x1p24 * fine;
  for (std::size_t i = 0; i < squared_at_a_time; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const float magnitude = std::abs(gradient[i + k]);
      const bool finite = magnitude < 0x1p17F;  // false for a NaN
      const double g = (double{finite ? magnitude : 0.0F} + fine) - fine;
      const double high = (g + coarse) - coarse;
      const double low = g - high;
      sum.high_high[k] += high * high;
      sum.high_low[k] += high * low;
      sum.low_low[k] += low * low;
      sum.not_finite[k] += finite ? 0.0F : 1.0F;
    }
  }
}

/// The sum of multiples of 1 / per_one, in that unit.
template <class Lanes>
std::int64_t count(const Lanes& sums, double per_one) {
  std::int64_t count = 0;
  for (const double sum : sums) count += static_cast<std::int64_t>(sum * per_one);
  return count;
}

double unit_of(NumberType type) {
  return type == NumberType::fp16 ? 0x1p-24 : 0x1p-30;
}

}  // namespace

void SquareSum::add(ConstNumbers gradient) {
  alignas(64) std::array<float, squared_at_a_time> values;
  const double unit = unit_of(gradient.type), per_one = 1 / (unit * unit);
  int128 sum = 0;
  for (std::size_t i = 0; i < gradient.size; i += squared_at_a_time) {
    const std::size_t n = std::min(squared_at_a_time, gradient.size - i);
    widen(gradient.part(i, n), std::span(values).first(n));
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(n), values.end(), 0.0F);
    Products products;
    add_squares(values.data(), unit, products);
    sum += int128{count(products.high_high, 0x1p-48 * per_one)} << 48U;
    sum += int128{count(products.high_low, 0x1p-24 * per_one)} * (1 << 25U);
    sum += count(products.low_low, per_one);
    not_finite += static_cast<std::uint64_t>(count(products.not_finite, 1));
  }
  auto total = static_cast<uint128>(sum);
  for (std::uint64_t& limb : limbs) {
    limb += static_cast<std::uint32_t>(total);
    total >>= 32U;
  }
}

double SquareSum::norm(NumberType type) const {
  uint128 total = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) total = (total << 32U) + limbs[i];
  return std::sqrt(static_cast<double>(total)) * unit_of(type);
}

}  // namespace zerolab
