#include "zerolab/report/quantity.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace zerolab {

namespace {

constexpr std::string_view decimal_digits = "0123456789";

/// A positive factor 2^twos · 5^fives, as all units are: 10^3 is (3, 3), 2^10 (10, 0), ÷ 8 (-3, 0).
struct Factor {
  int twos = 0, fives = 0;
};
constexpr Factor ten_to(int exponent) {
  return {exponent, exponent};
}

/// D · 2^twos · 5^fives with the written digits as D.
struct Written {
  Whole digits = 0;
  Factor factor;
};

/// The number at the front of `text`, which loses it; none when there is none, or one of more than
/// 38 digits that count or an exponent of more than three.
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
    const std::size_t size = std::min(text.find_first_not_of(decimal_digits), text.size());
    if (size > 3) return std::nullopt;
    exponent += (negative ? -1 : 1) * std::stoi(std::string(text.substr(0, size)));
    text.remove_prefix(size);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  for (; digits.ends_with('0'); digits.pop_back()) ++exponent;
  if (digits.size() > 38) return std::nullopt;
  Written number{0, ten_to(digits.empty() ? 0 : exponent)};
  for (const char c : digits) number.digits = number.digits * 10 + static_cast<Whole>(c - '0');
  return number;
}

struct Unit {
  std::string_view name;
  Factor factor;
};

constexpr std::string_view prefixes = "KMGTPE";

/// k, M … by which `text` begins, and what is left of it.
std::optional<Factor> take_prefix(std::string_view& text) {
  const char letter = text.starts_with('k') ? 'K' : text.empty() ? ' ' : text.front();
  const std::size_t found = prefixes.find(letter);
  if (found == std::string_view::npos) return std::nullopt;
  text.remove_prefix(1);
  const int power = static_cast<int>(found) + 1;
  if (!text.starts_with('i')) return ten_to(3 * power);
  text.remove_prefix(1);
  return Factor{10 * power, 0};
}

/// The factor of a unit whose name ends in one of `names`, a prefix before it or not.
std::optional<Factor> prefixed(std::string_view text, const std::vector<Unit>& names) {
  for (const bool with_prefix : {true, false}) {
    std::string_view rest = text;
    const std::optional<Factor> prefix = with_prefix ? take_prefix(rest) : Factor{};
    if (!prefix) continue;
    for (const Unit& unit : names) {
      if (rest != unit.name) continue;
      return Factor{prefix->twos + unit.factor.twos, prefix->fives + unit.factor.fives};
    }
  }
  return std::nullopt;
}

const std::vector<Unit> byte_units{{"B", {}}, {"bytes", {}}};
const std::vector<Unit> byte_rates{{"B/s", {}}, {"Bps", {}}, {"bytes/s", {}}};
const std::vector<Unit> bit_units{{"b", {}}, {"bit", {}}, {"bits", {}}};
const std::vector<Unit> bit_rates{
    {"b/s", {-3, 0}}, {"bps", {-3, 0}}, {"bit/s", {-3, 0}}, {"bits/s", {-3, 0}}};

std::optional<Factor> unit_of(Quantity quantity, std::string_view name) {
  const auto among = [&](const std::vector<Unit>& units) -> std::optional<Factor> {
    const auto found = std::ranges::find(units, name, &Unit::name);
    if (found == units.end()) return std::nullopt;
    return found->factor;
  };
  if (name.empty()) return Factor{};
  switch (quantity) {
    case Quantity::count:
      return among({{"K", ten_to(3)},
                    {"k", ten_to(3)},
                    {"M", ten_to(6)},
                    {"B", ten_to(9)},
                    {"G", ten_to(9)},
                    {"T", ten_to(12)}});
    case Quantity::bytes:
      return prefixed(name, byte_units);
    case Quantity::bandwidth: {
      const std::optional<Factor> bytes = prefixed(name, byte_rates);
      return bytes ? bytes : prefixed(name, bit_rates);
    }
    case Quantity::seconds:
      return among({{"s", {}},
                    {"ms", ten_to(-3)},
                    {"us", ten_to(-6)},
                    {"µs", ten_to(-6)},
                    {"ns", ten_to(-9)}});
    case Quantity::share:
      return among({{"%", ten_to(-2)}});
  }
  return std::nullopt;
}

/// What a unit that does not belong here was probably meant for.
std::string why_not(Quantity quantity, std::string_view name) {
  const bool of_bytes = prefixed(name, byte_units).has_value();
  const bool of_bits = prefixed(name, bit_units).has_value();
  const bool rate = prefixed(name, byte_rates) || prefixed(name, bit_rates);
  std::string_view rest = name;
  const bool bare_prefix = take_prefix(rest) && rest.empty();
  switch (quantity) {
    case Quantity::count:
      if (of_bytes || of_bits || rate) return "has a unit of bytes or bits, and this counts";
      break;
    case Quantity::bytes:
      if (of_bits) return "is in bits, and this is in bytes";
      if (rate) return "is a bandwidth, and this is in bytes";
      if (bare_prefix) return "has no B for bytes";
      break;
    case Quantity::bandwidth:
      if (of_bytes || of_bits) return "has no /s, and this is a bandwidth";
      if (bare_prefix) return "does not say whether of bytes or of bits a second";
      break;
    default:
      break;
  }
  return fmt::format("has an unknown unit '{}'", name);
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
  if (!whole && quantity != Quantity::seconds && quantity != Quantity::share) {
    return fault(quantity == Quantity::count ? "is not whole" : "is not a whole number of bytes");
  }
  const auto up = times(number->digits, {std::max(factor.twos, 0), std::max(factor.fives, 0)});
  const auto down = times(1, {std::max(-factor.twos, 0), std::max(-factor.fives, 0)});
  if (!down || *down > largest_quantity) return fault("is too fine: 10^-18 is the least step");
  if (!up || Fraction(*up, *down) > Fraction(largest_quantity)) return fault("is above 10^18");
  if (quantity == Quantity::share && *up > *down) return fault("is above 1, which is 100%");
  return {Fraction(*up, *down), ""};
}

std::string_view examples_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::count:
      return "a count like 7000000000, 7e9 or 7B (K, M, B, T)";
    case Quantity::bytes:
      return "bytes like 80e9, 80GB (10^9) or 80GiB (2^30)";
    case Quantity::bandwidth:
      return "a bandwidth like 300GB/s, 300e9 (bytes a second) or 10Gb/s (bits)";
    case Quantity::seconds:
      return "seconds like 10, 10s or 500ms";
    case Quantity::share:
      return "a share like 80% or 0.8";
  }
  return "";
}

}  // namespace zerolab
