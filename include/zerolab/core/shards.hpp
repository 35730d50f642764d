#pragma once

#include <algorithm>
#include <cstddef>

namespace zerolab {

/// How `elements` are cut into one ragged shard per rank: the first (elements mod ranks) ranks hold
/// one element more. No padding; with fewer elements than ranks the last shards are empty.
struct Shards {
  std::size_t elements;
  std::size_t ranks;

  constexpr std::size_t size(std::size_t rank) const {
    return elements / ranks + (rank < elements % ranks ? 1 : 0);
  }
  /// Index of the rank's first element in the full vector.
  constexpr std::size_t first(std::size_t rank) const {
    return rank * (elements / ranks) + std::min(rank, elements % ranks);
  }
  constexpr bool even() const { return elements % ranks == 0; }
  /// The rank whose shard holds element `index` of the full vector.
  constexpr std::size_t owner(std::size_t index) const {
    const std::size_t small = elements / ranks, longer = elements % ranks;
    if (index < longer * (small + 1)) return index / (small + 1);
    return longer + (index - longer * (small + 1)) / small;
  }
};

/// Shards walked in chunks of at most `limit` elements in all: a chunk takes the same relative
/// piece of every shard, so that each chunk is itself cut raggedly. Needs limit >= ranks.
struct Chunks {
  Shards shards;
  std::size_t piece;  ///< elements of one shard in one chunk, at most

  constexpr Chunks(Shards cut, std::size_t limit)
      : shards(cut), piece(cut.elements <= limit ? cut.size(0) : limit / cut.ranks) {}

  constexpr std::size_t count() const {
    return piece == 0 ? 0 : (shards.size(0) + piece - 1) / piece;
  }
  constexpr std::size_t size(std::size_t chunk, std::size_t rank) const {
    return std::min(piece, shards.size(rank) - std::min(chunk * piece, shards.size(rank)));
  }
  /// Index of the rank's piece in the full vector.
  constexpr std::size_t first(std::size_t chunk, std::size_t rank) const {
    return shards.first(rank) + std::min(chunk * piece, shards.size(rank));
  }
};

}  // namespace zerolab
