// Exact fractions: lowest terms, order, overflow that is told, and decimals rounded by long
// division.
#include "zerolab/report/fraction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

namespace zerolab {

void PrintTo(const Fraction& fraction, std::ostream* out);
void PrintTo(const Fraction& fraction, std::ostream* out) {
  *out << text(fraction);
}

namespace {

constexpr Whole most = ~Whole{0};

TEST(Fraction, IsInLowestTermsAndAddsUp) {
  EXPECT_EQ(Fraction(64, 22), Fraction(32, 11));
  EXPECT_EQ(text(Fraction(64, 22)), "32/11");
  EXPECT_EQ(text(Fraction(64, 8)), "8");
  EXPECT_EQ(Fraction(0, 7), Fraction(0));
  EXPECT_EQ(Fraction(1, 6) + Fraction(1, 10), Fraction(4, 15));
  EXPECT_EQ(Fraction(4, 15) - Fraction(1, 10), Fraction(1, 6));
  EXPECT_EQ(Fraction(2, 3) * Fraction(9, 4), Fraction(3, 2));
  EXPECT_EQ(Fraction(2, 3) / Fraction(4, 9), Fraction(3, 2));
  EXPECT_EQ(Fraction(7, 2).rounded_up(), 4U);
  EXPECT_EQ(Fraction(8, 2).rounded_up(), 4U);
  EXPECT_THROW(Fraction(1, 0), Error);
  EXPECT_THROW(Fraction(1) / Fraction(0), Error);
  EXPECT_THROW(Fraction(1, 3) - Fraction(1, 2), Error);
}

TEST(Fraction, OverflowIsToldAndNeverWraps) {
  EXPECT_EQ(added(most - 1, 1), most);
  EXPECT_THROW(added(most, 1), Error);
  EXPECT_EQ(multiplied(most, 1), most);
  EXPECT_EQ(multiplied(most, 0), 0U);
  EXPECT_THROW(multiplied(most / 2 + 1, 2), Error);
  EXPECT_THROW(Fraction(most) * Fraction(2), Error);
  EXPECT_EQ(Fraction(most) * Fraction(2, most), Fraction(2)) << "it cancels first";
  EXPECT_EQ(digits(most), "340282366920938463463374607431768211455");
}

TEST(Fraction, OrderNeedsNoProduct) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const auto small = [&] {
      return static_cast<std::uint64_t>(random() >> (33 + random() % 30)) + 1;
    };
    const std::uint64_t a = small(), b = small(), c = small(), d = small();
    EXPECT_EQ(Fraction(a, b) < Fraction(c, d), Whole{a} * d < Whole{c} * b);
    EXPECT_EQ(Fraction(a, b) == Fraction(c, d), Whole{a} * d == Whole{c} * b);
  }
  EXPECT_LT(Fraction(most - 1, most), Fraction(1));
  EXPECT_LT(Fraction(most - 2, most - 1), Fraction(most - 1, most));
}

TEST(Fraction, DecimalsAreRoundedOnce) {
  EXPECT_EQ(decimal(Fraction(32, 11), 4), "2.909");
  EXPECT_EQ(decimal(Fraction(1, 3)), "0.333333");
  EXPECT_EQ(decimal(Fraction(2, 3)), "0.666667");
  EXPECT_EQ(decimal(Fraction(1, 3000)), "0.000333333");
  EXPECT_EQ(decimal(Fraction(385, 10)), "38.5");
  EXPECT_EQ(decimal(Fraction(1234567)), "1234567");
  EXPECT_EQ(decimal(Fraction(0)), "0");
  EXPECT_EQ(decimal(Fraction(999'999'96, 10'000'000)), "10");
  EXPECT_EQ(rounded(Fraction(1, 8), 2), "0.13");
  EXPECT_EQ(cut_off(Fraction(1, 8), 2), "0.12");
  EXPECT_EQ(rounded(Fraction(1999, 1000), 2), "2");
  EXPECT_EQ(cut_off(Fraction(2296875, 1000000), 2), "2.29");
  EXPECT_EQ(cut(Fraction(2296875, 1000000), 2), Fraction(229, 100));
  EXPECT_EQ(decimal(Fraction(most, most - 1)), "1");
  EXPECT_EQ(decimal(Fraction(1, most)), "0") << "less than 10^-30 is not shown";
  EXPECT_EQ(spaced(1234567), "1 234 567");
  EXPECT_EQ(spaced(12), "12");
  EXPECT_EQ(digits(0), "0");
}

TEST(Fraction, DecimalsAreThoseOfPrintf) {
  // Of halves in binary a double is exact and printf rounds to even: keep clear of ties.
  for (std::uint64_t n = 1; n < 3000; n += 7) {
    char expected[32];
    std::snprintf(expected, sizeof expected, "%.5f",
                  static_cast<double>(n) / 1009);  // a prime: no tie
    std::string found = rounded(Fraction(n, 1009), 5);
    if (found.find('.') == std::string::npos) found += ".";
    found.resize(std::string(expected).size(), '0');
    EXPECT_EQ(found, expected) << n << "/1009";
  }
}

}  // namespace
}  // namespace zerolab
