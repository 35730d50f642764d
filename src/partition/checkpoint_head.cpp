#include "zerolab/partition/checkpoint_head.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace zerolab {

namespace {

constexpr std::array<char, 8> magic{'z', 'e', 'r', 'o', 'l', 'a', 'b', '\0'};

/// The bytes that every file begins with.
struct Start {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t description_bytes;
  std::uint64_t elements;
  std::uint32_t states;  ///< bit i: SavedState i is there
  std::uint32_t block;   ///< elements
};
static_assert(sizeof(Start) == 32);

template <class T>
void append(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Which states a bit set names; none when it is no set that a file may have.
std::vector<SavedState> states_of(std::uint32_t bits) {
  std::vector<SavedState> states;
  if ((bits & 1U) == 0 || bits >= 1U << saved_states) return states;
  for (std::uint32_t i = 0; i < saved_states; ++i)
    if ((bits >> i & 1U) != 0) states.push_back(static_cast<SavedState>(i));
  return states;
}

}  // namespace

std::uint32_t crc_of(const void* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), static_cast<const Bytef*>(bytes), size));
}

const char* name(SavedState state) {
  constexpr std::array<const char*, saved_states> names{"master", "momentum", "variance"};
  return names[static_cast<std::size_t>(state)];
}

bool CheckpointHead::holds(SavedState state) const {
  return std::find(states.begin(), states.end(), state) != states.end();
}

std::size_t CheckpointHead::place(SavedState state) const {
  const auto found = std::find(states.begin(), states.end(), state);
  require(found != states.end(), "the checkpoint holds no {}", name(state));
  return static_cast<std::size_t>(found - states.begin());
}

std::size_t CheckpointHead::bytes() const {
  return sizeof(Start) + description.size() +
         sizeof(std::uint32_t) * (states.size() * blocks() + 1);
}

std::size_t CheckpointHead::offset(SavedState state, std::size_t element) const {
  return bytes() + (place(state) * elements + element) * sizeof(float);
}

std::size_t CheckpointHead::block_of(SavedState state, std::size_t element) const {
  return place(state) * blocks() + element / block;
}

std::string CheckpointHead::text() const {
  Start start{magic, version, static_cast<std::uint32_t>(description.size()), elements, 0, block};
  for (const SavedState state : states) start.states |= 1U << static_cast<std::uint32_t>(state);
  std::string text;
  append(text, start);
  text += description;
  for (const std::uint32_t sum : checksums) append(text, sum);
  append(text, crc_of(text.data(), text.size()));
  return text;
}

// No number is trusted before its checksum has been found right.
CheckpointHead CheckpointHead::read(const PlainFile& file) {
  const std::size_t size = file.size();
  const std::string& path = file.path();
  Start start{};
  require(size >= sizeof start, "{}: {} bytes are no checkpoint (truncated?)", path, size);
  file.read(std::as_writable_bytes(std::span(&start, 1)), 0);
  require(start.magic == magic,
          "{}: no checkpoint of zerolab, or one that was not completed: it begins with other bytes",
          path);
  require(start.version == version, "{}: format version {}; this program reads version {}", path,
          start.version, version);
  CheckpointHead head{std::string(), start.elements, states_of(start.states), {}};
  // Bounds that no file of this size can break, before anything is allocated or multiplied.
  const bool possible = !head.states.empty() && start.block == block &&
                        start.description_bytes <= longest_description && start.elements > 0 &&
                        start.elements <= size / sizeof(float);
  require(possible, "{}: damaged: its head is not possible in a file of {} bytes", path, size);
  head.description.resize(start.description_bytes);
  require(head.file_bytes() == size, "{}: {} bytes, but its head tells of {} ({})", path, size,
          head.file_bytes(),
          size < head.file_bytes() ? "truncated?" : "bytes left over, or damaged");
  head.checksums.resize(head.states.size() * head.blocks());
  std::string text(head.bytes(), '\0');
  file.read(std::as_writable_bytes(std::span(text)), 0);
  std::uint32_t found = 0;
  std::memcpy(&found, text.data() + text.size() - sizeof found, sizeof found);
  require(found == crc_of(text.data(), text.size() - sizeof found),
          "{}: damaged: the checksum of its head is wrong", path);
  const char* const description = text.data() + sizeof start;
  std::copy_n(description, head.description.size(), head.description.data());
  std::memcpy(head.checksums.data(), description + head.description.size(),
              head.checksums.size() * sizeof head.checksums[0]);
  return head;
}

}  // namespace zerolab
