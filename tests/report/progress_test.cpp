// The words of the progress line, from numbers whose results are plain.
#include "zerolab/report/progress.hpp"

#include <gtest/gtest.h>

namespace zerolab {
namespace {

/// Epochs of so many steps.
BatchPlan epochs_of(std::size_t steps) {
  return {steps, 1, 1, 1, 1};
}

// 30 of 120 steps of 4 epochs in 15 s, 64 samples each: the first epoch ends, 45 s are left.
const Position quarter{30, 120, epochs_of(30), 0.25, 30 * 64, 15};

TEST(Progress, TellsEpochLossSpeedAndTimeLeft) {
  EXPECT_EQ(progress_line("stage 2", quarter, 100),
            "stage 2 · epoch 1/4 · loss 0.2500 · 128 samples/s · 45 s left · step 30/120");
}

TEST(Progress, TheNextEpochBeginsWithItsFirstStep) {
  Position at = quarter;
  at.done = 31;
  EXPECT_NE(progress_line("", at, 100).find("epoch 2/4"), std::string::npos);
  at.done = at.steps;
  const std::string last = progress_line("", at, 100);
  EXPECT_NE(last.find("epoch 4/4"), std::string::npos);
  EXPECT_NE(last.find(" 0 s left"), std::string::npos);
}

TEST(Progress, APartOfAnEpochCountsAsOne) {
  EXPECT_NE(progress_line("", {1, 31, epochs_of(30), 0, 64, 1}, 100).find("epoch 1/2"),
            std::string::npos);
}

// Resumed after 20 steps of 10 that made an epoch each, now of 30: 5 more in 10 s, 15 are left of
// this, the third epoch, and 30 of the fourth.
TEST(Progress, AResumedRunCountsItsOwnSteps) {
  BatchPlan plan = epochs_of(30);
  plan.first_step = 20;
  plan.origin = {2, 10};
  EXPECT_EQ(progress_line("", {25, 70, plan, 0, 5, 10}, 100),
            " · epoch 3/4 · loss 0.0000 · 0 samples/s · 1 min 30 s left · step 25/70");
}

TEST(Progress, LongTimesInMinutesAndHours) {
  const auto left = [](double seconds) {
    const std::string line = progress_line("", {1, 2, epochs_of(2), 0, 1, seconds}, 100);
    return line.substr(0, line.find(" left")).substr(line.find("samples/s · ") + 13);
  };
  EXPECT_EQ(left(59), "59 s");
  EXPECT_EQ(left(61), "1 min 01 s");
  EXPECT_EQ(left(3600 + 120), "1 h 02 min");
}

TEST(Progress, FitsTheTerminal) {
  for (std::size_t columns = 1; columns < 100; ++columns) {
    const std::string line = progress_line("stage 2", quarter, columns);
    std::size_t shown = 0;
    for (const char c : line) shown += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    EXPECT_LE(shown, columns) << line;
  }
  EXPECT_EQ(progress_line("stage 2", quarter, 40), "stage 2 · epoch 1/4 · loss 0.2500");
}

}  // namespace
}  // namespace zerolab
