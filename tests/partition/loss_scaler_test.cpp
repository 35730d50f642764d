// The loss scale as a small machine: every transition, both bounds, and how it ends a job.
#include "zerolab/partition/loss_scaler.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zerolab {
namespace {

constexpr std::size_t never = 1'000'000;

// 2^16 at first; halved by each overflow down to 1 and no further.
TEST(LossScaler, HalvesDownToOne) {
  LossScaler scaler({.fixed = {}, .max_skips = never});
  EXPECT_EQ(scaler.scale(), 65'536);
  double expected = 65'536;
  for (std::size_t i = 1; i <= 20; ++i) {
    expected = expected > 1 ? expected / 2 : 1;
    scaler.skip();
    EXPECT_EQ(scaler.scale(), expected) << "after " << i << " overflows";
    EXPECT_EQ(scaler.skips(), i);
  }
  EXPECT_EQ(scaler.scale(), 1);
}

// Doubled after each growth interval up to 2^24 and no further.
TEST(LossScaler, DoublesUpToItsBound) {
  LossScaler scaler({.fixed = {}, .growth_interval = 3});
  double expected = 65'536;
  for (int i = 1; i <= 40; ++i) {
    scaler.grow();
    if (i % 3 == 0 && expected < 0x1p24) expected *= 2;
    EXPECT_EQ(scaler.scale(), expected) << "after " << i << " updates";
  }
  EXPECT_EQ(scaler.scale(), 0x1p24);
  EXPECT_EQ(scaler.skips(), 0U);
  scaler.skip();
  EXPECT_EQ(scaler.scale(), 0x1p23);
}

TEST(LossScaler, DefaultIntervalIs1000Updates) {
  LossScaler scaler({});
  for (int i = 0; i < 999; ++i) scaler.grow();
  EXPECT_EQ(scaler.scale(), 65'536);
  scaler.grow();
  EXPECT_EQ(scaler.scale(), 131'072);
}

// Updates count in a row: an overflow starts the interval anew.
TEST(LossScaler, OverflowRestartsTheInterval) {
  LossScaler scaler({.fixed = {}, .growth_interval = 3});
  scaler.grow();
  scaler.grow();
  scaler.skip();
  EXPECT_EQ(scaler.scale(), 32'768);
  scaler.grow();
  scaler.grow();
  EXPECT_EQ(scaler.scale(), 32'768);
  scaler.grow();
  EXPECT_EQ(scaler.scale(), 65'536);
}

// A fixed scale stays, whatever happens; skips are counted all the same.
TEST(LossScaler, FixedScaleStays) {
  LossScaler scaler({.fixed = 8.0, .growth_interval = 1, .max_skips = never});
  for (int i = 0; i < 5; ++i) {
    scaler.grow();
    EXPECT_EQ(scaler.scale(), 8);
    scaler.skip();
    EXPECT_EQ(scaler.scale(), 8);
  }
  EXPECT_EQ(scaler.skips(), 5U);
}

/// What the skip that ends the job says; empty if it does not.
std::string last_words(LossScaler& scaler) {
  try {
    scaler.skip();
  } catch (const AgreedError& error) {
    return error.what();
  }
  return "";
}

// The last allowed skip in a row ends the job with a fault that all ranks share, and says how many
// there were, at what scale.
TEST(LossScaler, EndsTheJobAfterTooManySkipsInARow) {
  LossScaler scaler({.fixed = {}, .max_skips = 7});
  for (int i = 0; i < 6; ++i) EXPECT_EQ(last_words(scaler), "");
  const std::string words = last_words(scaler);
  EXPECT_NE(words.find("7 steps in a row"), std::string::npos) << words;
  EXPECT_NE(words.find("512"), std::string::npos) << words;
  EXPECT_EQ(scaler.skips(), 7U);

  LossScaler fixed({.fixed = 2.0, .max_skips = 3});
  EXPECT_EQ(last_words(fixed) + last_words(fixed), "");
  EXPECT_NE(last_words(fixed).find("3 steps in a row"), std::string::npos);

  LossScaler impatient({.fixed = {}, .max_skips = 1});
  EXPECT_NE(last_words(impatient), "");
}

// An update in between starts that count anew, for a dynamic scale and a fixed one; skips() counts
// them all.
TEST(LossScaler, AnUpdateForgivesSkips) {
  for (const std::optional<double> fixed : {std::optional<double>(), std::optional(4.0)}) {
    LossScaler scaler({.fixed = fixed, .max_skips = 3});
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(last_words(scaler) + last_words(scaler), "");
      scaler.grow();
    }
    EXPECT_EQ(scaler.skips(), 20U);
    EXPECT_EQ(last_words(scaler) + last_words(scaler), "");
    EXPECT_NE(last_words(scaler), "");
  }
}

TEST(LossScaler, DefaultIs50SkipsInARow) {
  LossScaler scaler({});
  for (int i = 0; i < 49; ++i) EXPECT_NO_THROW(scaler.skip());
  EXPECT_THROW(scaler.skip(), AgreedError);
}

}  // namespace
}  // namespace zerolab
