// Checkpoints. The input is a file behind a byte that says how it is to be taken: as it lies; as
// what a file tells of itself alone, the rest of which is added; or as a file all checksums of
// which are made right, to get behind them. What is opened is looked at a second time here, by the
// README's table, and told and compared as the checkpoint subcommands do.
#include <cmath>
#include <optional>

#include "checkpoint_bytes.hpp"
#include "checkpoint_states.hpp"
#include "memory_file.hpp"
#include "zerolab/report/commands.hpp"

namespace {

using namespace zerolab;

/// Whether all blocks are as they were written, and none is read that is not.
bool read_all(const CheckpointReader& file, std::string_view bytes) {
  const Places places(bytes);
  check(file.head().states.size() == places.states && file.head().elements == places.elements,
        "another number of states or elements");
  bool all_intact = true;
  std::size_t sum = places.sums, begin = places.head + 4;
  for (const SavedState state : file.head().states) {
    bool intact = true, read = true;
    for (std::size_t first = 0; first < places.elements; first += 16384, sum += 4) {
      const std::size_t count = std::min<std::size_t>(16384, places.elements - first);
      intact &=
          crc(bytes.substr(begin + 4 * first, 4 * count)) == number<std::uint32_t>(bytes, sum);
    }
    try {
      file.read(state, 0, places.elements, [&](std::span<const float> values, std::size_t first) {
        check(std::memcmp(values.data(), &bytes[begin + 4 * first], values.size_bytes()) == 0,
              "other numbers than lie in the file");
      });
    } catch (const Error&) {
      read = false;
    }
    check(read == intact, read ? "a damaged block is read" : "an intact block is refused");
    all_intact &= intact;
    begin += 4 * places.elements;
  }
  return all_intact;
}

/// A file whose description was understood, by what the subcommands make of it.
void check_told(const OpenCheckpoint& checkpoint, bool intact) {
  const std::string path = checkpoint.file.path();
  const std::size_t elements = checkpoint.file.head().elements;
  check(checkpoint.shape.parameters() == elements, "another shape");
  check(std::ranges::count(checkpoint.shape.widths, std::size_t{0}) == 0, "a layer of width 0");
  const double scale = checkpoint.saved.at.scaler.scale;
  check(scale >= 1 && scale <= 0x1p24 && std::exp2(std::round(std::log2(scale))) == scale,
        "a loss scale that no run has");
  check(damaged_blocks(checkpoint).empty() == intact, "damage that is not told, or told of none");
  check(checkpoint_command({"info", {path}, "", "-"}) == 0 &&
            checkpoint_command({"info", {path}, "", ""}) == 0,
        "info");
  require_resumable(checkpoint.saved.job, checkpoint.saved, path, {});
  if (intact) {
    check(!digests_of(checkpoint).empty(), "digests");
    check(differences(checkpoint, checkpoint).empty(), "different from itself");
  }
  const std::string again = checkpoint.saved.text();
  if (elements != 6) return;
  const MemoryFile copy(completed(again));
  const OpenCheckpoint other = open_checkpoint(copy.path());
  check(other.saved.text() == again, "not the same when saved again");
  if (intact) differences(checkpoint, other);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  check(std::freopen("/dev/null", "w", stdout) != nullptr, "no /dev/null");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  if (bytes[0] % 3 == 1) text = completed(text);                  // 'd'
  if (bytes[0] % 3 == 2) text = with_checksums(std::move(text));  // 'h'; 'f': as it lies
  const MemoryFile file(text);
  bool intact = false;
  try {
    const CheckpointReader reader(file.path());
    check(well_formed(text), "a file that is none is opened");
    intact = read_all(reader, text);
  } catch (const Error&) {
    check(!well_formed(text), "a good file is refused");
    return 0;
  }
  std::optional<OpenCheckpoint> checkpoint;
  try {
    checkpoint.emplace(open_checkpoint(file.path()));
  } catch (const Error&) {  // a description that no run has written
    return 0;
  }
  check_told(*checkpoint, intact);
  return 0;
}
