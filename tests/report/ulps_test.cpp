// The distance between two numbers, counted in numbers of their type.
#include <gtest/gtest.h>

#include <bit>
#include <initializer_list>
#include <vector>

#include "zerolab/report/first_difference.hpp"

namespace zerolab {
namespace {

template <class T, class Bits>
std::uint64_t ulps(Bits a, Bits b) {
  static_assert(sizeof(T) == sizeof(Bits));
  const auto number = [](Bits& bits) {
    return ConstNumbers(number_type<T>, reinterpret_cast<const std::byte*>(&bits), 1);
  };
  return ulps_between(number_type<T>, number(a), number(b));
}
template <class T, class Bits>
void expect(std::uint64_t wanted, Bits a, Bits b) {
  EXPECT_EQ((ulps<T>(a, b)), wanted) << std::hex << a << " and " << b;
  EXPECT_EQ((ulps<T>(b, a)), wanted) << std::hex << b << " and " << a;
  const auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const auto minus_a = static_cast<Bits>(a ^ sign), minus_b = static_cast<Bits>(b ^ sign);
  EXPECT_EQ((ulps<T>(minus_a, minus_b)), wanted) << "signs turned";
}
constexpr std::uint16_t bits16(unsigned bits) {
  return static_cast<std::uint16_t>(bits);
}

TEST(Ulps, HalfAcrossItsBoundaries) {
  expect<Half>(0, bits16(0x3C00), bits16(0x3C00));
  expect<Half>(1, bits16(0x3C00), bits16(0x3C01));  // 1 and the next above
  expect<Half>(1, bits16(0x3BFF), bits16(0x3C00));  // into the next binade
  expect<Half>(1, bits16(0x03FF), bits16(0x0400));  // largest subnormal, smallest normal
  expect<Half>(1, bits16(0x0000), bits16(0x0001));  // zero and the smallest subnormal
  expect<Half>(1, bits16(0x7BFF), bits16(0x7C00));  // 65504 and infinity
  expect<Half>(0x3C00, bits16(0x0000), bits16(0x3C00));
}

TEST(Ulps, TheTwoZerosAreOneApart) {
  expect<Half>(1, bits16(0x0000), bits16(0x8000));
  expect<Half>(3, bits16(0x0001), bits16(0x8001));  // through +0 and -0
  expect<BFloat16>(1, bits16(0x0000), bits16(0x8000));
  expect<float>(1, 0x00000000U, 0x80000000U);
  expect<float>(3, 0x00000001U, 0x80000001U);
}

TEST(Ulps, BFloat16AndFloat) {
  expect<BFloat16>(1, bits16(0x3F80), bits16(0x3F81));
  expect<BFloat16>(1, bits16(0x007F), bits16(0x0080));
  expect<BFloat16>(1, bits16(0x7F7F), bits16(0x7F80));
  expect<float>(1, std::bit_cast<std::uint32_t>(1.0F), 0x3F800001U);
  expect<float>(1, 0x007FFFFFU, 0x00800000U);
  expect<float>(1 << 23, std::bit_cast<std::uint32_t>(1.0F), std::bit_cast<std::uint32_t>(2.0F));
}

TEST(Ulps, FromOneEndToTheOther) {
  expect<float>(0xFF000001U, 0x7F800000U, 0xFF800000U);  // +inf and -inf: no wrap in 32 bits
  expect<Half>(0xF801, bits16(0x7C00), bits16(0xFC00));
}

TEST(Ulps, OfTwoTypesAreRefused) {
  const float a = 1;
  const Half b{0x3C00};
  const ConstNumbers x(NumberType::fp32, reinterpret_cast<const std::byte*>(&a), 1);
  const ConstNumbers y(NumberType::fp16, reinterpret_cast<const std::byte*>(&b), 1);
  EXPECT_THROW(ulps_between(NumberType::fp32, x, y), Error);
  EXPECT_THROW(ulps_between(NumberType::fp16, x, y), Error);
}

}  // namespace
}  // namespace zerolab
