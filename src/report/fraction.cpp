#include "zerolab/report/fraction.hpp"

#include <algorithm>
#include <numeric>

namespace zerolab {

namespace {

constexpr Whole most = ~Whole{0};

Whole power_of_ten(int exponent) {
  Whole power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

/// Without the zeros behind the last digit that counts, and without a bare point.
std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// The digits of a / 10^places, a point among them.
std::string with_point(Whole a, int places) {
  std::string text = digits(a);
  const auto behind = static_cast<std::size_t>(places);
  if (behind == 0) return text;
  if (text.size() <= behind) text.insert(0, behind + 1 - text.size(), '0');
  text.insert(text.size() - behind, 1, '.');
  return trimmed(text);
}

/// ⌊fraction · 10^places⌋ by long division, and whether the rest is a half or more.
std::pair<Whole, bool> scaled(const Fraction& fraction, int places) {
  Whole by = fraction.denominator();
  Whole number = fraction.numerator() / by, rest = fraction.numerator() % by;
  if (by > most / 10) rest /= 10, by /= 10;  // its last digit decides none that is shown
  for (int i = 0; i < places; ++i) {
    number = added(multiplied(number, 10), rest * 10 / by);
    rest = rest * 10 % by;
  }
  return {number, rest >= by - rest};
}

}  // namespace

Whole added(Whole a, Whole b) {
  require(a <= most - b,
          "these numbers are too large together: an exact sum has more than 128 bits");
  return a + b;
}

Whole multiplied(Whole a, Whole b) {
  require(b == 0 || a <= most / b,
          "these numbers are too large together: an exact product has more than 128 bits");
  return a * b;
}

Whole common_divisor(Whole a, Whole b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

Fraction::Fraction(Whole numerator, Whole denominator) {
  require(denominator != 0, "a division by zero");
  const Whole common = common_divisor(numerator, denominator);
  numerator_ = numerator / common;
  denominator_ = denominator / common;
}

Fraction operator+(const Fraction& a, const Fraction& b) {
  const Whole common = common_divisor(a.denominator(), b.denominator());
  const Whole to_a = b.denominator() / common, to_b = a.denominator() / common;
  return {added(multiplied(a.numerator(), to_a), multiplied(b.numerator(), to_b)),
          multiplied(a.denominator(), to_a)};
}

Fraction operator-(const Fraction& a, const Fraction& b) {
  const Whole common = common_divisor(a.denominator(), b.denominator());
  const Whole to_a = b.denominator() / common, to_b = a.denominator() / common;
  const Whole from = multiplied(a.numerator(), to_a), taken = multiplied(b.numerator(), to_b);
  require(from >= taken, "{} - {} is below zero", text(a), text(b));
  return {from - taken, multiplied(a.denominator(), to_a)};
}

Fraction operator*(const Fraction& a, const Fraction& b) {
  const Fraction left(a.numerator(), b.denominator()), right(b.numerator(), a.denominator());
  return {multiplied(left.numerator(), right.numerator()),
          multiplied(left.denominator(), right.denominator())};
}

Fraction operator/(const Fraction& a, const Fraction& b) {
  return a * Fraction(b.denominator(), b.numerator());
}

/// Whole parts first, then the reciprocals of what is left: no product that could overflow.
std::strong_ordering operator<=>(const Fraction& a, const Fraction& b) {
  const Whole whole_a = a.numerator() / a.denominator(), whole_b = b.numerator() / b.denominator();
  if (whole_a != whole_b)
    return whole_a < whole_b ? std::strong_ordering::less : std::strong_ordering::greater;
  const Whole rest_a = a.numerator() % a.denominator(), rest_b = b.numerator() % b.denominator();
  if (rest_a == 0 || rest_b == 0) {
    if (rest_a == rest_b) return std::strong_ordering::equal;
    return rest_a == 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return Fraction(b.denominator(), rest_b) <=> Fraction(a.denominator(), rest_a);
}

std::string digits(Whole number) {
  std::string text;
  do {
    text += static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
  } while (number != 0);
  std::reverse(text.begin(), text.end());
  return text;
}

std::string spaced(Whole number) {
  std::string text = digits(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ' ');
  return text;
}

std::string text(const Fraction& fraction) {
  if (fraction.whole()) return digits(fraction.numerator());
  return digits(fraction.numerator()) + "/" + digits(fraction.denominator());
}

std::string rounded(const Fraction& fraction, int places) {
  const auto [number, up] = scaled(fraction, places);
  return with_point(number + (up ? 1 : 0), places);
}

std::string cut_off(const Fraction& fraction, int places) {
  return with_point(scaled(fraction, places).first, places);
}

Fraction cut(const Fraction& fraction, int places) {
  return {scaled(fraction, places).first, power_of_ten(places)};
}

std::string decimal(const Fraction& fraction, int significant) {
  const Whole whole = fraction.numerator() / fraction.denominator();
  if (whole > 0) {
    const int before = static_cast<int>(digits(whole).size());
    return rounded(fraction, std::max(0, significant - before));
  }
  if (fraction.zero()) return "0";
  int zeros = 0;  // between the point and the first digit that counts
  for (Whole by = fraction.denominator() / 10; by >= fraction.numerator() && by > 0; by /= 10) {
    ++zeros;
  }
  return rounded(fraction, std::min(zeros + significant, 30));
}

}  // namespace zerolab
