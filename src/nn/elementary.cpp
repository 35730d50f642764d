#include "zerolab/nn/elementary.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace zerolab::portable {

namespace {

// ln 2 in two parts. The first has 33 bits, so its products with exponents (11 bits) are exact.
constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::array<double, 14> inverse_factorials = [] {
  std::array<double, 14> table{1};
  double factorial = 1;  // 13! < 2^53
  for (int n = 1; n < 14; ++n) table[static_cast<std::size_t>(n)] = 1 / (factorial *= n);
  return table;
}();

/// 2ⁿ for normal numbers.
double power_of_two(std::int64_t n) {
  return std::bit_cast<double>((n + 1023) << 52U);
}

}  // namespace

// eˣ = 2ᵏ eʳ, |r| ≤ ln2/2. The series ends at r¹³/13!, what is left is below 2^-57. With u = 2^-53
// r errs by u/4, Horner's last stages by some 2u, in units of the result's last place 1.5 at most.
double exp(double x) {
  if (!(std::abs(x) < 750)) return x > 0 ? infinity : x < 0 ? 0 : x;
  const double k = (x * 0x1.71547652b82fep0 + 0x1.8p52) - 0x1.8p52;  // x / ln2, to nearest
  const double r = (x - k * ln2_high) - k * ln2_low;
  double sum = inverse_factorials.back();
  for (std::size_t n = inverse_factorials.size() - 1; n-- > 0;)
    sum = sum * r + inverse_factorials[n];
  const auto exponent = static_cast<std::int64_t>(k), half = exponent / 2;
  return sum * power_of_two(half) * power_of_two(exponent - half);  // only the last may round
}

// x = 2ᵉ m, √½ ≤ m < √2, and with s = (m−1)/(m+1): log m = 2s (1 + s²/3 + s⁴/5 + …), s² < 0.0295.
// The terms after s²⁰/21 are below 2^-60. s errs by 2u, the sum by 1.1u, their product by u: 4.1u.
// With e ≠ 0 log m, below 0.35, is added to something twice as large: less in units of the result.
double log(double x) {
  if (!(x > 0)) return x == 0 ? -infinity : std::numeric_limits<double>::quiet_NaN();
  if (x == infinity) return x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int n = 21; n > 1; n -= 2) sum = (sum + 1.0 / n) * square;
  return exponent * ln2_high + (2 * s * (1 + sum) + exponent * ln2_low);
}

}  // namespace zerolab::portable
