// Checkpoints: the input is the file, after a first byte. Where that is odd, the rest is what a
// file tells of itself, and is put into one whose checksums are right, to get behind them. What is
// accepted is looked at a second time here, by the README's table.
#include <zlib.h>

#include <cstring>

#include "checkpoint_states.hpp"
#include "memory_file.hpp"

namespace {

using namespace zerolab;

template <class T>
T number(std::string_view file, std::size_t at) {
  T value;
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

std::uint32_t crc(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

/// Whether a file of these bytes is to be opened: its head is right, and it is as long as that
/// says.
bool well_formed(std::string_view file) {
  if (file.size() < 32 || file.substr(0, 8) != std::string_view("zerolab\0", 8)) return false;
  const auto bits = number<std::uint32_t>(file, 24);
  if (number<std::uint32_t>(file, 8) != 1 || (bits & 1U) == 0 || bits > 7) return false;
  const std::uint64_t size = number<std::uint32_t>(file, 12), phi = number<std::uint64_t>(file, 16);
  if (number<std::uint32_t>(file, 28) != 16384 || phi == 0 || phi > file.size()) return false;
  const std::uint64_t states = 1 + (bits >> 1U & 1U) + (bits >> 2U);
  const std::uint64_t head = 32 + size + 4 * states * ((phi + 16383) / 16384);
  if (file.size() != head + 4 + 4 * states * phi) return false;
  return number<std::uint32_t>(file, head) == crc(file.substr(0, head));
}

std::string completed(std::string_view input) {
  CheckpointHead head{std::string(input), 6, {SavedState::master, SavedState::variance}, {}};
  const std::string state(4 * head.elements, '?');
  head.checksums.assign(2, crc(state));
  return head.text() + state + state;
}

void read_all(const CheckpointReader& file, std::string_view bytes) {
  const CheckpointHead& head = file.head();
  for (const SavedState state : head.states) {
    bool intact = true, read = true;
    for (std::size_t first = 0; first < head.elements; first += CheckpointHead::block) {
      const std::size_t count = std::min(CheckpointHead::block, head.elements - first);
      intact &= crc(bytes.substr(head.offset(state, first), 4 * count)) ==
                head.checksums[head.block_of(state, first)];
    }
    try {
      file.read(state, 0, head.elements, [&](std::span<const float> values, std::size_t first) {
        check(std::memcmp(values.data(), bytes.data() + head.offset(state, first),
                          values.size_bytes()) == 0,
              "other numbers than lie in the file");
      });
    } catch (const Error&) {
      read = false;
    }
    check(read == intact, read ? "a damaged block is read" : "an intact block is refused");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(bytes + 1), size - 1);
  const std::string text = bytes[0] % 2 == 0 ? std::string(input) : completed(input);
  const MemoryFile file(text);
  try {
    read_all(CheckpointReader(file.path()), text);
    check(well_formed(text), "a file that is none is opened");
  } catch (const Error&) {
    check(!well_formed(text), "a good file is refused");
  }
  try {
    const OpenCheckpoint checkpoint = open_checkpoint(file.path());
    check(checkpoint.shape.parameters() == checkpoint.file.head().elements, "another shape");
    require_resumable(checkpoint.saved.job, checkpoint.saved, file.path(), {});
    const std::string again = checkpoint.saved.text();
    const MemoryFile copy(completed(again));
    if (checkpoint.file.head().elements == 6)
      check(saved_run(CheckpointReader(copy.path())).text() == again,
            "not the same when saved again");
  } catch (const Error&) {  // a description that no run has written
  }
  return 0;
}
