#include <algorithm>

#include "quantity_units.hpp"

namespace zerolab {

namespace {

constexpr std::string_view decimal_digits = "0123456789";

constexpr std::size_t most_digits = 38;  // that 128 bits hold

/// D · 2^twos · 5^fives with the written digits as D; of more than 38 that count the first 38.
struct Written {
  Whole digits = 0;
  Factor factor;
  bool cut = false;
};

/// The exponent at the front of `text`, which loses it; one of more than six digits, which no
/// mantissa makes up for, is as good as 10^6.
int take_exponent(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of(decimal_digits), text.size());
  std::string_view exponent = text.substr(0, size);
  text.remove_prefix(size);
  exponent.remove_prefix(std::min(exponent.find_first_not_of('0'), exponent.size()));
  if (exponent.empty()) return 0;
  return exponent.size() > 6 ? 1'000'000 : std::stoi(std::string(exponent));
}

/// The number at the front of `text`, which loses it; none when there is none.
std::optional<Written> take_number(std::string_view& text) {
  std::string digits;
  int exponent = 0;
  const auto take_digits = [&] {
    const std::size_t size = std::min(text.find_first_not_of(decimal_digits), text.size());
    digits += text.substr(0, size);
    text.remove_prefix(size);
    return static_cast<int>(size);
  };
  int written = take_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    exponent = -take_digits();
    written -= exponent;
  }
  if (written == 0) return std::nullopt;
  // An e without digits behind it is left, as a unit that does not exist.
  if (const std::size_t sign = text.substr(0, 2).find_first_of("+-") == 1 ? 2 : 1;
      (text.starts_with('e') || text.starts_with('E')) &&
      text.find_first_of(decimal_digits, sign) == sign) {
    const bool negative = text[1] == '-';
    text.remove_prefix(sign);
    exponent += (negative ? -1 : 1) * take_exponent(text);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  for (; digits.ends_with('0'); digits.pop_back()) ++exponent;
  const std::size_t more = digits.size() - std::min(digits.size(), most_digits);
  digits.resize(digits.size() - more);
  exponent += static_cast<int>(more);
  Written number{0, ten_to(digits.empty() ? 0 : exponent), more > 0};
  for (const char c : digits) number.digits = number.digits * 10 + static_cast<Whole>(c - '0');
  return number;
}

/// × 2^twos · 5^fives; none beyond 128 bits.
std::optional<Whole> times(Whole number, const Factor& factor) {
  try {
    for (int i = 0; i < factor.twos; ++i) number = multiplied(number, 2);
    for (int i = 0; i < factor.fives; ++i) number = multiplied(number, 5);
    return number;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Reading read_quantity(Quantity quantity, std::string_view text) {
  const auto fault = [&](std::string_view why) {
    return Reading{{}, fmt::format("'{}' {}; write {}", text, why, examples_of(quantity))};
  };
  std::string_view rest = text;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  std::optional<Written> number = take_number(rest);
  if (!number) return fault(text.starts_with('-') ? "is below zero" : "is not a number");
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const std::optional<Factor> unit = unit_of(quantity, rest);
  if (!unit) return fault(why_not(quantity, rest));
  Factor& factor = number->factor;
  factor = {factor.twos + unit->twos, factor.fives + unit->fives};
  if (number->digits == 0) return {};
  for (; factor.twos < 0 && number->digits % 2 == 0; ++factor.twos) number->digits /= 2;
  for (; factor.fives < 0 && number->digits % 5 == 0; ++factor.fives) number->digits /= 5;
  const bool whole = factor.twos >= 0 && factor.fives >= 0;
  const char* const many = "has more than 38 digits";
  if (!whole && number->cut && quantity != Quantity::seconds) return fault(many);
  if (!whole && quantity != Quantity::seconds && quantity != Quantity::share) {
    return fault(quantity == Quantity::count ? "is not whole" : "is not a whole number of bytes");
  }
  const auto up = times(number->digits, {std::max(factor.twos, 0), std::max(factor.fives, 0)});
  const auto down = times(1, {std::max(-factor.twos, 0), std::max(-factor.fives, 0)});
  if (!down || *down > largest_quantity) return fault("is too fine: 10^-18 is the least step");
  if (!up || Fraction(*up, *down) > Fraction(largest_quantity)) return fault("is above 10^18");
  if (number->cut) return fault(many);
  if (quantity == Quantity::share && *up > *down) return fault("is above 1, which is 100%");
  return {Fraction(*up, *down), ""};
}

}  // namespace zerolab
