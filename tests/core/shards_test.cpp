// Ragged shards against the definition: deal the elements out one by one and look where each went.
#include "zerolab/core/shards.hpp"

#include <gtest/gtest.h>

namespace zerolab {
namespace {

// No gap, no overlap, none left over, in rank order; owner() is the inverse of first() and size().
TEST(Shards, CoverEveryElementOnce) {
  for (std::size_t elements = 0; elements <= 50; ++elements) {
    for (std::size_t ranks = 1; ranks <= 9; ++ranks) {
      const Shards shards{elements, ranks};
      std::size_t next = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(shards.first(rank), next) << elements << '/' << ranks;
        for (std::size_t i = 0; i < shards.size(rank); ++i, ++next)
          EXPECT_EQ(shards.owner(next), rank) << elements << '/' << ranks << " element " << next;
      }
      EXPECT_EQ(next, elements) << ranks;
    }
  }
}

// A rank holds what round-robin dealing would give it, so sizes differ by one at most, longer
// first.
TEST(Shards, SizesAreThoseOfDealing) {
  for (std::size_t elements = 0; elements <= 50; ++elements) {
    for (std::size_t ranks = 1; ranks <= 9; ++ranks) {
      std::size_t dealt[9]{};
      for (std::size_t i = 0; i < elements; ++i) ++dealt[i % ranks];
      const Shards shards{elements, ranks};
      for (std::size_t rank = 0; rank < ranks; ++rank) EXPECT_EQ(shards.size(rank), dealt[rank]);
      EXPECT_EQ(shards.even(), dealt[0] == dealt[ranks - 1]) << elements << '/' << ranks;
    }
  }
}

// Sizes beyond 32 bits: 2^40 + 5 elements on 7 ranks; 2^40 = 4 mod 7, so ranks 0 and 1 hold one
// more.
TEST(Shards, LargeSizes) {
  constexpr Shards shards{std::size_t{1} << 40U, 7};
  EXPECT_EQ(shards.size(1), shards.size(2) + 1);
  EXPECT_EQ(shards.first(6) + shards.size(6), shards.elements);
  EXPECT_EQ(shards.owner(shards.elements - 1), 6U);
  EXPECT_EQ(shards.owner(shards.first(4)), 4U);
  EXPECT_EQ(shards.owner(shards.first(4) - 1), 3U);
}

// The pieces of a rank follow one another through its shard, and a chunk of all ranks is no larger
// than allowed.
TEST(Chunks, CoverEveryShardOnceWithinTheLimit) {
  for (std::size_t elements = 0; elements <= 50; ++elements) {
    for (std::size_t ranks = 1; ranks <= 9; ++ranks) {
      for (std::size_t limit = ranks; limit <= 60; limit += 3) {
        const Shards shards{elements, ranks};
        const Chunks chunks(shards, limit);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          std::size_t next = shards.first(rank);
          for (std::size_t c = 0; c < chunks.count(); next += chunks.size(c++, rank))
            EXPECT_EQ(chunks.first(c, rank), next) << elements << '/' << ranks << " by " << limit;
          EXPECT_EQ(next, shards.first(rank) + shards.size(rank)) << elements << '/' << ranks;
        }
        for (std::size_t c = 0; c < chunks.count(); ++c) {
          std::size_t sum = 0;
          for (std::size_t rank = 0; rank < ranks; ++rank) sum += chunks.size(c, rank);
          EXPECT_LE(sum, limit) << elements << '/' << ranks;
        }
      }
    }
  }
}

}  // namespace
}  // namespace zerolab
