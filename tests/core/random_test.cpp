// Random numbers: a published sequence for the bits, derived bounds for the distribution, and
// counting for permutations. Everything is keyed, so a test that passes once passes always.
#include "zerolab/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace zerolab {
namespace {

// Key 2^64 - 1 starts SplitMix64 from state 0: indices 1 to 5 are its first outputs, as published.
TEST(Random, BitsArePublishedSplitMix64) {
  constexpr std::uint64_t published[]{0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F,
                                      0xF88BB8A8724C81EC, 0x1B39896A51A8749B};
  for (std::uint64_t i = 0; i < 5; ++i)
    EXPECT_EQ(random_bits(~std::uint64_t{0}, i + 1), published[i]) << i;
}

// Neighbouring keys and neighbouring indices share half of their bits: the mean over n pairs of
// 64 fair bits has a standard deviation of 4 / sqrt(n).
TEST(Random, NeighboursAreIndependent) {
  constexpr int n = 20'000;
  const double bound = 5 * 4 / std::sqrt(static_cast<double>(n));
  double by_key = 0, by_index = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    by_key += std::popcount(random_bits(i, 7) ^ random_bits(i + 1, 7));
    by_index += std::popcount(random_bits(7, i) ^ random_bits(7, i + 1));
  }
  EXPECT_NEAR(by_key / n, 32, bound);
  EXPECT_NEAR(by_index / n, 32, bound);
}

// Uniform in [-1, 1) on the grid of 2^-23: mean -2^-24, variance 1/3, so the mean of n values lies
// within 5 / sqrt(3n), and of n = 2^18 values one comes within 2^-12 of either end (else p <
// e^-32).
TEST(Random, SymmetricIsUniform) {
  constexpr int n = 1 << 18;
  double sum = 0, squares = 0;
  float least = 0, most = 0;
  bool odd = false;
  for (std::uint64_t i = 0; i < n; ++i) {
    const float value = random_symmetric(3, i);
    const double steps = std::ldexp(static_cast<double>(value), 23);
    ASSERT_EQ(steps, std::trunc(steps));
    odd = odd || std::fmod(steps, 2.0) != 0;
    least = std::min(least, value);
    most = std::max(most, value);
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  EXPECT_TRUE(odd) << "the grid is coarser than 2^-23";
  EXPECT_GE(least, -1.0F);
  EXPECT_LT(least, -1.0F + 0x1p-12F);
  EXPECT_LT(most, 1.0F);
  EXPECT_GT(most, 1.0F - 0x1p-12F);
  EXPECT_NEAR(sum / n, -0x1p-24, 5 / std::sqrt(3.0 * n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt((1.0 / 5 - 1.0 / 9) / n));
}

std::vector<std::uint64_t> images(std::uint64_t key, std::uint64_t size) {
  const Permutation permutation(key, size);
  std::vector<std::uint64_t> result(size);
  for (std::uint64_t i = 0; i < size; ++i) result[i] = permutation(i);
  return result;
}

// Sorted, the images are 0 … size-1: every element once, none outside.
TEST(Random, PermutationIsABijection) {
  std::vector<std::uint64_t> sizes{1000, 65536, 65537};
  for (std::uint64_t size = 1; size <= 300; ++size) sizes.push_back(size);
  for (const std::uint64_t size : sizes) {
    std::vector<std::uint64_t> all(size);
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
      std::vector<std::uint64_t> sorted = images(key, size);
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(sorted, all) << "key " << key;
    }
  }
}

// Two random permutations agree in k places with probability below 1/k!; 12 places: 2e-9 a pair.
TEST(Random, PermutationsDifferBetweenKeys) {
  std::vector<std::vector<std::uint64_t>> all(1, std::vector<std::uint64_t>(1000));
  std::iota(all[0].begin(), all[0].end(), std::uint64_t{0});  // nor does a key give the identity
  for (std::uint64_t key = 0; key < 30; ++key) all.push_back(images(key, 1000));
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto agree = std::inner_product(all[a].begin(), all[a].end(), all[b].begin(), 0,
                                            std::plus{}, std::equal_to{});
      EXPECT_LT(agree, 12) << a << ' ' << b;
    }
  }
}

// Over many keys each element comes first equally often: a count of mean m stays within 5 sqrt(m).
TEST(Random, PermutationPutsAnyElementFirst) {
  for (const std::uint64_t size : {2U, 3U, 4U, 5U, 16U, 17U}) {
    constexpr int keys = 10'000;
    std::vector<int> first(size);
    for (std::uint64_t key = 0; key < keys; ++key) ++first[Permutation(key, size)(0)];
    const double mean = keys / static_cast<double>(size);
    for (const int count : first) EXPECT_NEAR(count, mean, 5 * std::sqrt(mean)) << size;
  }
}

}  // namespace
}  // namespace zerolab
