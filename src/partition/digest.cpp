#include "zerolab/partition/digest.hpp"

#include <bit>

#include "zerolab/core/random.hpp"

namespace zerolab {

namespace {

template <class T, class Bits>
std::uint64_t sum_of_hashes(std::uint64_t salt, ConstNumbers numbers, std::size_t first,
                            Bits bits) {
  std::uint64_t sum = 0;
  const auto values = numbers.as<const T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += random_bits(random_bits(salt, first + i), bits(values[i]));
  }
  return sum;
}

}  // namespace

std::uint64_t digest(Digested what, ConstNumbers numbers, std::size_t first_global_index) {
  const auto salt = static_cast<std::uint64_t>(what);
  // Which sign and payload a NaN has is the CPU's choice, and the compiler's: all count as one.
  const auto sixteen = [](auto infinity) {
    return [infinity](auto value) -> std::uint64_t {
      return (value.bits & 0x7FFFU) > infinity ? 0x7FFFU : value.bits;
    };
  };
  const auto thirty_two = [](float value) -> std::uint64_t {
    return value != value ? 0x7FFF'FFFFU : std::bit_cast<std::uint32_t>(value);
  };
  switch (numbers.type) {
    case NumberType::fp16:
      return sum_of_hashes<Half>(salt, numbers, first_global_index, sixteen(0x7C00U));
    case NumberType::bf16:
      return sum_of_hashes<BFloat16>(salt, numbers, first_global_index, sixteen(0x7F80U));
    case NumberType::fp32:
      return sum_of_hashes<float>(salt, numbers, first_global_index, thirty_two);
    default:
      throw Error(fmt::format("no digest of type {}", name(numbers.type)));
  }
}

}  // namespace zerolab
