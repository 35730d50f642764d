#include "zerolab/partition/digest.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "zerolab/core/random.hpp"
#include "zerolab/core/simd.hpp"

namespace zerolab {

namespace {

constexpr std::size_t hashed_at_a_time = 512;  // elements hashed at a time

ZEROLAB_SIMD std::uint64_t sum_of_hashes(std::uint64_t salt, std::uint64_t first,
                                         const std::uint32_t* bits, std::size_t size) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += random_bits(random_bits(salt, first + i), bits[i]);
  return sum;
}

// Which sign and payload a NaN has is the CPU's choice, and the compiler's: all count as one.

std::uint32_t digested_bits(Half value) {
  return (value.bits & 0x7FFFU) > 0x7C00U ? 0x7FFFU : value.bits;
}
std::uint32_t digested_bits(BFloat16 value) {
  return (value.bits & 0x7FFFU) > 0x7F80U ? 0x7FFFU : value.bits;
}
std::uint32_t digested_bits(float value) {
  return value != value ? 0x7FFF'FFFFU : std::bit_cast<std::uint32_t>(value);
}

template <class T>
std::uint64_t digest_of(Digested what, std::span<const T> values, std::size_t first) {
  std::uint64_t sum = 0;
  std::array<std::uint32_t, hashed_at_a_time> bits;
  for (std::size_t i = 0; i < values.size(); i += hashed_at_a_time) {
    const std::size_t size = std::min(hashed_at_a_time, values.size() - i);
    for (std::size_t j = 0; j < size; ++j) bits[j] = digested_bits(values[i + j]);
    sum += sum_of_hashes(static_cast<std::uint64_t>(what), first + i, bits.data(), size);
  }
  return sum;
}

}  // namespace

std::uint64_t digest(Digested what, ConstNumbers numbers, std::size_t first_global_index) {
  switch (numbers.type) {
    case NumberType::fp16:
      return digest_of(what, numbers.as<const Half>(), first_global_index);
    case NumberType::bf16:
      return digest_of(what, numbers.as<const BFloat16>(), first_global_index);
    case NumberType::fp32:
      return digest_of(what, numbers.as<const float>(), first_global_index);
    default:
      throw Error(fmt::format("no digest of type {}", name(numbers.type)));
  }
}

}  // namespace zerolab
