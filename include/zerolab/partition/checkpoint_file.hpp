#pragma once

#include <functional>

#include "zerolab/partition/checkpoint_head.hpp"

namespace zerolab {

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
