#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

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

 private:
  std::size_t place(SavedState state) const;
};

/// A file descriptor, closed at the end of the scope. Reads and writes are whole or throw Error
/// naming the file.
class PlainFile {
 public:
  PlainFile(std::string path, int flags);
  PlainFile(PlainFile&& other) noexcept;
  PlainFile& operator=(PlainFile&&) = delete;
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile();

  const std::string& path() const { return path_; }
  std::size_t size() const;
  void resize(std::size_t bytes);
  void read(std::span<std::byte> bytes, std::size_t offset) const;
  void write(std::span<const std::byte> bytes, std::size_t offset);
  void sync();  ///< to the disk

 private:
  std::string path_;
  int file_;
};

/// One rank's hand in writing a file: the rank that creates it, then every rank its shards, then,
/// with the checksums of all, one rank the head. Until then the file is none.
class CheckpointWriter {
 public:
  /// `head`: without checksums. Makes an empty file of full length, or opens it.
  static void create(const std::string& path, const CheckpointHead& head);
  CheckpointWriter(const std::string& path, CheckpointHead head);

  /// values: elements [first, first + size) of the whole state.
  void write(SavedState state, std::size_t first, std::span<const float> values);
  void sync() { file_.sync(); }
  /// What this rank has written adds to the checksums of the blocks; over all ranks, exclusive-or
  /// makes them whole (a CRC is linear), so no rank needs to see another's shard.
  std::vector<std::uint32_t>& checksums() { return head_.checksums; }
  void write_head();

 private:
  PlainFile file_;
  CheckpointHead head_;
};

/// A complete file, opened to be read. Throws Error naming the file and what is wrong with it.
class CheckpointReader {
 public:
  explicit CheckpointReader(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const CheckpointHead& head() const { return head_; }
  /// Of the head, and by its checksums of all that the file holds.
  std::uint32_t checksum() const;
  /// Hands over elements [first, first + count) piece by piece, each from a block whose checksum
  /// was found right: take(values, index of the first in the whole state).
  using Take = std::function<void(std::span<const float> values, std::size_t first)>;
  void read(SavedState state, std::size_t first, std::size_t count, const Take& take) const;

 private:
  PlainFile file_;
  CheckpointHead head_;
};

}  // namespace zerolab
