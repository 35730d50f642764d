#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "zerolab/report/fraction.hpp"

// Numbers as people write them, read without rounding: 7B, 1.5e9, 80GB, 300GB/s, 500ms, 80%.

namespace zerolab {

enum class Quantity {
  count,      ///< K M B T, G like B
  bytes,      ///< B, kB … EB of 1000, KiB … EiB of 1024
  bandwidth,  ///< bytes a second: GB/s, GiB/s; Gb/s and Gbit/s are an eighth
  seconds,    ///< s, ms, us, ns; the one quantity that need not be whole, with share
  share,      ///< 80% or 0.8
};

inline constexpr Whole largest_quantity = 1'000'000'000'000'000'000;  ///< 10^18

/// What a text says, or why it says nothing.
struct Reading {
  Fraction value;
  std::string fault;  ///< empty, or half a sentence that begins with the text
};
Reading read_quantity(Quantity quantity, std::string_view text);

/// The value of a text that was read without fault.
inline Fraction value_of(Quantity quantity, std::string_view text) {
  const Reading reading = read_quantity(quantity, text);
  require(reading.fault.empty(), "{}", reading.fault);
  return reading.value;
}

/// "COUNT", "BYTES" … for help.
std::string_view word_for(Quantity quantity);
/// What may be written, for help and refusals: "bytes, like 80GB (10^9) or 80GiB (2^30)".
std::string_view examples_of(Quantity quantity);

}  // namespace zerolab
