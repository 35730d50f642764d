#include "zerolab/core/number.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cfloat>

#include "zerolab/core/simd.hpp"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "zerolab needs IEEE arithmetic: remove -ffast-math, -Ofast or -ffinite-math-only"
#endif
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16  // 16: as 0, with a type of its own for fp16
#error "zerolab needs float and double to round as such: -msse2 -mfpmath=sse, not the x87 unit"
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define ZEROLAB_F16C __attribute__((target("avx,f16c")))
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace zerolab {

std::string_view name(NumberType type) {
  static constexpr std::array<std::string_view, 6> names{"fp16", "bf16",  "fp32",
                                                         "fp64", "uint8", "int32"};
  return names[static_cast<std::size_t>(type)];
}

namespace {

constexpr std::uint32_t sign_bit = 0x8000'0000U, infinity = 0x7F80'0000U, quiet = 0x0040'0000U;

std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// `value` if it is a float, else the one of its two neighbours whose last bit is 1. Such a float
// lies on a tie of a narrower type only if `value` does, so the next rounding is the only one
// (Boldo and Melquiond 2008). Within one sign, bits are ordered as magnitudes are, up to infinity.
float rounded_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto exact = std::bit_cast<std::int64_t>(value);
  const auto back = std::bit_cast<std::int64_t>(static_cast<double>(nearest));
  const auto outwards =
      static_cast<std::int32_t>(std::int64_t{exact > back} - std::int64_t{exact < back});
  const std::uint32_t bits = bits_of(nearest), even = (bits & 1U) - 1U;  // all ones if even
  return std::bit_cast<float>(bits + (static_cast<std::uint32_t>(outwards) & even));
}

}  // namespace

// One number. Choices are written as selections between finished values, so that loops over them
// become vector code; a NaN keeps its sign and the upper part of its payload, as the CPU has it.

float to_float(Half h) {
  const std::uint32_t sign = (h.bits & 0x8000U) << 16U, magnitude = h.bits & 0x7FFFU;
  const std::uint32_t normal = (magnitude << 13U) + ((127U - 15U) << 23U);
  const std::uint32_t special = (magnitude << 13U) | infinity | (magnitude > 0x7C00U ? quiet : 0U);
  // A subnormal counts steps of 2^-24.
  const std::uint32_t subnormal =
      bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F);
  const std::uint32_t finite = magnitude < 0x0400U ? subnormal : normal;
  return std::bit_cast<float>(sign | (magnitude < 0x7C00U ? finite : special));
}

float to_float(BFloat16 b) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(b.bits) << 16U);
}

Half to_half(float value) {
  const std::uint32_t sign = bits_of(value) & sign_bit, magnitude = bits_of(value) ^ sign;
  // Below a tie adds less than one unit, above it more; at the tie the last bit kept decides.
  const std::uint32_t tie = 0x0FFFU + ((magnitude >> 13U) & 1U);
  const std::uint32_t normal = (magnitude - ((127U - 15U) << 23U) + tie) >> 13U;
  // Floats from 0.5 to 1 lie 2^-24 apart, as subnormal halves do: the addition rounds.
  const std::uint32_t subnormal = bits_of(std::bit_cast<float>(magnitude) + 0.5F) - bits_of(0.5F);
  const std::uint32_t nan = 0x7E00U | ((magnitude >> 13U) & 0x01FFU);
  const std::uint32_t finite = magnitude < bits_of(0x1p-14F) ? subnormal : normal;
  const std::uint32_t special = magnitude > infinity ? nan : 0x7C00U;
  const std::uint32_t bits = magnitude < bits_of(65520.0F) ? finite : special;
  return {static_cast<std::uint16_t>(sign >> 16U | bits)};
}

BFloat16 to_bfloat16(float value) {
  const std::uint32_t bits = bits_of(value), tie = 0x7FFFU + ((bits >> 16U) & 1U);
  const bool nan = (bits & ~sign_bit) > infinity;
  return {static_cast<std::uint16_t>((nan ? bits | quiet : bits + tie) >> 16U)};
}

// Many numbers.
namespace portable {

void widen_half(std::span<const Half> from, std::span<float> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = to_float(from[i]);
}

void narrow_half(std::span<const float> from, std::span<Half> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = to_half(from[i]);
}

}  // namespace portable

namespace {

ZEROLAB_SIMD void widen_bfloat16(const BFloat16* from, float* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] = to_float(from[i]);
}

ZEROLAB_SIMD void narrow_bfloat16(const float* from, BFloat16* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] = to_bfloat16(from[i]);
}

ZEROLAB_SIMD void widen_float(const float* from, double* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
}

ZEROLAB_SIMD void narrow_double(const double* from, float* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<float>(from[i]);
}

ZEROLAB_SIMD void narrow_double_to_odd(const double* from, float* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] = rounded_to_odd(from[i]);
}

#ifdef ZEROLAB_F16C

ZEROLAB_F16C void widen_half(std::span<const Half> from, std::span<float> to) {
  std::size_t i = 0;
  for (; i + 8 <= from.size(); i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from.data() + i));
    _mm256_storeu_ps(to.data() + i, _mm256_cvtph_ps(halves));
  }
  for (; i < from.size(); ++i) to[i] = to_float(from[i]);
}

ZEROLAB_F16C void narrow_half(std::span<const float> from, std::span<Half> to) {
  std::size_t i = 0;
  for (; i + 8 <= from.size(); i += 8) {
    const __m256 floats = _mm256_loadu_ps(from.data() + i);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to.data() + i),
                     _mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < from.size(); ++i) to[i] = to_half(from[i]);
}

// Not every compiler's __builtin_cpu_supports knows f16c; it does ask the system about AVX.
bool cpu_has_half() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}

#else

using portable::narrow_half;
using portable::widen_half;
bool cpu_has_half() {
  return false;
}

#endif

constexpr std::size_t block = 512;  // floats between two steps, in the first cache

}  // namespace

void require_ieee_arithmetic() {
  // Half the least normal number, a subnormal one; volatile: computed here and now.
  const volatile float least = 0x1p-126F, half = 0.5F;
  const float subnormal = least * half;
  require(std::fegetround() == FE_TONEAREST, "the CPU does not round to nearest");
  require(std::bit_cast<std::uint32_t>(subnormal) != 0 && subnormal + subnormal == least,
          "the CPU takes subnormal numbers for zero, as libraries built with -ffast-math set it");
}

bool has_hardware_half() {
  static const bool has = cpu_has_half();
  return has;
}

void widen(ConstNumbers from, std::span<float> to) {
  require(from.size == to.size(), "{} numbers cannot be widened to {}", from.size, to.size());
  if (from.type == NumberType::fp16) {
    const auto convert = has_hardware_half() ? widen_half : portable::widen_half;
    convert(from.as<const Half>(), to);
  } else if (from.type == NumberType::bf16) {
    widen_bfloat16(from.as<const BFloat16>().data(), to.data(), to.size());
  } else {
    std::ranges::copy(from.as<const float>(), to.begin());
  }
}

void widen(ConstNumbers from, std::span<double> to) {
  require(from.size == to.size(), "{} numbers cannot be widened to {}", from.size, to.size());
  if (from.type == NumberType::fp64) {
    std::ranges::copy(from.as<const double>(), to.begin());
    return;
  }
  std::array<float, block> floats;
  for (std::size_t first = 0; first < to.size(); first += block) {
    const std::size_t count = std::min(block, to.size() - first);
    widen(from.part(first, count), std::span(floats).first(count));
    widen_float(floats.data(), to.data() + first, count);
  }
}

void narrow(std::span<const float> from, Numbers to) {
  require(from.size() == to.size, "{} numbers cannot be narrowed to {}", from.size(), to.size);
  if (to.type == NumberType::fp16) {
    const auto convert = has_hardware_half() ? narrow_half : portable::narrow_half;
    convert(from, to.as<Half>());
  } else if (to.type == NumberType::bf16) {
    narrow_bfloat16(from.data(), to.as<BFloat16>().data(), from.size());
  } else {
    std::ranges::copy(from, to.as<float>().begin());
  }
}

void narrow(std::span<const double> from, Numbers to) {
  require(from.size() == to.size, "{} numbers cannot be narrowed to {}", from.size(), to.size);
  if (to.type == NumberType::fp64) {
    std::ranges::copy(from, to.as<double>().begin());
    return;
  }
  if (to.type == NumberType::fp32) {
    narrow_double(from.data(), to.as<float>().data(), from.size());
    return;
  }
  std::array<float, block> odd;
  for (std::size_t first = 0; first < from.size(); first += block) {
    const std::size_t count = std::min(block, from.size() - first);
    narrow_double_to_odd(from.data() + first, odd.data(), count);
    narrow(std::span<const float>(odd).first(count), to.part(first, count));
  }
}

}  // namespace zerolab
