#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "zerolab/comm/communicator.hpp"
#include "zerolab/core/number.hpp"
#include "zerolab/core/random.hpp"
#include "zerolab/core/shards.hpp"

// What the tests of sums hold results against: numbers taken apart by their closed form, sums in
// integers, roundings by counting steps. Nothing here adds floating-point numbers.

namespace zerolab {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// Memory of a type known at run time, between two guards, which differ from rank to rank; it
/// starts as NaN in every float type.
class Guarded {
 public:
  Guarded(NumberType type, std::size_t size)
      : type_(type), size_(size), bytes_(2 * guard + size * width(type), guard_of_this_rank()) {
    std::fill_n(bytes_.begin() + guard, size * width(type), std::byte{0xFF});
  }
  /// The values, each rounded to the type.
  Guarded(NumberType type, std::span<const double> values) : Guarded(type, values.size()) {
    narrow(values, numbers());
  }

  Numbers numbers() { return {type_, bytes_.data() + guard, size_}; }
  operator ConstNumbers() const { return {type_, bytes_.data() + guard, size_}; }
  bool intact() const {
    const auto is_guard = [](std::byte byte) { return byte == guard_of_this_rank(); };
    return std::all_of(bytes_.begin(), bytes_.begin() + guard, is_guard) &&
           std::all_of(bytes_.end() - guard, bytes_.end(), is_guard);
  }

 private:
  static constexpr std::ptrdiff_t guard = 64;
  static std::byte guard_of_this_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return static_cast<std::byte>(0xA0 + rank);
  }

  NumberType type_;
  std::size_t size_;
  std::vector<std::byte> bytes_;
};

inline std::vector<double> values(ConstNumbers numbers) {
  std::vector<double> result(numbers.size);
  widen(numbers, std::span(result));
  return result;
}

/// Equal bits, else the first element that differs.
inline testing::AssertionResult same_bits(ConstNumbers a, ConstNumbers b) {
  if (a.type != b.type || a.size != b.size) {
    return testing::AssertionFailure() << a.size << " and " << b.size << " elements";
  }
  const std::size_t w = width(a.type);
  for (std::size_t i = 0; i < a.size; ++i) {
    if (std::memcmp(a.data + i * w, b.data + i * w, w) == 0) continue;
    std::array<double, 2> x{};
    widen(a.part(i, 1), std::span(x).first(1));
    widen(b.part(i, 1), std::span(x).last(1));
    return testing::AssertionFailure()
           << fmt::format("{} of {} differs: {:a} and {:a}", i, a.size, x[0], x[1]);
  }
  return testing::AssertionSuccess();
}

struct Format {
  int exponent_bits, fraction_bits, grid_bits;  ///< exact sums count steps of 2^-grid_bits

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }

  /// The nearest value of this format: double counts the steps of x's binade, ties go to even.
  double nearest(double x) const {
    if (x == 0 || !std::isfinite(x)) return x;
    const int step = std::max(std::ilogb(x), 1 - bias()) - fraction_bits;
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -step)), step);
    const double beyond = std::ldexp(1.0, bias() + 1);
    return std::abs(rounded) < beyond ? rounded : std::copysign(INFINITY, x);
  }

  /// A finite pattern in steps of the grid, rounded to nearest, ties to even.
  std::int64_t steps(std::uint32_t pattern) const {
    const auto biased = static_cast<int>(pattern >> fraction_bits) & ((1 << exponent_bits) - 1);
    const std::uint32_t fraction = pattern & ((1U << fraction_bits) - 1U);
    const std::uint64_t significand = fraction + (biased == 0 ? 0U : 1U << fraction_bits);
    const int shift = std::max(biased, 1) - bias() - fraction_bits + grid_bits;
    std::uint64_t steps = shift >= 0 ? significand << shift : 0;
    if (shift < 0 && shift > -32) {
      const std::uint64_t half = std::uint64_t{1} << (-shift - 1);
      const std::uint64_t rest = significand & (2 * half - 1);
      steps = significand >> -shift;
      if (rest > half || (rest == half && steps % 2 == 1)) ++steps;
    }
    const bool negative = pattern >> (exponent_bits + fraction_bits) != 0;
    return negative ? -static_cast<std::int64_t>(steps) : static_cast<std::int64_t>(steps);
  }

  /// `total` steps of the grid divided by sixteenths / 16 in double, ties to even, all in integers,
  /// then rounded to this format. A total of 0 gives +0.
  double average(int128 total, std::uint64_t sixteenths) const {
    if (total == 0) return 0.0;
    constexpr int shift = 64;  // at least 59 bits for a divisor of at most 32
    const uint128 dividend = static_cast<uint128>(total < 0 ? -total : total) << (shift + 4);
    const uint128 quotient = dividend / sixteenths;
    const bool inexact = dividend % sixteenths != 0;
    int cut = 0;
    while (quotient >> (53 + cut) != 0) ++cut;
    const uint128 half = uint128{1} << (cut - 1), rest = quotient & (2 * half - 1);
    uint128 kept = quotient >> cut;
    if (rest > half || (rest == half && (inexact || kept % 2 == 1))) ++kept;
    const double x =
        std::ldexp(static_cast<double>(static_cast<std::uint64_t>(kept)), cut - shift - grid_bits);
    return nearest(total < 0 ? -x : x);
  }
};

inline Format format_of(NumberType type) {
  if (type == NumberType::fp16) return {5, 10, 24};
  return {8, type == NumberType::bf16 ? 7 : 23, 36};
}

/// Contribution c of `of` to element `index`, anywhere in the range of exact sums, subnormals
/// included. Of 16 elements one gets -0 from everyone, and one sums to zero by pairs.
inline std::uint32_t contribution(NumberType type, std::size_t index, std::size_t c,
                                  std::size_t of) {
  const int sign_bit = type == NumberType::fp32 ? 31 : 15;
  const bool pairs = index % 16 == 1;
  if (index % 16 == 0 || (pairs && c % 2 == 0 && c + 1 == of)) return 1U << sign_bit;
  const std::uint64_t bits = random_bits(pairs ? c / 2 : c, index);
  auto magnitude = static_cast<std::uint32_t>(bits) & 0x7FFFU;
  if (type == NumberType::fp16) {
    if (magnitude >= 0x7C00U) magnitude -= 0x4000U;
  } else {
    const std::uint64_t lowest = (bits >> 32U) % 4 == 0 ? 0 : 127 - 40;
    const std::uint64_t highest = 127 + 16 - static_cast<std::uint64_t>(std::bit_width(of - 1));
    const auto exponent =
        static_cast<std::uint32_t>(lowest + (bits >> 34U) % (highest - lowest + 1));
    magnitude = exponent << 23U | (static_cast<std::uint32_t>(bits) & 0x7F'FFFFU);
    if (type == NumberType::bf16) magnitude >>= 16U;
  }
  const std::uint32_t sign = pairs ? c & 1U : static_cast<std::uint32_t>(bits >> 31U) & 1U;
  return sign << sign_bit | magnitude;
}

/// Everyone's contributions to elements [first, first + size), summed and divided by
/// sixteenths / 16.
inline Guarded exact_average(NumberType type, std::size_t first, std::size_t size,
                             std::size_t contributions, std::uint64_t sixteenths) {
  const Format format = format_of(type);
  std::vector<double> averages(size);
  for (std::size_t i = 0; i < size; ++i) {
    int128 total = 0;
    for (std::size_t c = 0; c < contributions; ++c)
      total += format.steps(contribution(type, first + i, c, contributions));
    averages[i] = format.average(total, sixteenths);
  }
  return {type, averages};
}

}  // namespace zerolab
