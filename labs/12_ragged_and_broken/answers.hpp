#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "zerolab/core/random.hpp"

namespace lab {

/// What stands in the check in place of the name of a patient's fault.
inline std::uint64_t answer(std::size_t patient, std::string_view fault) {
  std::uint64_t h = patient;
  for (const char c : fault) h = zerolab::random_bits(h, static_cast<unsigned char>(c));
  return h;
}

/// Of patients 1 to 12, made from patients.faults by patients.sh.
inline constexpr std::array<std::uint64_t, 12> answers{
#include "answers.inc"
};

}  // namespace lab
