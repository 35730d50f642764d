// Number conversions against four oracles that share nothing with them: the closed form of a
// pattern's value, the order of neighbouring numbers, arithmetic in double, and the CPU's own
// instructions.
#include "zerolab/core/number.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace zerolab {
namespace {

struct Format {
  NumberType type;
  int exponent_bits, fraction_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  unsigned infinity() const { return ((1U << exponent_bits) - 1U) << fraction_bits; }
  bool is_nan(unsigned pattern) const { return (pattern & 0x7FFFU) > infinity(); }

  /// The value of a positive pattern; infinity's is the number that would follow the largest.
  double value(unsigned pattern) const {
    const int exponent = static_cast<int>(pattern >> fraction_bits);
    const int fraction = static_cast<int>(pattern & ((1U << fraction_bits) - 1U));
    const int leading = exponent == 0 ? 0 : 1 << fraction_bits;
    return std::ldexp(leading + fraction, std::max(exponent, 1) - bias() - fraction_bits);
  }

  /// The nearest value of this format: double counts the steps of x's binade, ties go to even.
  double nearest(double x) const {
    if (x == 0 || std::isinf(x)) return x;
    const int step = std::max(std::ilogb(x), 1 - bias()) - fraction_bits;
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -step)), step);
    return std::abs(rounded) < value(infinity()) ? rounded : std::copysign(INFINITY, x);
  }
};

constexpr Format half{NumberType::fp16, 5, 10}, bfloat{NumberType::bf16, 8, 7};
constexpr Format single{NumberType::fp32, 8, 23};

using Patterns = std::vector<std::uint16_t>;

/// The patterns of a 16-bit type from element `start` on.
Numbers numbers(NumberType type, std::span<std::uint16_t> patterns, std::size_t start = 0) {
  return Numbers{type, std::as_writable_bytes(patterns).data(), patterns.size()}.part(
      start, patterns.size() - start);
}

template <class Wide>
Patterns narrowed(NumberType type, std::span<const Wide> values) {
  Patterns patterns(values.size());
  narrow(values, numbers(type, patterns));
  return patterns;
}

template <class Wide>
std::vector<Wide> widened(NumberType type, Patterns patterns) {
  std::vector<Wide> values(patterns.size());
  widen(numbers(type, patterns), std::span(values));
  return values;
}

unsigned one(NumberType type, float value) {
  return type == NumberType::fp16 ? to_half(value).bits : to_bfloat16(value).bits;
}

float one(NumberType type, std::uint16_t bits) {
  return type == NumberType::fp16 ? to_float(Half{bits}) : to_float(BFloat16{bits});
}

/// Values and the patterns they must become; both signs are checked, the first fault is shown.
template <class Wide>
struct Cases {
  std::vector<Wide> values;
  Patterns patterns;

  void add(double value, unsigned pattern) {
    ASSERT_EQ(static_cast<double>(static_cast<Wide>(value)), value) << "the case itself is rounded";
    for (const unsigned sign : {0U, 0x8000U}) {
      values.push_back(static_cast<Wide>(sign == 0 ? value : -value));
      patterns.push_back(static_cast<std::uint16_t>(sign | pattern));
    }
  }

  void check(NumberType type) const {
    const Patterns actual = narrowed<Wide>(type, values);
    std::size_t faults = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (actual[i] == patterns[i] || ++faults > 1) continue;
      ADD_FAILURE() << fmt::format("{:a} became {:#06x} instead of {:#06x}", values[i], actual[i],
                                   patterns[i]);
    }
    EXPECT_EQ(faults, 0U) << "of " << values.size() << " cases";
  }
};

class SixteenBits : public testing::TestWithParam<Format> {};

INSTANTIATE_TEST_SUITE_P(Number, SixteenBits, testing::Values(half, bfloat),
                         [](const auto& test) { return std::string(name(test.param.type)); });

// Every pattern widens to its closed form, in fp32 and fp64, and narrows back to itself; NaN to
// NaN.
TEST_P(SixteenBits, EveryPatternRoundTrips) {
  const Format format = GetParam();
  Patterns patterns(65536);
  for (unsigned p = 0; p < 65536; ++p) patterns[p] = static_cast<std::uint16_t>(p);
  const std::vector<float> floats = widened<float>(format.type, patterns);
  const std::vector<double> doubles = widened<double>(format.type, patterns);
  const Patterns from_floats = narrowed<float>(format.type, floats);
  const Patterns from_doubles = narrowed<double>(format.type, doubles);
  for (unsigned p = 0; p < 65536; ++p) {
    ASSERT_EQ(std::signbit(floats[p]), p >= 0x8000U) << p;
    ASSERT_EQ(std::signbit(doubles[p]), p >= 0x8000U) << p;
    if (format.is_nan(p)) {
      ASSERT_TRUE(std::isnan(floats[p]) && std::isnan(doubles[p])) << p;
      ASSERT_TRUE(format.is_nan(from_floats[p]) && format.is_nan(from_doubles[p])) << p;
      continue;
    }
    const unsigned magnitude = p & 0x7FFFU;
    const double value = magnitude == format.infinity() ? INFINITY : format.value(magnitude);
    ASSERT_EQ(std::abs(static_cast<double>(floats[p])), value) << p;
    ASSERT_EQ(std::abs(doubles[p]), value) << p;
    ASSERT_EQ(from_floats[p], p);
    ASSERT_EQ(from_doubles[p], p);
    ASSERT_EQ(one(format.type, floats[p]), p);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(one(format.type, patterns[p])),
              std::bit_cast<std::uint32_t>(floats[p]));
  }
}

// Around every midpoint of two neighbours: just below goes down, just above goes up, the tie to
// even.
template <class Wide>
void check_midpoints(const Format& format) {
  Cases<Wide> cases;
  for (unsigned p = 0; p < format.infinity(); ++p) {
    const double middle = (format.value(p) + format.value(p + 1)) / 2;
    const Wide tie = static_cast<Wide>(middle);
    cases.add(static_cast<double>(std::nextafter(tie, Wide{0})), p);
    cases.add(middle, p + p % 2);
    cases.add(static_cast<double>(std::nextafter(tie, std::numeric_limits<Wide>::max())), p + 1);
  }
  cases.check(format.type);
}

TEST_P(SixteenBits, EveryMidpointOfFloats) {
  check_midpoints<float>(GetParam());
}

// A double one step off a midpoint is what fp32 on the way would swallow: 31743 and 32640 traps.
TEST_P(SixteenBits, EveryMidpointOfDoubles) {
  check_midpoints<double>(GetParam());
}

// Anywhere else: random patterns of fp32 and of fp64 around the format's range, by steps counted in
// double.
TEST_P(SixteenBits, RandomValuesGoToTheNearest) {
  const Format format = GetParam();
  std::mt19937_64 random(1);
  std::vector<float> floats;
  std::vector<double> doubles;
  for (int i = 0; i < 200'000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    floats.push_back(std::isnan(value) ? 0.0F : value);
    const double significand = std::bit_cast<double>(0x3FF0'0000'0000'0000U | random() >> 12U);
    const double x = std::ldexp(significand, i % (2 * format.bias() + 40) - format.bias() - 30);
    doubles.push_back(i % 3 == 0 ? -x : x);
  }
  const auto check = [&](const auto& values, const Patterns& patterns) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_FALSE(format.is_nan(patterns[i])) << values[i];
      const auto result = static_cast<double>(one(format.type, patterns[i]));
      ASSERT_EQ(result, format.nearest(static_cast<double>(values[i]))) << values[i];
      ASSERT_EQ(std::signbit(result), std::signbit(values[i])) << values[i];
    }
  };
  check(floats, narrowed<float>(format.type, floats));
  check(doubles, narrowed<double>(format.type, doubles));
}

// A NaN whose payload lies only in bits that are cut off is still a NaN, with its sign.
TEST_P(SixteenBits, NaNStaysNaN) {
  const Format format = GetParam();
  std::vector<float> floats;
  std::vector<double> doubles;
  for (unsigned bit = 0; bit < 52; ++bit) {
    const std::uint64_t low = (std::uint64_t{2} << bit) - 1U, only = std::uint64_t{1} << bit;
    for (const std::uint64_t payload : {low, only}) {
      for (const std::uint64_t sign : {0x7FF0U, 0xFFF0U})
        doubles.push_back(std::bit_cast<double>(sign << 48U | payload));
      if (bit >= 23) continue;
      for (const std::uint32_t sign : {0x7F80'0000U, 0xFF80'0000U})
        floats.push_back(std::bit_cast<float>(sign | static_cast<std::uint32_t>(payload)));
    }
  }
  const auto check = [&](std::size_t size, const Patterns& patterns) {
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_TRUE(format.is_nan(patterns[i])) << i;
      EXPECT_EQ(patterns[i] >= 0x8000U, i % 2 == 1) << i;
    }
  };
  check(floats.size(), narrowed<float>(format.type, floats));
  check(doubles.size(), narrowed<double>(format.type, doubles));
  for (const float nan : floats) EXPECT_TRUE(format.is_nan(one(format.type, nan)));
}

// The cases that other programs got wrong, as bits.
TEST(Number, HardCases) {
  const auto fp16 = [](std::uint32_t bits) { return to_half(std::bit_cast<float>(bits)).bits; };
  const auto bf16 = [](std::uint32_t bits) { return to_bfloat16(std::bit_cast<float>(bits)).bits; };
  EXPECT_EQ(fp16(0x3300'0000), 0x0000);  // 2^-25: a tie between 0 and the smallest
  for (const std::uint32_t bits : {0x3300'0001U, 0x3340'0000U, 0x3380'0000U})
    EXPECT_EQ(fp16(bits), 0x0001);
  EXPECT_EQ(fp16(0x387F'E000), 0x0400);  // a tie between the largest subnormal and 2^-14
  EXPECT_EQ(to_half(65519.99F).bits, 0x7BFF);
  EXPECT_EQ(to_half(65520.0F).bits, 0x7C00);
  EXPECT_EQ(to_half(-65520.0F).bits, 0xFC00);
  EXPECT_EQ(to_half(-0.0F).bits, 0x8000);
  for (const std::uint32_t sign : {0U, 0x8000U}) {
    EXPECT_EQ(bf16(sign << 16U | 0x3E89'CCD5), sign | 0x3E8A);
    EXPECT_EQ(bf16(sign << 16U | 0x3F80'8000), sign | 0x3F80);
    EXPECT_EQ(bf16(sign << 16U | 0x3F81'8000), sign | 0x3F82);
    EXPECT_EQ(bf16(sign << 16U | 0x7F7F'FFFF), sign | 0x7F80);
    EXPECT_GT(bf16(sign << 16U | 0x7F80'0001), sign | 0x7F80);
  }
}

// fp64 is rounded once: these differ from what comes of rounding to fp32 first.
TEST(Number, DoubleRoundingTraps) {
  struct Trap {
    NumberType type;
    double value;
    unsigned pattern;
  };
  for (const Trap& trap : {
           Trap{NumberType::fp16, 1 + 0x1p-11 + 0x1p-40, 0x3C01},
           Trap{NumberType::fp16, 1 + 0x1p-10 + 0x1p-11 - 0x1p-40, 0x3C01},
           Trap{NumberType::fp16, 0x1p-25 + 0x1p-77, 0x0001},
           Trap{NumberType::fp16, 65520 - 0x1p-30, 0x7BFF},
           Trap{NumberType::bf16, 1 + 0x1p-8 + 0x1p-40, 0x3F81},
           Trap{NumberType::bf16, 0x1p-134 + 0x1p-180, 0x0001},        // below fp32's 2^-149 steps
           Trap{NumberType::bf16, 0x1p-133 * 1.5 - 0x1p-170, 0x0001},  // the same from below
           Trap{NumberType::bf16, 0x1p128 - 0x1p119 - 0x1p90, 0x7F7F},
       }) {
    EXPECT_EQ(narrowed<double>(trap.type, std::array{trap.value})[0], trap.pattern) << trap.value;
    EXPECT_NE(one(trap.type, static_cast<float>(trap.value)), trap.pattern) << "is no trap";
  }
  for (const NumberType type : {NumberType::fp16, NumberType::bf16}) {
    const unsigned infinity = type == NumberType::fp16 ? 0x7C00 : 0x7F80;
    const std::array values{5e-324, -1e-300, 1e300, -1e300, 0x1p128 - 0x1p76, double{INFINITY}};
    const Patterns expected{0,
                            0x8000,
                            static_cast<std::uint16_t>(infinity),
                            static_cast<std::uint16_t>(infinity | 0x8000U),
                            static_cast<std::uint16_t>(infinity),
                            static_cast<std::uint16_t>(infinity)};
    EXPECT_EQ(narrowed<double>(type, values), expected) << name(type);
  }
}

// fp64 to fp32 around midpoints, subnormal to the largest, and back.
TEST(Number, DoubleToFloat) {
  std::vector<double> values;
  std::vector<float> expected;
  const auto value = [](std::uint32_t p) {
    return p < single.infinity() ? std::bit_cast<float>(p) : std::numeric_limits<float>::infinity();
  };
  for (std::uint32_t p = 0; p < single.infinity(); p += 65535) {  // the last is the largest
    const double tie = (single.value(p) + single.value(p + 1)) / 2;
    values.insert(values.end(), {std::nextafter(tie, 0.0), tie, std::nextafter(tie, INFINITY)});
    expected.insert(expected.end(), {value(p), value(p + p % 2), value(p + 1)});
  }
  std::vector<float> actual(values.size());
  narrow(
      std::span<const double>(values),
      Numbers{NumberType::fp32, std::as_writable_bytes(std::span(actual)).data(), actual.size()});
  EXPECT_EQ(actual, expected);
  std::vector<double> back(actual.size());
  widen(ConstNumbers{NumberType::fp32, std::as_bytes(std::span(actual)).data(), actual.size()},
        std::span(back));
  EXPECT_EQ(back, std::vector<double>(expected.begin(), expected.end()));
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Any length and any start give the bits of the one-element functions and touch nothing else, so
// vector bodies and tails agree; beyond 512 there are several blocks.
TEST_P(SixteenBits, BodiesAndTailsAgree) {
  const NumberType type = GetParam().type;
  std::mt19937_64 random(2);
  Patterns patterns, from_floats, from_doubles;
  std::vector<float> floats, wide;
  std::vector<double> doubles, wider;
  for (int i = 0; i < 1100; ++i) {
    patterns.push_back(static_cast<std::uint16_t>(random()));
    floats.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    doubles.push_back(static_cast<double>(floats.back()) * (1 + 0x1p-40));
    from_floats.push_back(static_cast<std::uint16_t>(one(type, floats.back())));
    from_doubles.push_back(narrowed<double>(type, std::span(&doubles.back(), 1))[0]);
    wide.push_back(one(type, patterns.back()));
    wider.push_back(static_cast<double>(wide.back()));
  }
  std::vector<std::size_t> lengths{511, 512, 513, 1000, 1024, 1025};
  for (std::size_t length = 0; length <= 70; ++length) lengths.push_back(length);
  for (const std::size_t length : lengths) {
    for (std::size_t start = 0; start < 9; ++start) {
      const auto check = [&](const auto& one_by_one, auto convert) {
        auto actual = one_by_one;
        std::ranges::fill(actual, 7);
        auto expected = actual;
        std::copy_n(&one_by_one[start], length, &expected[start]);
        convert(std::span(actual).subspan(start, length));
        ASSERT_TRUE(same_bits(actual, expected)) << length << " from " << start;
      };
      const auto packed = numbers(type, patterns, start).part(0, length);
      check(from_floats, [&](std::span<std::uint16_t> to) {
        narrow(std::span<const float>(floats).subspan(start, length), numbers(type, to));
      });
      check(from_doubles, [&](std::span<std::uint16_t> to) {
        narrow(std::span<const double>(doubles).subspan(start, length), numbers(type, to));
      });
      check(wide, [&](std::span<float> to) { widen(packed, to); });
      check(wider, [&](std::span<double> to) { widen(packed, to); });
    }
  }
}

#if defined(__x86_64__) && defined(__GNUC__)

bool cpu_has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}

__attribute__((target("f16c"))) std::uint16_t cpu_half(float value) {
  return static_cast<std::uint16_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(value), 0)));
}

__attribute__((target("f16c"))) float cpu_float(std::uint16_t bits) {
  return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(bits)));
}

TEST(Number, UsesTheHardwareItHas) {
  EXPECT_EQ(has_hardware_half(), cpu_has_f16c());
}

// Over all 2^32 floats in steps of 1021, NaNs included: the portable path, the public one and the
// CPU's instruction agree in every bit.
TEST(Number, HardwareAndPortableAgree) {
  if (!cpu_has_f16c()) GTEST_SKIP() << "this CPU has no F16C";
  std::vector<float> floats(4096);
  std::vector<Half> plain(floats.size());
  std::size_t faults = 0;
  for (std::uint64_t pattern = 0; pattern >> 32U == 0;) {
    for (float& value : floats) {
      value = std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
      pattern += 1021;
    }
    portable::narrow_half(floats, plain);
    const Patterns fast = narrowed<float>(NumberType::fp16, floats);
    for (std::size_t i = 0; i < floats.size(); ++i) {
      const std::uint16_t cpu = cpu_half(floats[i]);
      if ((plain[i].bits == cpu && fast[i] == cpu) || ++faults > 1) continue;
      ADD_FAILURE() << fmt::format("{:#010x}: CPU {:#06x}, portable {:#06x}, narrow {:#06x}",
                                   std::bit_cast<std::uint32_t>(floats[i]), cpu, plain[i].bits,
                                   fast[i]);
    }
  }
  EXPECT_EQ(faults, 0U);
}

TEST(Number, HardwareAndPortableWidenAlike) {
  if (!cpu_has_f16c()) GTEST_SKIP() << "this CPU has no F16C";
  std::vector<Half> halves(65536);
  for (unsigned p = 0; p < 65536; ++p) halves[p].bits = static_cast<std::uint16_t>(p);
  std::vector<float> plain(halves.size());
  portable::widen_half(halves, plain);
  for (unsigned p = 0; p < 65536; ++p)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(plain[p]),
              std::bit_cast<std::uint32_t>(cpu_float(halves[p].bits)))
        << p;
}

#endif

// Sizes that differ and types without a conversion are refused in both directions.
TEST(Number, RefusesWrongSizesAndTypes) {
  std::vector<float> floats(4);
  std::vector<double> doubles(4);
  std::vector<std::byte> bytes(32);
  for (const NumberType type : {NumberType::fp16, NumberType::bf16, NumberType::fp32}) {
    const Numbers three{type, bytes.data(), 3}, four{type, bytes.data(), 4};
    EXPECT_THROW(widen(three, std::span(floats)), Error);
    EXPECT_THROW(widen(three, std::span(doubles)), Error);
    EXPECT_THROW(narrow(std::span<const float>(floats), three), Error);
    EXPECT_THROW(narrow(std::span<const double>(doubles), three), Error);
    EXPECT_NO_THROW(narrow(std::span<const double>(doubles), four)) << name(type);
  }
  for (const NumberType type : {NumberType::uint8, NumberType::int32, NumberType::fp64}) {
    const Numbers four{type, bytes.data(), 4};
    EXPECT_THROW(widen(four, std::span(floats)), Error) << name(type);
    EXPECT_THROW(narrow(std::span<const float>(floats), four), Error) << name(type);
    if (type == NumberType::fp64) continue;
    EXPECT_THROW(widen(four, std::span(doubles)), Error) << name(type);
    EXPECT_THROW(narrow(std::span<const double>(doubles), four), Error) << name(type);
  }
}

// fp64 to fp64 is a copy: also of subnormals, infinities, the sign of zero and a NaN's payload.
TEST(Number, DoublesAreCopied) {
  const std::vector<double> from{5e-324, -0.0, -INFINITY, 1 + 0x1p-52,
                                 std::bit_cast<double>(std::uint64_t{0xFFF8'0000'0000'1234})};
  std::vector<double> stored(from.size()), back(from.size());
  const Numbers wide{NumberType::fp64, std::as_writable_bytes(std::span(stored)).data(),
                     stored.size()};
  narrow(std::span<const double>(from), wide);
  widen(wide, std::span(back));
  EXPECT_TRUE(same_bits(stored, from));
  EXPECT_TRUE(same_bits(back, from));
  EXPECT_THROW(narrow(std::span<const double>(from).first(2), wide), Error);
}

// Memory is read only as the type it holds, and the message names that type.
TEST(Number, RefusesAnotherType) {
  std::vector<std::byte> bytes(32);
  const Numbers halves{NumberType::fp16, bytes.data(), 16};
  EXPECT_EQ(halves.as<Half>().size(), 16U);
  EXPECT_EQ(ConstNumbers(halves).as<const Half>().size(), 16U);
  EXPECT_THROW(halves.as<float>(), Error);
  EXPECT_THROW(ConstNumbers(halves).as<const std::uint8_t>(), Error);
  try {
    halves.as<BFloat16>();
    ADD_FAILURE() << "fp16 was read as bf16";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("fp16"), std::string::npos) << error.what();
  }
}

// A part starts at its element whatever the width, and bytes are elements times width.
TEST(Number, PartsCountElements) {
  std::vector<std::byte> bytes(64);
  const std::array<std::size_t, 6> widths{2, 2, 4, 8, 1, 4};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto type = static_cast<NumberType>(i);
    const Numbers part = Numbers{type, bytes.data(), 8}.part(3, 4);
    EXPECT_EQ(part.data - bytes.data(), static_cast<std::ptrdiff_t>(3 * widths[i])) << name(type);
    EXPECT_EQ(part.bytes(), 4 * widths[i]) << name(type);
    EXPECT_EQ(part.type, type);
  }
}

// What a library that was linked with -ffast-math leaves behind is told, not worked around.
TEST(IeeeArithmetic, IsRequired) {
  EXPECT_NO_THROW(require_ieee_arithmetic());
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(rounding), 0);
    EXPECT_THROW(require_ieee_arithmetic(), Error);
  }
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
#if defined(__x86_64__) && defined(__GNUC__)
  const unsigned before = _mm_getcsr();
  for (const unsigned zeroes : {0x8000U, 0x0040U}) {  // results flushed, operands taken for zero
    _mm_setcsr(before | zeroes);
    EXPECT_THROW(require_ieee_arithmetic(), Error) << zeroes;
    _mm_setcsr(before);
  }
#endif
  EXPECT_NO_THROW(require_ieee_arithmetic());
}

}  // namespace
}  // namespace zerolab
