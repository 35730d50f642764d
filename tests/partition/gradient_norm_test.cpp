// The gradient norm: sums of squares against integers read off the numbers' bits, closed forms, and
// the same bits however the gradient is cut, ordered and added up over ranks.
#include "zerolab/partition/gradient_norm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "zerolab/core/random.hpp"

namespace zerolab {
namespace {

__extension__ using uint128 = unsigned __int128;

constexpr std::array types{NumberType::fp16, NumberType::bf16, NumberType::fp32};
constexpr auto limb = std::uint64_t{UINT32_MAX};

/// Numbers of a type from patterns, or from values that are rounded to it.
struct Gradient {
  NumberType type;
  std::vector<std::byte> bytes;

  Gradient(NumberType t, std::span<const float> values) : type(t), bytes(values.size() * width(t)) {
    narrow(values, Numbers{type, bytes.data(), values.size()});
  }
  Gradient(NumberType t, std::span<const std::uint32_t> patterns)
      : type(t), bytes(patterns.size() * width(t)) {
    for (std::size_t i = 0; i < patterns.size(); ++i)
      std::memcpy(&bytes[i * width(t)], &patterns[i], width(t));
  }
  operator ConstNumbers() const { return {type, bytes.data(), bytes.size() / width(type)}; }
};

SquareSum squares_of(ConstNumbers gradient) {
  SquareSum sum;
  sum.add(gradient);
  return sum;
}

/// As the reduction adds them: word by word.
void add_words(SquareSum& to, const SquareSum& from) {
  for (std::size_t i = 0; i < 4; ++i) to.limbs[i] += from.limbs[i];
  to.not_finite += from.not_finite;
}

uint128 total(const SquareSum& sum) {
  uint128 value = 0, weight = 1;
  for (const std::uint64_t word : sum.limbs) {
    value += weight * word;
    weight <<= 32U;
  }
  return value;
}

/// |g| in steps of 2^-24 (fp16) or 2^-30, to nearest, ties to even, from the bits of g alone.
uint128 steps(NumberType type, std::uint32_t pattern) {
  const int exponent_bits = type == NumberType::fp16 ? 5 : 8;
  const int fraction_bits = static_cast<int>(8 * width(type)) - 1 - exponent_bits;
  const int biased = static_cast<int>(pattern >> fraction_bits) & ((1 << exponent_bits) - 1);
  const std::uint64_t fraction = pattern & ((1U << fraction_bits) - 1U);
  const std::uint64_t significand = fraction + (biased == 0 ? 0U : 1U << fraction_bits);
  const int bias = (1 << (exponent_bits - 1)) - 1, unit = type == NumberType::fp16 ? 24 : 30;
  const int shift = std::max(biased, 1) - bias - fraction_bits + unit;
  if (shift >= 0) return uint128{significand} << shift;
  if (shift < -40) return 0;
  const std::uint64_t half = std::uint64_t{1} << (-shift - 1), rest = significand & (2 * half - 1);
  const std::uint64_t down = significand >> -shift;
  return down + (rest > half || (rest == half && down % 2 == 1) ? 1 : 0);
}

/// Random patterns: all finite numbers of fp16, and those below 2^17 of the others.
std::vector<std::uint32_t> random_patterns(NumberType type, std::size_t size) {
  std::vector<std::uint32_t> patterns(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t bits = random_bits(static_cast<std::uint64_t>(type), i);
    auto pattern = static_cast<std::uint32_t>(bits);
    if (type == NumberType::fp16) {
      pattern &= 0xFFFFU;
      if ((pattern & 0x7C00U) == 0x7C00U) pattern -= 0x4000U;
    } else {
      const auto exponent =
          static_cast<std::uint32_t>(i % 8 == 0 ? (bits >> 32U) % 144 : 90 + (bits >> 32U) % 54);
      pattern = (pattern & 0x807F'FFFFU) | exponent << 23U;
      if (type == NumberType::bf16) pattern >>= 16U;
    }
    patterns[i] = pattern;
  }
  return patterns;
}

uint128 sum_of_squares(NumberType type, std::span<const std::uint32_t> patterns) {
  uint128 sum = 0;
  for (const std::uint32_t pattern : patterns) sum += steps(type, pattern) * steps(type, pattern);
  return sum;
}

// Any length around blocks and vectors, all magnitudes in range, subnormals included: the integer
// is exact, the norm its root, rounded to double and rooted once each.
TEST(GradientNorm, EqualsTheIntegerSum) {
  for (const NumberType type : types) {
    const auto patterns = random_patterns(type, 5000);
    for (const std::size_t size : {0U, 1U, 2U, 7U, 8U, 9U, 63U, 1023U, 1024U, 1025U, 5000U}) {
      const auto some = std::span(patterns).first(size);
      const SquareSum sum = squares_of(Gradient(type, some));
      const uint128 expected = sum_of_squares(type, some);
      EXPECT_TRUE(total(sum) == expected) << size << " of " << name(type);
      EXPECT_EQ(sum.not_finite, 0U);
      EXPECT_EQ(sum.norm(type), std::ldexp(std::sqrt(static_cast<double>(expected)),
                                           type == NumberType::fp16 ? -24 : -30));
    }
  }
}

TEST(GradientNorm, PythagoreanNumbers) {
  for (const NumberType type : types) {
    EXPECT_EQ(squares_of(Gradient(type, std::vector{3.0F, -4.0F})).norm(type), 5);
    EXPECT_EQ(squares_of(Gradient(type, std::vector{-0.0F, 0.0F})).norm(type), 0);
    EXPECT_EQ(squares_of(Gradient(type, std::vector(400, -0.25F))).norm(type), 5);
    EXPECT_EQ(squares_of(Gradient(type, std::vector<float>())).norm(type), 0);
  }
}

// The smallest fp16 number counts; bf16 and fp32 are counted in steps of 2^-30, ties to even.
TEST(GradientNorm, SmallestNumbers) {
  EXPECT_EQ(squares_of(Gradient(NumberType::fp16, std::vector{0x1p-24F})).norm(NumberType::fp16),
            0x1p-24);
  for (const NumberType type : {NumberType::bf16, NumberType::fp32}) {
    const auto q = [&](float g) { return total(squares_of(Gradient(type, std::vector{g}))); };
    EXPECT_TRUE(q(0x1p-30F) == 1);
    EXPECT_TRUE(q(0x1p-31F) == 0);
    EXPECT_TRUE(q(-0x1.8p-30F) == 4);
    EXPECT_TRUE(q(0x1.4p-29F) == 4);  // 2.5 steps
    EXPECT_TRUE(q(0x1.02p-31F) == 1);
    EXPECT_TRUE(q(1e-38F) == 0);
  }
}

// Any cut into shards, in any order, one square sum or one each added word by word: the same bits.
TEST(GradientNorm, SameBitsForAnyCutAndOrder) {
  constexpr std::size_t size = 5000;
  for (const NumberType type : types) {
    auto patterns = random_patterns(type, size);
    patterns[17] = type == NumberType::fp16   ? 0x7C00U
                   : type == NumberType::bf16 ? 0x7FC0U
                                              : 0x7FC0'0000U;
    const SquareSum whole = squares_of(Gradient(type, patterns));
    EXPECT_EQ(whole.not_finite, 1U);
    for (std::uint64_t cut = 1; cut <= 20; ++cut) {
      std::vector<std::uint32_t> shuffled(size);
      const Permutation permutation(cut, size);
      for (std::size_t i = 0; i < size; ++i) shuffled[i] = patterns[permutation(i)];
      const Gradient gradient(type, shuffled);
      SquareSum one_after_another, word_by_word;
      for (std::size_t first = 0, i = 0; first < size; ++i) {
        const std::size_t shard =
            std::min<std::size_t>(random_bits(cut, i) % (size / cut), size - first);
        const ConstNumbers part = ConstNumbers(gradient).part(first, shard);
        one_after_another.add(part);
        add_words(word_by_word, squares_of(part));
        first += shard;
      }
      for (const SquareSum& sum : {one_after_another, word_by_word}) {
        EXPECT_TRUE(total(sum) == total(whole)) << name(type) << ' ' << cut;
        EXPECT_EQ(sum.norm(type), whole.norm(type));
        EXPECT_EQ(sum.not_finite, 1U);
      }
    }
  }
}

// Carries: limbs of many ranks add to more than 32 bits in each word, and only norm() carries.
TEST(GradientNorm, LimbsCarry) {
  const SquareSum ones{.limbs = {limb, limb, limb, 0}};
  SquareSum sum = ones;
  add_words(sum, SquareSum{.limbs = {1, 0, 0, 0}});
  EXPECT_EQ(sum.norm(NumberType::fp16), 0x1p24);  // √2^96 / 2^24

  SquareSum many{.limbs = {0, 0, 0, 0}};
  constexpr std::uint64_t ranks = std::uint64_t{1} << 20U;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) add_words(many, ones);
  const uint128 expected = ((uint128{1} << 96U) - 1) * ranks;
  EXPECT_TRUE(total(many) == expected);
  EXPECT_EQ(many.norm(NumberType::fp16), 0x1p34);  // √2^116 / 2^24 after one rounding

  // The low words alone decide, and a carry passes through every one of them.
  for (std::uint64_t words = 2; words <= 5; ++words) {
    SquareSum carried;
    for (std::uint64_t i = 0; i < words; ++i) add_words(carried, {.limbs = {limb, limb, 3, 0}});
    const uint128 value = (uint128{3} << 64U | UINT64_MAX) * words;
    EXPECT_EQ(carried.norm(NumberType::fp32), std::sqrt(static_cast<double>(value)) * 0x1p-30);
  }
}

// Words of a large job: 2^20 elements of the largest magnitude in range. √n · g in closed form.
TEST(GradientNorm, LargestNumbersDoNotOverflow) {
  constexpr std::size_t size = std::size_t{1} << 20U;
  const float below_2_17 = 0x1.fffffep16F;
  const SquareSum half = squares_of(Gradient(NumberType::fp16, std::vector(size, 65'504.0F)));
  EXPECT_EQ(half.norm(NumberType::fp16), 1024 * 65'504.0);
  EXPECT_EQ(half.not_finite, 0U);
  SquareSum single = squares_of(Gradient(NumberType::fp32, std::vector(size, -below_2_17)));
  const uint128 q = uint128{(1U << 24U) - 1U} << 23U;
  EXPECT_TRUE(total(single) == q * q * size);
  EXPECT_NEAR(single.norm(NumberType::fp32), 1024.0 * static_cast<double>(below_2_17), 1e-7);
  const SquareSum one = single;
  for (int rank = 1; rank < 64; ++rank) add_words(single, one);
  EXPECT_EQ(single.norm(NumberType::fp32), 8 * one.norm(NumberType::fp32));
}

// nan, inf and 2^17 and above are counted, wherever they stand, and add nothing to the sum.
TEST(GradientNorm, CountsWhatIsNotFinite) {
  for (const NumberType type : types) {
    std::vector<float> bad{INFINITY, -INFINITY, NAN, -NAN};
    if (type != NumberType::fp16) bad.insert(bad.end(), {0x1p17F, -0x1p17F, 1e30F});
    for (const std::size_t where : {0U, 6U, 1023U, 1024U, 2000U}) {
      for (const float value : bad) {
        std::vector<float> values(2001, 0.0F);
        values[3] = 3.0F;
        values[1500] = -4.0F;
        values[where] = value;
        const SquareSum sum = squares_of(Gradient(type, values));
        EXPECT_EQ(sum.not_finite, 1U) << value << " in " << name(type) << " at " << where;
        EXPECT_EQ(sum.norm(type), 5);
      }
    }
    SquareSum sum = squares_of(Gradient(type, bad));
    sum.add(Gradient(type, bad));
    EXPECT_EQ(sum.not_finite, 2 * bad.size());
    EXPECT_EQ(sum.norm(type), 0);
  }
  const float largest = 0x1.fffffep16F;
  EXPECT_EQ(squares_of(Gradient(NumberType::fp32, std::vector{largest, -largest})).not_finite, 0U);
  EXPECT_EQ(squares_of(Gradient(NumberType::bf16, std::vector{0x1.fep16F})).not_finite, 0U);
}

}  // namespace
}  // namespace zerolab
