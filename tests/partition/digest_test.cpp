// The digest: shards add up to the whole, and nothing changes without changing it.
#include "zerolab/partition/digest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "zerolab/core/random.hpp"
#include "zerolab/core/shards.hpp"

namespace zerolab {
namespace {

constexpr std::array types{NumberType::fp16, NumberType::bf16, NumberType::fp32};
constexpr std::array states{Digested::parameters, Digested::master, Digested::momentum,
                            Digested::variance};

/// Numbers of any type but NaN: the exponent's first bit, in each second byte, is 0.
std::vector<std::byte> random_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>(random_bits(9, i) & (i % 2 == 0 ? 0xFFU : 0xBFU));
  return bytes;
}

ConstNumbers numbers(NumberType type, const std::vector<std::byte>& bytes) {
  return {type, bytes.data(), bytes.size() / width(type)};
}

// Digests of the shards of any number of ranks add up to the whole's, wherever the unit begins.
TEST(Digest, ShardsAddUpToTheWhole) {
  for (const NumberType type : types) {
    for (const std::size_t size : {0U, 1U, 5U, 1001U}) {
      const auto bytes = random_bytes(size * width(type));
      const ConstNumbers whole = numbers(type, bytes);
      for (const std::size_t unit : {std::size_t{0}, std::size_t{77}, std::size_t{1} << 40U}) {
        for (std::size_t ranks = 1; ranks <= 9; ++ranks) {
          const Shards cut{size, ranks};
          std::uint64_t sum = 0;
          for (std::size_t r = ranks; r-- > 0;) {
            sum += digest(Digested::master, whole.part(cut.first(r), cut.size(r)),
                          unit + cut.first(r));
          }
          EXPECT_EQ(sum, digest(Digested::master, whole, unit)) << size << '/' << ranks;
        }
      }
    }
  }
}

TEST(Digest, NothingIsZero) {
  for (const NumberType type : types)
    EXPECT_EQ(digest(Digested::parameters, ConstNumbers(type, nullptr, 0), 5), 0U);
}

// Each of all bits of each element: 60 single flips, 60 other digests, none twice.
TEST(Digest, ChangesWithEveryBit) {
  for (const NumberType type : types) {
    auto bytes = random_bytes(240 / 8);
    std::set<std::uint64_t> seen{digest(Digested::parameters, numbers(type, bytes), 0)};
    const std::size_t bits = numbers(type, bytes).bytes() * 8;
    for (std::size_t bit = 0; bit < bits; ++bit) {
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
      seen.insert(digest(Digested::parameters, numbers(type, bytes), 0));
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    EXPECT_EQ(seen.size(), bits + 1) << name(type);
  }
}

// A NaN's sign and payload belong to the CPU, not to the job; that it is one, and where, counts.
TEST(Digest, AllNaNsAreOne) {
  const auto of = [](NumberType type, std::uint32_t bits, std::size_t index) {
    const std::array<std::byte, 4> bytes = std::bit_cast<std::array<std::byte, 4>>(bits);
    return digest(Digested::parameters, ConstNumbers(type, bytes.data(), 1), index);
  };
  struct Kind {
    NumberType type;
    std::uint32_t infinity, sign;
  };
  for (const auto [type, infinity, sign] :
       {Kind{NumberType::fp16, 0x7C00U, 0x8000U}, Kind{NumberType::bf16, 0x7F80U, 0x8000U},
        Kind{NumberType::fp32, 0x7F80'0000U, 0x8000'0000U}}) {
    const std::uint64_t nan = of(type, infinity + 1, 3);
    for (const std::uint32_t payload : {2U, 0x40U, 0x7FU}) {
      EXPECT_EQ(of(type, infinity | payload, 3), nan) << name(type);
      EXPECT_EQ(of(type, sign | infinity | payload, 3), nan) << name(type);
    }
    EXPECT_NE(of(type, infinity, 3), nan) << name(type);
    EXPECT_NE(of(type, infinity, 3), of(type, sign | infinity, 3)) << name(type);
    EXPECT_NE(of(type, infinity + 1, 4), nan) << name(type);
  }
}

// Two numbers that change places, a shift by one element, and another place in the model.
TEST(Digest, ChangesWithPlace) {
  for (const NumberType type : types) {
    const std::size_t w = width(type), size = 30;
    const auto bytes = random_bytes(size * w);
    const std::uint64_t whole = digest(Digested::parameters, numbers(type, bytes), 0);
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        auto swapped = bytes;
        for (std::size_t i = 0; i < w; ++i) std::swap(swapped[a * w + i], swapped[b * w + i]);
        if (swapped == bytes) continue;  // equal by chance
        EXPECT_NE(digest(Digested::parameters, numbers(type, swapped), 0), whole) << a << ' ' << b;
      }
    }
    EXPECT_NE(digest(Digested::parameters, numbers(type, bytes), 1), whole);
    const std::vector<std::byte> zeros(size * w);
    EXPECT_NE(digest(Digested::parameters, numbers(type, zeros), 0),
              digest(Digested::parameters, numbers(type, zeros), 1));
    EXPECT_NE(digest(Digested::parameters, numbers(type, zeros), 0),
              digest(Digested::parameters, numbers(type, zeros).part(1, size - 1), 1));
  }
}

// Equal bits in another state have another digest, also where they are all zero; opposite changes
// in two states do not cancel.
TEST(Digest, ChangesWithTheState) {
  for (const NumberType type : types) {
    for (const auto& bytes : {random_bytes(120), std::vector<std::byte>(120)}) {
      std::set<std::uint64_t> seen;
      for (const Digested state : states) seen.insert(digest(state, numbers(type, bytes), 0));
      EXPECT_EQ(seen.size(), states.size()) << name(type);
    }
  }
  const std::vector<float> a{1.0F}, b{2.0F};
  const auto of = [](Digested state, const std::vector<float>& value) {
    return digest(state, {NumberType::fp32, std::as_bytes(std::span(value)).data(), 1}, 0);
  };
  EXPECT_NE(of(Digested::momentum, a) + of(Digested::variance, b),
            of(Digested::momentum, b) + of(Digested::variance, a));
}

TEST(Digest, RefusesTypesThatHoldNoState) {
  const auto bytes = random_bytes(16);
  for (const NumberType type : {NumberType::fp64, NumberType::uint8, NumberType::int32})
    EXPECT_THROW(digest(Digested::master, numbers(type, bytes), 0), Error) << name(type);
}

}  // namespace
}  // namespace zerolab
