// The watchdog barks at a call that lasts, with what is known of it, and at nothing else.
#include "zerolab/core/watchdog.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <vector>

namespace zerolab {
namespace {

using Clock = std::chrono::steady_clock;
using Inside = Watchdog::Inside;

void sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// Counts, and keeps the last call that was barked at; read when the watchdog has ended, or after
/// `times` has been seen to grow.
struct Ear {
  std::atomic<int> times{0};
  Watchdog::Call last{};

  Watchdog::Bark bark() {
    return [this](const Watchdog::Call& call) {
      last = call;
      ++times;
    };
  }
  bool hears(int count, double seconds = 10) const {
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    while (times < count && Clock::now() < deadline) sleep(0.001);
    return times >= count;
  }
};

TEST(Watchdog, IsSilentInsideTheLimit) {
  Ear ear;
  Watchdog watchdog(2, ear.bark());
  const Inside call(&watchdog, "MPI_Barrier");
  EXPECT_FALSE(ear.hears(1, 0.5));
}

TEST(Watchdog, IsSilentWhileTheRankComputes) {
  Ear ear;
  Watchdog watchdog(0.1, ear.bark());
  EXPECT_FALSE(ear.hears(1, 0.5)) << "before the first call";
  { const Inside call(&watchdog, "MPI_Barrier"); }
  EXPECT_FALSE(ear.hears(1, 0.5)) << "between calls";
}

TEST(Watchdog, BarksOnceBeyondTheLimitAndSaysWhere) {
  Ear ear;
  Watchdog watchdog(0.2, ear.bark());
  { const Inside call(&watchdog, "MPI_Barrier"); }
  watchdog.note_step(7);
  const auto begin = Clock::now();
  const Inside call(&watchdog, "MPI_Allreduce", 12);
  ASSERT_TRUE(ear.hears(1));
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(200));
  EXPECT_STREQ(ear.last.name, "MPI_Allreduce");
  EXPECT_EQ(ear.last.elements, 12U);
  EXPECT_EQ(ear.last.number, 2U);
  EXPECT_EQ(ear.last.step, 7U);
  EXPECT_FALSE(ear.hears(2, 0.6)) << "the same call, three more limits";
}

TEST(Watchdog, BarksAgainAtAnotherCall) {
  Ear ear;
  Watchdog watchdog(0.1, ear.bark());
  for (int n = 1; n <= 2; ++n) {
    const Inside call(&watchdog, "MPI_Wait");
    ASSERT_TRUE(ear.hears(n));
    EXPECT_EQ(ear.last.number, static_cast<std::uint64_t>(n));
  }
}

TEST(Watchdog, CallsThatChangeDoNotAddUp) {
  Ear ear;
  Watchdog watchdog(1, ear.bark());
  for (int n = 0; n < 100; ++n) {  // 2 s in calls, with next to nothing between them
    const Inside call(&watchdog, "MPI_Barrier");
    sleep(0.02);
  }
  EXPECT_EQ(ear.times, 0);
}

// Short calls, some of which last: what is told belongs to one call, never to two.
TEST(Watchdog, TellsNameElementsAndNumberOfTheSameCall) {
  std::vector<Watchdog::Call> told;
  std::uint64_t calls = 0;
  {
    Watchdog watchdog(0.01, [&told](const Watchdog::Call& call) { told.push_back(call); });
    const auto end = Clock::now() + std::chrono::seconds(1);
    while (Clock::now() < end) {
      ++calls;
      watchdog.note_step(calls);
      const Inside call(&watchdog, calls % 2 == 0 ? "even" : "odd", calls);
      if (calls % 5'000 < 2) sleep(0.03);
    }
  }
  EXPECT_GE(told.size(), 1U) << calls << " calls";
  for (const Watchdog::Call& call : told) {
    EXPECT_STREQ(call.name, call.number % 2 == 0 ? "even" : "odd");
    EXPECT_EQ(call.elements, call.number);
    EXPECT_EQ(call.step, call.number);
  }
}

/// Whether a watchdog with a limit of 1 s barks in a process that is in one call, in which it is
/// stopped by a signal and continued 2.5 s later, or sleeps as long.
bool barks(bool suspended) {
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> times{0};
    Watchdog watchdog(1, [&times](const Watchdog::Call&) { ++times; });
    const Inside call(&watchdog, "MPI_Barrier");
    sleep(0.1);
    if (suspended) {
      raise(SIGSTOP);
    } else {
      sleep(2.5);
    }
    sleep(0.1);
    _exit(times);
  }
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  if (suspended) {
    EXPECT_TRUE(WIFSTOPPED(status));
    sleep(2.5);
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
  }
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status) != 0;
}

TEST(Watchdog, IsSilentAfterASuspensionOfTheWholeProcess) {
  EXPECT_TRUE(barks(false)) << "a wait of the same length";
  EXPECT_FALSE(barks(true));
}

TEST(Watchdog, EndsWithoutWaitingForATick) {
  const auto begin = Clock::now();
  for (int n = 0; n < 20; ++n) Watchdog watchdog(1000, [](const Watchdog::Call&) {});
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
}

TEST(Watchdog, LooksFiftyTimesInALimitWithinBounds) {
  EXPECT_DOUBLE_EQ(Watchdog::tick(5), 0.1);
  EXPECT_DOUBLE_EQ(Watchdog::tick(0.001), 0.01);
  EXPECT_DOUBLE_EQ(Watchdog::tick(3600), 0.2);
}

}  // namespace
}  // namespace zerolab
