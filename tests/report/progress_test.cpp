// The words of the progress line, from numbers whose results are plain.
#include "zerolab/report/progress.hpp"

#include <gtest/gtest.h>

namespace zerolab {
namespace {

// 30 of 120 steps of 4 epochs in 15 s, 64 samples each: the first epoch ends, 45 s are left.
const Position quarter{30, 120, 30, 0.25, 30 * 64, 15};

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
  EXPECT_NE(progress_line("", {1, 31, 30, 0, 64, 1}, 100).find("epoch 1/2"), std::string::npos);
}

TEST(Progress, LongTimesInMinutesAndHours) {
  const auto left = [](double seconds) {
    const std::string line = progress_line("", {1, 2, 2, 0, 1, seconds}, 100);
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
