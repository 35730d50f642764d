#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "zerolab/core/require.hpp"

// Number types and the conversions between them. Every conversion to a narrower type rounds once,
// to nearest, ties to even, with subnormals; a NaN stays a NaN; what is too large becomes an
// infinity.

namespace zerolab {

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits.
struct Half {
  std::uint16_t bits;
};

/// The upper half of a binary32: 1 sign, 8 exponent and 7 fraction bits.
struct BFloat16 {
  std::uint16_t bits;
};

/// uint8 and int32 are for data (pixels, labels) only; sums of numbers are never formed in them.
enum class NumberType : std::uint8_t { fp16, bf16, fp32, fp64, uint8, int32 };

constexpr std::size_t width(NumberType type) {
  switch (type) {
    case NumberType::fp16:
    case NumberType::bf16:
      return 2;
    case NumberType::fp64:
      return 8;
    case NumberType::uint8:
      return 1;
    case NumberType::fp32:
    case NumberType::int32:
      return 4;
  }
  return 0;
}

std::string_view name(NumberType type);

/// The NumberType of a C++ type; a type that has none does not compile.
template <class T>
inline constexpr NumberType number_type = T::has_no_number_type;
template <>
inline constexpr NumberType number_type<Half> = NumberType::fp16;
template <>
inline constexpr NumberType number_type<BFloat16> = NumberType::bf16;
template <>
inline constexpr NumberType number_type<float> = NumberType::fp32;
template <>
inline constexpr NumberType number_type<double> = NumberType::fp64;
template <>
inline constexpr NumberType number_type<std::uint8_t> = NumberType::uint8;
template <>
inline constexpr NumberType number_type<std::int32_t> = NumberType::int32;

/// A run of numbers in memory whose type is known at run time; owns nothing. Byte is std::byte or
/// const std::byte.
template <class Byte>
struct BasicNumbers {
  NumberType type = NumberType::fp32;
  Byte* data = nullptr;
  std::size_t size = 0;  ///< in elements

  /// Elements [first, first + count); throws Error when they are not all there.
  BasicNumbers part(std::size_t first, std::size_t count) const {
    require(first <= size && count <= size - first, "elements {} to {} of {}", first, first + count,
            size);
    return {type, data + first * width(type), count};
  }
  std::size_t bytes() const { return size * width(type); }

  /// The same memory as a span; throws Error when T is not the type it holds.
  template <class T>
  std::span<T> as() const {
    require(number_type<std::remove_const_t<T>> == type, "numbers of type {} read as another type",
            name(type));
    return {reinterpret_cast<T*>(data), size};
  }
};

using Numbers = BasicNumbers<std::byte>;

struct ConstNumbers : BasicNumbers<const std::byte> {
  ConstNumbers(NumberType t, const std::byte* d, std::size_t n) : BasicNumbers{t, d, n} {}
  ConstNumbers(const BasicNumbers& n) : BasicNumbers(n) {}
  ConstNumbers(const Numbers& n) : BasicNumbers{n.type, n.data, n.size} {}
};

// One number.
float to_float(Half h);
float to_float(BFloat16 b);
Half to_half(float value);
BFloat16 to_bfloat16(float value);

/// fp16, bf16 or fp32 to fp32, exactly. Here and below, sizes that differ and types not listed
/// throw Error. Uses the CPU's fp16 conversion where it has one (x86 F16C), with the bits of the
/// portable path.
void widen(ConstNumbers from, std::span<float> to);
/// The same to fp64, exactly; fp64 is copied.
void widen(ConstNumbers from, std::span<double> to);
/// fp32 to fp16, bf16 or fp32, rounded once.
void narrow(std::span<const float> from, Numbers to);
/// fp64 to fp16, bf16 or fp32, rounded once (not through fp32, which would round twice); fp64 is
/// copied.
void narrow(std::span<const double> from, Numbers to);

/// Throws Error when the CPU is set to round otherwise than to nearest, or to take subnormal
/// numbers for zero, which a library can do as it loads.
void require_ieee_arithmetic();

/// True when widen and narrow use the CPU's fp16 instructions.
bool has_hardware_half();

namespace portable {
// The same conversions without fp16 instructions; what a CPU without F16C runs, and the twin that
// tests hold against the hardware. Sizes must be equal.
void widen_half(std::span<const Half> from, std::span<float> to);
void narrow_half(std::span<const float> from, std::span<Half> to);
}  // namespace portable

}  // namespace zerolab
