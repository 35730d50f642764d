// Which samples a rank runs, against the definition: an epoch is a permutation, dealt out in
// micro-batches of B, the j-th of a step to rank j mod N.
#include "zerolab/nn/batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "zerolab/core/require.hpp"

namespace zerolab {
namespace {

using Indices = std::vector<std::size_t>;

/// The step's samples in the order of its micro-batches.
Indices samples_of(const BatchPlan& plan, std::size_t step) {
  Indices all;
  for (std::size_t round = 0; round < plan.rounds(); ++round) {
    for (std::size_t rank = 0; rank < plan.ranks; ++rank) {
      const Indices some = plan.indices(step, rank, round);
      EXPECT_EQ(some.size(), plan.samples_in(step, rank, round));
      EXPECT_LE(some.size(), plan.batch);
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

Indices epoch_of(const BatchPlan& plan, std::size_t epoch) {
  Indices all;
  for (std::size_t s = 0; s < plan.steps_per_epoch(); ++s) {
    const Indices some = samples_of(plan, epoch * plan.steps_per_epoch() + s);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

Indices sorted(Indices indices) {
  std::sort(indices.begin(), indices.end());
  return indices;
}

/// All n in {1 … 9, 31, 64, 103}, N up to 8, M = N·k with k up to 4 and those of a last round that
/// is not full, B up to 40.
template <class Check>
void for_many_plans(Check check) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 7U, 9U, 31U, 64U, 103U}) {
    for (std::size_t ranks = 1; ranks <= 8; ++ranks) {
      for (const std::size_t micro_batches :
           {ranks, ranks + ranks / 2, 2 * ranks, 3 * ranks, 4 * ranks - 1, 4 * ranks}) {
        for (const std::size_t batch : {1U, 2U, 3U, 8U, 40U}) {
          SCOPED_TRACE(fmt::format("n {} N {} M {} B {}", n, ranks, micro_batches, batch));
          check(BatchPlan{n, ranks, micro_batches, batch, 1});
        }
      }
    }
  }
}

// Once each, so also disjoint; in the first three epochs.
TEST(BatchPlan, EveryEpochDealsEverySampleOnce) {
  for_many_plans([](const BatchPlan& plan) {
    Indices all(plan.samples);
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (std::size_t epoch = 0; epoch < 3; ++epoch)
      EXPECT_EQ(sorted(epoch_of(plan, epoch)), all) << "epoch " << epoch;
  });
}

// The counts agree with one another and with dealing: a step takes G samples while there are as
// many, and within it no micro-batch gets any before the one in front is full.
TEST(BatchPlan, CountsAreThoseOfDealing) {
  for_many_plans([](const BatchPlan& plan) {
    EXPECT_EQ(plan.global_batch(), plan.micro_batches * plan.batch);
    std::size_t left = plan.samples;
    for (std::size_t step = 0; step < 2 * plan.steps_per_epoch(); ++step) {
      EXPECT_GT(plan.samples_in(step), 0U) << "a step without samples";
      EXPECT_EQ(plan.samples_in(step), std::min(left, plan.global_batch()));
      std::size_t left_in_step = plan.samples_in(step);
      for (std::size_t round = 0; round < plan.rounds(); ++round) {
        for (std::size_t rank = 0; rank < plan.ranks; ++rank) {
          EXPECT_EQ(plan.samples_in(step, rank, round), std::min(left_in_step, plan.batch));
          left_in_step -= plan.samples_in(step, rank, round);
        }
      }
      EXPECT_EQ(left_in_step, 0U);
      left -= plan.samples_in(step);
      if (left == 0) left = plan.samples;
    }
  });
}

// The order of an epoch knows nothing of N, k and B.
TEST(BatchPlan, TheOrderDependsOnSeedAndEpochOnly) {
  for (const std::uint64_t seed : {0U, 1U, 77U}) {
    for (std::size_t epoch = 0; epoch < 3; ++epoch) {
      const Indices order = epoch_of({103, 1, 1, 1, seed}, epoch);
      for (const std::size_t ranks : {1U, 2U, 3U, 4U, 8U})
        for (const std::size_t accumulate : {1U, 2U, 4U})
          for (const std::size_t batch : {1U, 3U, 8U, 200U})
            EXPECT_EQ(epoch_of({103, ranks, ranks * accumulate, batch, seed}, epoch), order);
    }
  }
}

TEST(BatchPlan, EpochsAndSeedsShuffleAnew) {
  std::vector<Indices> orders;
  for (const std::uint64_t seed : {0U, 1U, 2U})
    for (std::size_t epoch = 0; epoch < 4; ++epoch)
      orders.push_back(epoch_of({103, 4, 4, 8, seed}, epoch));
  for (const Indices& order : orders) {
    EXPECT_EQ(std::count(orders.begin(), orders.end(), order), 1);
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
    const Indices repeated = epoch_of({103, 4, 4, 8, 0}, 2);
    EXPECT_EQ(repeated, orders[2]);
  }
}

// The global batch does not depend on who computes it: the same micro-batches in the same order,
// split over ranks or over rounds.
TEST(BatchPlan, RanksAndRoundsShareTheGlobalBatch) {
  for (const std::size_t n : {3U, 50U, 103U}) {
    const BatchPlan one{n, 1, 4, 8, 5}, two{n, 2, 4, 8, 5}, four{n, 4, 4, 8, 5},
        three{n, 3, 4, 8, 5};  // a second round for rank 0 only
    for (std::size_t step = 0; step < 3 * one.steps_per_epoch(); ++step) {
      const Indices batch = samples_of(one, step);
      EXPECT_EQ(samples_of(two, step), batch);
      EXPECT_EQ(samples_of(four, step), batch);
      EXPECT_EQ(samples_of(three, step), batch);
      EXPECT_EQ(sorted(samples_of({n, 1, 1, 32, 5}, step)), sorted(batch));
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_EQ(two.indices(step, j % 2, j / 2), one.indices(step, 0, j));
        EXPECT_EQ(four.indices(step, j, 0), one.indices(step, 0, j));
        EXPECT_EQ(three.indices(step, j % 3, j / 3), one.indices(step, 0, j));
      }
    }
  }
}

// The two cases that others deadlocked on: fewer samples than ranks, and 103 on 4 ranks of 8.
// Resumed with another G in the middle of an epoch: the rest of it in its order, nothing repeated
// or left out, and then whole epochs; with the same G the very steps that were left.
TEST(BatchPlan, AResumedRunDealsWhatIsLeft) {
  for (const std::size_t n : {1U, 7U, 31U, 64U, 103U}) {
    const BatchPlan before{n, 4, 4, 2, 9}, whole{n, 1, 1, n, 9};
    for (std::size_t done = 0; done <= 2 * before.steps_per_epoch(); ++done) {
      for (const std::size_t ranks : {1U, 3U, 4U, 5U}) {
        SCOPED_TRACE(fmt::format("n {} after {} steps, N {}", n, done, ranks));
        BatchPlan after{n, ranks, ranks, 2, 9};
        after.first_step = done;
        after.origin = before.position(done);
        const std::size_t epoch = after.origin.epoch, end = after.steps_until(epoch + 1);
        Indices seen = whole.indices(epoch, 0, 0);
        seen.resize(after.origin.sample);
        for (std::size_t step = done; step < end; ++step) {
          EXPECT_EQ(after.position(step).epoch, epoch);
          const Indices some = samples_of(after, step);
          EXPECT_EQ(some.size(), after.samples_in(step));
          seen.insert(seen.end(), some.begin(), some.end());
          if (ranks == before.ranks) {
            EXPECT_EQ(some, samples_of(before, step));
          }
        }
        EXPECT_EQ(seen, whole.indices(epoch, 0, 0));
        EXPECT_EQ(after.position(end), (DataPosition{epoch + 1, 0}));
        EXPECT_EQ(after.steps_until(epoch + 3), end + 2 * after.steps_per_epoch());
        EXPECT_EQ(after.steps_until(epoch), done);
        if (ranks == before.ranks) {
          EXPECT_EQ(samples_of(after, end + 1), samples_of(before, end + 1));
        }
      }
    }
  }
}

TEST(BatchPlan, UnevenTails) {
  const BatchPlan few{3, 4, 4, 8, 1}, fewest{3, 4, 4, 1, 1}, tail{103, 4, 4, 8, 1};
  EXPECT_EQ(few.steps_per_epoch(), 1U);
  EXPECT_EQ(fewest.steps_per_epoch(), 1U);
  EXPECT_EQ(tail.steps_per_epoch(), 4U);
  const std::size_t in_few[]{3, 0, 0, 0}, in_fewest[]{1, 1, 1, 0}, in_tail[]{7, 0, 0, 0};
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(few.indices(0, rank, 0).size(), in_few[rank]);
    EXPECT_EQ(fewest.indices(5, rank, 0).size(), in_fewest[rank]);
    EXPECT_EQ(tail.indices(2, rank, 0).size(), 8U);
    EXPECT_EQ(tail.indices(3, rank, 0).size(), in_tail[rank]);
    EXPECT_EQ(tail.indices(4, rank, 0).size(), 8U);
  }
}

}  // namespace
}  // namespace zerolab
