#include "zerolab/core/random.hpp"

namespace zerolab {

float random_symmetric(std::uint64_t key, std::uint64_t index) {
  const auto top24 = static_cast<std::int32_t>(random_bits(key, index) >> 40U);
  return static_cast<float>(top24 - (1 << 23)) * 0x1p-23F;
}

Permutation::Permutation(std::uint64_t key, std::uint64_t size) : key_(key), size_(size) {
  while (half_bits_ < 32 && (std::uint64_t{1} << (2 * half_bits_)) < size) ++half_bits_;
}

std::uint64_t Permutation::once(std::uint64_t value) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_, right = value & mask;
  for (std::uint64_t round = 0; round < 6; ++round) {
    const std::uint64_t next = left ^ (random_bits(key_ + round * random_golden, right) & mask);
    left = right;
    right = next;
  }
  return (left << half_bits_) | right;
}

std::uint64_t Permutation::operator()(std::uint64_t position) const {
  do {
    position = once(position);
  } while (position >= size_);
  return position;
}

}  // namespace zerolab
