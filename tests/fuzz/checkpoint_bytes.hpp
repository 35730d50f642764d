// A checkpoint file's bytes by the README's table, worked out here a second time.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "zerolab/partition/checkpoint_file.hpp"

template <class T>
inline T number(std::string_view file, std::size_t at) {
  T value;
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

inline std::uint32_t crc(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

/// Where a file's parts lie by what its first bytes say; no states: they cannot lie in it.
struct Places {
  std::uint64_t sums = 0, head = 0, elements = 0, states = 0;  ///< head: of the head's checksum

  explicit Places(std::string_view file) {
    if (file.size() < 32) return;
    const auto bits = number<std::uint32_t>(file, 24);
    elements = number<std::uint64_t>(file, 16);
    if (elements == 0 || elements > file.size()) return;
    states = (bits & 1U) + (bits >> 1U & 1U) + (bits >> 2U & 1U);
    sums = 32 + std::uint64_t{number<std::uint32_t>(file, 12)};
    head = sums + 4 * states * ((elements + 16383) / 16384);
    if (file.size() != head + 4 + 4 * states * elements) states = 0;
  }
};

/// Whether a file of these bytes is to be opened: its head is right, and it is as long as that
/// says.
inline bool well_formed(std::string_view file) {
  const Places places(file);
  if (places.states == 0) return false;
  const auto bits = number<std::uint32_t>(file, 24);
  return file.substr(0, 8) == std::string_view("zerolab\0", 8) &&
         number<std::uint32_t>(file, 8) == 1 && (bits & 1U) == 1 && bits <= 7 &&
         number<std::uint32_t>(file, 28) == 16384 &&
         number<std::uint32_t>(file, places.head) == crc(file.substr(0, places.head));
}

/// A whole file of this description and the states of 6 parameters.
inline std::string completed(std::string_view description) {
  using zerolab::SavedState;
  zerolab::CheckpointHead head{
      std::string(description), 6, {SavedState::master, SavedState::variance}, {}};
  const std::string state(4 * head.elements, '?');
  head.checksums.assign(2, crc(state));
  return head.text() + state + state;
}

/// The same file with right checksums of blocks and head, where it is as long as its head says.
inline std::string with_checksums(std::string file) {
  const Places places(file);
  const auto set = [&](std::size_t at, std::uint32_t sum) { std::memcpy(&file[at], &sum, 4); };
  std::size_t sum = places.sums;
  for (std::uint64_t s = 0; s < places.states; ++s) {
    const std::size_t begin = places.head + 4 + 4 * s * places.elements;
    for (std::size_t first = 0; first < places.elements; first += 16384, sum += 4)
      set(sum, crc(std::string_view(file).substr(
                   begin + 4 * first, 4 * std::min<std::size_t>(16384, places.elements - first))));
  }
  if (places.states > 0) set(sum, crc(std::string_view(file).substr(0, sum)));
  return file;
}
