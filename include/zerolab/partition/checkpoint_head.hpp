#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zerolab/core/plain_file.hpp"
#include "zerolab/core/require.hpp"

// The file that holds a training state: all states whole, in the global order of their elements, so
// that neither stage nor number of ranks shows. README, "The checkpoint file", gives it to the
// byte.

namespace zerolab {

/// The states a file may hold, in the order in which they lie there; each fp32 [Φ].
enum class SavedState : std::uint32_t { master, momentum, variance };
inline constexpr std::size_t saved_states = 3;
const char* name(SavedState state);

/// All of a checkpoint file but the states: what it holds, and where.
struct CheckpointHead {
  static constexpr std::size_t block = 16384;  ///< elements under one checksum; the last are fewer
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint32_t longest_description = 1U << 20U;  ///< bytes

  std::string description;               ///< JSON
  std::size_t elements = 0;              ///< Φ
  std::vector<SavedState> states;        ///< master first, the others where the optimizer has them
  std::vector<std::uint32_t> checksums;  ///< [states · blocks], CRC-32 of the blocks' bytes

  bool holds(SavedState state) const;
  std::size_t blocks() const { return elements / block + (elements % block > 0 ? 1 : 0); }
  std::size_t bytes() const;  ///< of the head itself
  std::size_t file_bytes() const { return bytes() + states.size() * elements * sizeof(float); }
  /// Where an element lies, in bytes; throws Error when the file has no such state.
  std::size_t offset(SavedState state, std::size_t element) const;
  /// Of the block that an element lies in, in `checksums`.
  std::size_t block_of(SavedState state, std::size_t element) const;
  std::string text() const;  ///< the head's bytes, its own checksum included
  /// Throws Error naming the file and what is wrong with its head or its length.
  static CheckpointHead read(const PlainFile& file);

 private:
  std::size_t place(SavedState state) const;
};

/// zlib's CRC-32.
std::uint32_t crc_of(const void* bytes, std::size_t size);

}  // namespace zerolab
