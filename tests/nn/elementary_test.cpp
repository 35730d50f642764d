// exp and log against the C library's, in units of the result's last place. The bounds are those of
// the header plus the library's own error, below 1 unit.
#include "zerolab/nn/elementary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "zerolab/core/random.hpp"

namespace zerolab {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least = std::numeric_limits<double>::denorm_min();

/// How many doubles lie between two of one sign.
std::uint64_t apart(double a, double b) {
  const auto x = std::bit_cast<std::int64_t>(a), y = std::bit_cast<std::int64_t>(b);
  return static_cast<std::uint64_t>(x < y ? y - x : x - y);
}

/// Uniform in [-1, 1), from two draws, so that all 53 bits vary.
double draw(std::uint64_t key, std::uint64_t index) {
  return double{random_symmetric(key, index)} + double{random_symmetric(~key, index)} * 0x1p-24;
}

TEST(Exp, LiesWithinItsBound) {
  std::uint64_t largest = 0;
  const auto check = [&](double x) {
    const std::uint64_t ulps = apart(portable::exp(x), std::exp(x));
    ASSERT_LE(ulps, 2U + 1U) << x;
    largest = std::max(largest, ulps);
  };
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    check(draw(1, i) * 746);            // all that is neither 0 nor infinite, subnormal ones too
    check(draw(2, i));                  // where most logits lie
    check(-std::abs(draw(3, i)) * 40);  // and the probabilities that count
    check(draw(4, i) * std::ldexp(1.0, -static_cast<int>(i % 70)));
  }
  for (int k = -1100; k <= 1024; ++k) {  // at the seams between two powers of two
    const double seam = (k + 0.5) * 0.6931471805599453;
    for (const double x : {std::nextafter(seam, -infinity), seam, std::nextafter(seam, infinity)})
      check(x);
  }
  EXPECT_GE(largest, 1U) << "compares the library with itself";
}

TEST(Exp, EndsAsIeeeHasIt) {
  EXPECT_EQ(portable::exp(0.0), 1.0);
  EXPECT_EQ(portable::exp(-0.0), 1.0);
  EXPECT_EQ(portable::exp(least), 1.0);
  EXPECT_EQ(portable::exp(-infinity), 0.0);
  EXPECT_EQ(portable::exp(infinity), infinity);
  EXPECT_TRUE(std::isnan(portable::exp(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(portable::exp(-746.0), 0.0);
  EXPECT_EQ(portable::exp(-745.0), least);
  for (const double x : {709.8, 710.0, 749.9, 750.0, 1e300}) EXPECT_EQ(portable::exp(x), infinity);
  for (const double x : {-749.9, -750.0, -1e300}) EXPECT_EQ(portable::exp(x), 0.0);
  EXPECT_LT(portable::exp(709.7), infinity);
}

TEST(Log, LiesWithinItsBound) {
  std::uint64_t largest = 0;
  const auto check = [&](double x) {
    const double a = portable::log(x), b = std::log(x);
    ASSERT_EQ(std::signbit(a), std::signbit(b)) << x;
    const std::uint64_t ulps = apart(a, b);
    ASSERT_LE(ulps, 5U + 1U) << x;
    largest = std::max(largest, ulps);
  };
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    check(std::bit_cast<double>(random_bits(5, i) % std::bit_cast<std::uint64_t>(infinity)));
    check(1 + std::abs(draw(6, i)));         // sums over few classes
    check(1 + std::abs(draw(7, i)) * 1000);  // and over many
    check(1 + draw(8, i) * std::ldexp(1.0, -1 - static_cast<int>(i % 53)));
    check(std::bit_cast<double>(random_bits(9, i) >> (12 + i % 52)) + least);  // subnormal
  }
  for (const double seam : {0.5, std::sqrt(0.5), 1.0, std::sqrt(2.0), 2.0, 0x1p-1022, 0x1p1023}) {
    for (const double x : {std::nextafter(seam, 0), seam, std::nextafter(seam, infinity)}) check(x);
  }
  EXPECT_GE(largest, 1U) << "compares the library with itself";
}

TEST(Log, EndsAsIeeeHasIt) {
  EXPECT_EQ(portable::log(1.0), 0.0);
  EXPECT_EQ(portable::log(0.0), -infinity);
  EXPECT_EQ(portable::log(-0.0), -infinity);
  EXPECT_EQ(portable::log(infinity), infinity);
  for (const double x : {-1.0, -least, -infinity, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(std::isnan(portable::log(x))) << x;
}

}  // namespace
}  // namespace zerolab
