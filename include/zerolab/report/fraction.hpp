#pragma once

#include <compare>
#include <string>

#include "zerolab/core/require.hpp"

// Exact arithmetic of the calculator: nothing is rounded before it is printed, and nothing wraps.

namespace zerolab {

__extension__ using Whole = unsigned __int128;

/// Throw Error where the result has more than 128 bits.
Whole added(Whole a, Whole b);
Whole multiplied(Whole a, Whole b);

/// ⌈a/b⌉.
constexpr Whole divided_up(Whole a, Whole b) {
  return a / b + (a % b == 0 ? 0 : 1);
}
Whole common_divisor(Whole a, Whole b);

/// A rational number from 0, in lowest terms. Arithmetic throws Error instead of overflowing.
class Fraction {
 public:
  Fraction(Whole numerator = 0, Whole denominator = 1);

  Whole numerator() const { return numerator_; }
  Whole denominator() const { return denominator_; }
  bool whole() const { return denominator_ == 1; }
  bool zero() const { return numerator_ == 0; }
  Whole rounded_up() const { return divided_up(numerator_, denominator_); }
  /// The nearest double, or a neighbour of it.
  double approximate() const {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }

  bool operator==(const Fraction&) const = default;

 private:
  Whole numerator_, denominator_;
};

Fraction operator+(const Fraction& a, const Fraction& b);
Fraction operator-(const Fraction& a, const Fraction& b);  ///< needs a >= b
Fraction operator*(const Fraction& a, const Fraction& b);
Fraction operator/(const Fraction& a, const Fraction& b);  ///< needs b > 0
std::strong_ordering operator<=>(const Fraction& a, const Fraction& b);

std::string digits(Whole number);  ///< 1234567
std::string spaced(Whole number);  ///< 1 234 567
/// "32/11", or "8" where it is whole.
std::string text(const Fraction& fraction);
/// With `significant` digits, more before the point where it has more; half rounds up, zeros at the
/// end are left out.
std::string decimal(const Fraction& fraction, int significant = 6);
/// With at most `places` digits behind the point; the rest is rounded (half up), or cut off.
std::string rounded(const Fraction& fraction, int places);
std::string cut_off(const Fraction& fraction, int places);
/// The fraction with nothing behind so many digits of its decimal form.
Fraction cut(const Fraction& fraction, int places);

}  // namespace zerolab
