// Units of the quantities, and what is said of those that do not belong.
#include "quantity_units.hpp"

#include <algorithm>
#include <vector>

namespace zerolab {

namespace {

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

}  // namespace

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

std::string_view word_for(Quantity quantity) {
  switch (quantity) {
    case Quantity::count:
      return "COUNT";
    case Quantity::bytes:
      return "BYTES";
    case Quantity::bandwidth:
      return "BYTES/s";
    case Quantity::seconds:
      return "SECONDS";
    case Quantity::share:
      return "SHARE";
  }
  return "";
}

std::string_view examples_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::count:
      return "a count like 7000000000, 7e9 or 7B (K, M, B or G, T)";
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
