// Where model states lie: every element of every unit on one rank and back, the table of the ZeRO
// paper's Figure 1 in bytes, and what a job is refused for.
#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <vector>

#include "zerolab/partition/job.hpp"

namespace zerolab {
namespace {

// 7x5+5 and 5x3+3: each (unit, index) has one (rank, offset), found by laying shards side by side,
// and each (rank, offset) leads back; no gap, no overlap.
TEST(Placement, EveryElementHasOnePlace) {
  const NetworkShape shape{{7, 5, 3}};
  ASSERT_EQ(shape.elements(0), 40U);
  ASSERT_EQ(shape.elements(1), 18U);
  for (const std::size_t ranks : {1U, 2U, 3U, 4U, 6U, 8U, 19U}) {
    for (std::size_t unit = 0; unit < shape.units(); ++unit) {
      SCOPED_TRACE(fmt::format("unit {} on {} ranks", unit, ranks));
      const std::size_t elements = shape.elements(unit);
      const Shards cut{elements, ranks};
      std::vector<std::size_t> visits(elements, 0);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::size_t size = placed(Placement::shard, elements, ranks, rank);
        EXPECT_EQ(size, cut.size(rank));
        EXPECT_EQ(placed(Placement::full, elements, ranks, rank), elements);
        for (std::size_t offset = 0; offset < size; ++offset) {
          const std::size_t index = cut.first(rank) + offset;
          ASSERT_LT(index, elements);
          ++visits[index];
          EXPECT_EQ(cut.owner(index), rank);
          EXPECT_EQ(index - cut.first(cut.owner(index)), offset);
        }
      }
      EXPECT_EQ(visits, std::vector<std::size_t>(elements, 1));
      for (std::size_t index = 0; index < elements; ++index) {
        const std::size_t rank = cut.owner(index), offset = index - cut.first(rank);
        ASSERT_LT(rank, ranks);
        EXPECT_LT(offset, placed(Placement::shard, elements, ranks, rank));
      }
    }
  }
}

/// Bytes on a rank of 2-byte parameters and gradients and 12 bytes of optimizer states an element.
std::size_t state_bytes(int stage, std::size_t elements, std::size_t ranks, std::size_t rank) {
  const Placements at = placements_of(stage);
  return 2 * placed(at.parameters, elements, ranks, rank) +
         2 * placed(at.gradients, elements, ranks, rank) +
         12 * placed(at.optimizer_states, elements, ranks, rank);
}

// A million parameters on 4 ranks, 16-bit with Adam: 16 / 7 / 5.5 / 4 MB on each; and the paper's
// own Figure 1, 7.5 billion on 64: 120 / 31.4 / 16.6 / 1.9 GB.
TEST(Placement, BytesOfThePaper) {
  constexpr std::array<std::size_t, 4> million{16'000'000, 7'000'000, 5'500'000, 4'000'000};
  constexpr std::array<double, 4> figure{120, 31.4, 16.6, 1.9};
  for (int stage = 0; stage < 4; ++stage) {
    const auto s = static_cast<std::size_t>(stage);
    for (std::size_t rank = 0; rank < 4; ++rank)
      EXPECT_EQ(state_bytes(stage, 1'000'000, 4, rank), million[s]) << stage;
    const std::size_t bytes = state_bytes(stage, 7'500'000'000, 64, 0);
    EXPECT_NEAR(static_cast<double>(bytes) * 1e-9, figure[s], 0.05) << stage;
  }
}

// Over all ranks: what is full is there N times, what is sharded once, ragged or not.
TEST(Placement, RanksAddUp) {
  for (const std::size_t elements : {0U, 1U, 18U, 40U, 1001U}) {
    for (std::size_t ranks = 1; ranks <= 8; ++ranks) {
      const std::array<std::size_t, 4> expected{16 * ranks, 4 * ranks + 12, 2 * ranks + 14, 16};
      for (int stage = 0; stage < 4; ++stage) {
        std::size_t sum = 0;
        for (std::size_t r = 0; r < ranks; ++r) sum += state_bytes(stage, elements, ranks, r);
        EXPECT_EQ(sum, expected[static_cast<std::size_t>(stage)] * elements) << stage;
      }
    }
  }
}

TEST(Placement, RefusesOtherStages) {
  for (const int stage : {-1, 4, 100}) EXPECT_THROW(placements_of(stage), Error);
}

// A layer may have INT_MAX elements, what one MPI call counts, and not one more; a batch must have
// a size that can be said.
TEST(Job, RefusesWhatCannotBeCounted) {
  const auto job = [](std::vector<std::size_t> widths, std::size_t batch, std::size_t accumulate) {
    Job made;
    made.shape.widths = std::move(widths);
    made.batch = batch;
    made.accumulate = accumulate;
    return made;
  };
  EXPECT_NO_THROW(check_job(job({64, 128, 10}, 32, 1), 8));
  EXPECT_NO_THROW(check_job(job({INT_MAX - 1, 1}, 1, 1), 2));
  EXPECT_THROW(check_job(job({INT_MAX, 1}, 1, 1), 2), Error);
  EXPECT_THROW(check_job(job({65'535, 65'536}, 1, 1), 2), Error);
  EXPECT_THROW(check_job(job({8, std::size_t{1} << 40U}, 1, 1), 2), Error);
  EXPECT_THROW(check_job(job({8, SIZE_MAX / 4, 8}, 1, 1), 2), Error);
  EXPECT_THROW(check_job(job({64, 10}, 32, SIZE_MAX / 64), 8), Error);
  EXPECT_THROW(check_job(job({64, 10}, SIZE_MAX / 16, 1), 1), Error);
}

}  // namespace
}  // namespace zerolab
