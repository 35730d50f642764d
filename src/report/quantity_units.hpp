#pragma once

#include "zerolab/report/quantity.hpp"

namespace zerolab {

/// A positive factor 2^twos · 5^fives, as all units are: 10^3 is (3, 3), 2^10 (10, 0), ÷ 8 (-3, 0).
struct Factor {
  int twos = 0, fives = 0;
};
constexpr Factor ten_to(int exponent) {
  return {exponent, exponent};
}

/// What a unit multiplies by, "" included; none for one that does not belong to the quantity.
std::optional<Factor> unit_of(Quantity quantity, std::string_view name);
/// What such a unit was probably meant for, as the end of a sentence.
std::string why_not(Quantity quantity, std::string_view name);

}  // namespace zerolab
