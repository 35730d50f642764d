#pragma once

#include <cstddef>
#include <cstdint>

// Counter-based random numbers: a value is a function of its key and index, so any rank can make
// any value without the ones before it, and the bits are the same on every machine.

namespace zerolab {

inline constexpr std::uint64_t random_golden = 0x9E3779B97F4A7C15U;  ///< 2^64 / golden ratio, odd

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t random_mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

/// 64 well-mixed bits of (key, index), in two rounds of it.
constexpr std::uint64_t random_bits(std::uint64_t key, std::uint64_t index) {
  return random_mix(random_mix(key * random_golden + random_golden) + index * random_golden);
}

/// Uniform in [-1, 1), a multiple of 2^-23, so exact in fp32.
float random_symmetric(std::uint64_t key, std::uint64_t index);

/// A permutation of 0 … size-1 keyed by `key`, evaluated at one position in constant memory: a
/// Feistel network on the next power of four, walked until it falls inside.
class Permutation {
 public:
  Permutation(std::uint64_t key, std::uint64_t size);
  std::uint64_t operator()(std::uint64_t position) const;  ///< position < size

 private:
  std::uint64_t once(std::uint64_t value) const;

  std::uint64_t key_;
  std::uint64_t size_;
  unsigned half_bits_ = 1;
};

}  // namespace zerolab
