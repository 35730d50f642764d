// What the cost model says is stored, against closed forms written out here in literal numbers for
// ragged layouts.
#include <gtest/gtest.h>

#include "zerolab/report/cost_model.hpp"

namespace zerolab {
namespace {

constexpr std::array modes{ReduceMode::exact, ReduceMode::ordered, ReduceMode::mpi};

/// 13-7-5-3: units of 98, 40 and 18 elements, Φ = 156. At N = 3 the ranks hold 33 + 14 + 6,
/// 33 + 13 + 6 and 32 + 13 + 6 of them.
Job odd_job() {
  Job job;
  job.shape.widths = {13, 7, 5, 3};
  job.batch = 4;
  return job;
}
constexpr std::size_t phi = 156, largest = 98;
constexpr std::array<std::size_t, 3> shard{53, 52, 51};

Run run_of(const Job& job, int stage, std::size_t ranks) {
  return {job, stage, ranks, 10, 3, 1000, 100, 256, 12345};
}

MemoryLedger::Line memory(const Run& run, std::size_t rank, Category category) {
  return memory_formula(run, rank)[static_cast<std::size_t>(category)];
}
using Line = MemoryLedger::Line;

TEST(MemoryFormula, AMillionParametersOnFourRanks) {
  Job job;
  job.shape.widths = {999'999, 1};  // one unit of exactly 10^6 elements
  const std::array<std::size_t, 4> wanted{16'000'000, 7'000'000, 5'500'000, 4'000'000};
  for (int stage = 0; stage < 4; ++stage) {
    for (std::size_t rank = 0; rank < 4; ++rank) {
      std::size_t sum = 0;
      for (const Category c : {Category::parameters, Category::gradients, Category::master,
                               Category::momentum, Category::variance}) {
        sum += memory(run_of(job, stage, 4), rank, c).now;
      }
      EXPECT_EQ(sum, wanted[static_cast<std::size_t>(stage)]) << "stage " << stage;
    }
  }
}

TEST(MemoryFormula, RaggedShardsToTheByte) {
  const Job job = odd_job();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const std::size_t mine = shard[rank];
    const auto line = [&](int stage, Category c) { return memory(run_of(job, stage, 3), rank, c); };
    using enum Category;
    for (int stage = 0; stage < 4; ++stage) {
      const std::size_t parameters_here = 2 * (stage < 3 ? phi : mine);
      const std::size_t gradients_here = 2 * (stage < 2 ? phi : mine);
      const std::size_t states = 4 * (stage < 1 ? phi : mine);
      EXPECT_EQ(line(stage, parameters),
                (Line{parameters_here, parameters_here + (stage < 3 ? 0 : 2 * largest)}));
      EXPECT_EQ(line(stage, gradients),
                (Line{gradients_here, gradients_here + (stage < 2 ? 0 : 2 * largest)}));
      for (const Category c : {master, momentum, variance}) {
        EXPECT_EQ(line(stage, c), (Line{states, states})) << name(c) << ", stage " << stage;
      }
      EXPECT_EQ(line(stage, accumulator), (Line{0, 0}));
      EXPECT_EQ(line(stage, buffers), (Line{0, 8 * largest}));
      EXPECT_EQ(line(stage, data), (Line{12345, 12345}));
    }
  }
}

TEST(MemoryFormula, FewerElementsThanRanksLeaveEmptyShards) {
  Job job;
  job.shape.widths = {1, 1, 2};  // units of 2 and 4 elements
  const std::array<std::size_t, 5> elements{2, 2, 1, 1, 0};
  for (std::size_t rank = 0; rank < 5; ++rank) {
    EXPECT_EQ(memory(run_of(job, 3, 5), rank, Category::master).now, 4 * elements[rank]);
    EXPECT_EQ(memory(run_of(job, 3, 5), rank, Category::parameters).now, 2 * elements[rank]);
  }
}

TEST(MemoryFormula, AccumulationNeedsItsLinesUnderEveryMode) {
  Job job = odd_job();
  job.accumulate = 2;
  for (const ReduceMode mode : modes) {
    job.reduce = mode;
    for (int stage = 0; stage < 4; ++stage) {
      const std::size_t held = stage < 2 ? phi : shard[1];
      const std::size_t sums = mode == ReduceMode::exact ? 8 * held : 0;
      EXPECT_EQ(memory(run_of(job, stage, 3), 1, Category::accumulator), (Line{sums, sums}));
      EXPECT_EQ(memory(run_of(job, stage, 3), 1, Category::gradients),
                (Line{2 * held, 2 * held + 2 * largest}));
    }
  }
}

TEST(MemoryFormula, BuffersOfEachMode) {
  Job job = odd_job();
  const auto buffers = [&job](std::size_t rank) {
    return memory(run_of(job, 2, 3), rank, Category::buffers).peak;
  };
  EXPECT_EQ(buffers(0), 8 * largest);
  job.chunk_elements = 50;
  EXPECT_EQ(buffers(0), 8 * 50U);
  job.reduce = ReduceMode::mpi;
  EXPECT_EQ(buffers(0), 0U);
  job.reduce = ReduceMode::ordered;  // three pieces of ⌊50/3⌋ elements in a chunk of 98, 14 of 40
  EXPECT_EQ(buffers(0), 2 * 3 * 16U);
  job.chunk_elements = 1000;  // three shards of the largest unit
  EXPECT_EQ(buffers(0), 2 * 3 * 33U);
  EXPECT_EQ(buffers(2), 2 * 3 * 32U);
}

// Two units at a time, 98 + 40 of 98-40-18: parameters on their way while others are used,
// gradients on their way while others are made; the sum of a whole unit and its shard beside them.
TEST(MemoryFormula, OverlapHoldsTwoUnits) {
  Job job = odd_job();
  job.overlap = true;
  job.chunk_elements = 50;
  const std::size_t pair = 98 + 40;
  EXPECT_EQ(memory(run_of(job, 3, 3), 1, Category::parameters),
            (Line{2 * shard[1], 2 * (shard[1] + pair)}));
  EXPECT_EQ(memory(run_of(job, 2, 3), 1, Category::parameters), (Line{2 * phi, 2 * phi}));
  for (const int stage : {2, 3}) {
    EXPECT_EQ(memory(run_of(job, stage, 3), 1, Category::gradients),
              (Line{2 * shard[1], 2 * (shard[1] + pair)}));
  }
  EXPECT_EQ(memory(run_of(job, 0, 3), 1, Category::gradients), (Line{2 * phi, 2 * phi}));
  EXPECT_EQ(memory(run_of(job, 0, 3), 1, Category::buffers).peak, 8 * (98 + 33U));
  EXPECT_EQ(memory(run_of(job, 0, 3), 2, Category::buffers).peak, 8 * (98 + 32U));
  job.reduce = ReduceMode::ordered;
  EXPECT_EQ(memory(run_of(job, 2, 3), 0, Category::buffers).peak, 2 * 3 * 33U);
  job.reduce = ReduceMode::mpi;
  EXPECT_EQ(memory(run_of(job, 2, 3), 0, Category::buffers).peak, 2 * 33U);
}

TEST(MemoryFormula, ActivationsOfTheLargestMicroBatch) {
  Job job = odd_job();
  const auto activations = [&job](std::size_t samples, std::size_t tests, std::size_t rank) {
    return memory({job, 0, 3, 1, 0, samples, tests, 256, 0}, rank, Category::activations).peak;
  };
  job.precision = NumberType::fp32;
  // Backward of the last unit holds 13 + 7 + 5 inputs, 3 gradients of logits and 5 of its inputs.
  EXPECT_EQ(activations(1000, 0, 0), 4 * 4 * 33U);
  EXPECT_EQ(activations(9, 0, 2), 4 * 1 * 33U) << "rank 2 has one sample of nine";
  EXPECT_EQ(activations(8, 0, 2), 0U) << "and none of eight";
  EXPECT_EQ(activations(1000, 10, 0), 4 * 10 * 20U) << "evaluation: input and output of unit 0";
  EXPECT_EQ(activations(1000, 300, 1), 4 * 44 * 20U) << "rank 1 evaluates what is left of 300";
  job.precision = NumberType::fp16;  // beside them one tile of widened weights
  EXPECT_EQ(activations(1000, 0, 0), 4 * (4 * 20 + 91U));
  EXPECT_EQ(activations(1000, 10, 0), 4 * (10 * 20 + 91U));
}

// 13-7-5-3 in two segments, units 0 1 and unit 2. Going back through unit 1: 13 + 7 inputs, 5
// gradients of its output, 7 of its input, while 13 + 5 inputs, 3 and 5 gradients are enough for
// unit 2. Running unit 1 again: 13 + 7 inputs, 5 outputs and 5 gradients; unit 0: 13 inputs, 7
// outputs, 5 gradients. In one segment or three, going back through unit 2 takes what it does
// without any: 13 + 7 + 5 inputs, 3 and 5 gradients.
TEST(MemoryFormula, RecomputedActivations) {
  Job job = odd_job();
  const auto activations = [&job](std::size_t segments, std::size_t tests) {
    job.activation_segments = segments;
    return memory({job, 3, 3, 1, 0, 1000, tests, 256, 0}, 0, Category::activations).peak;
  };
  job.precision = NumberType::fp32;
  for (const std::size_t segments : {0U, 1U, 3U, 4U, 99U})
    EXPECT_EQ(activations(segments, 0), 4 * 4 * 33U) << segments;
  EXPECT_EQ(activations(2, 0), 4 * 4 * 32U);
  EXPECT_EQ(activations(2, 10), 4 * 10 * 20U) << "evaluation recomputes nothing";
  job.precision = NumberType::fp16;  // beside them a tile of widened weights, 91 or 35
  EXPECT_EQ(activations(0, 0), 4 * (4 * 20 + 91U));
  EXPECT_EQ(activations(2, 0), 4 * (4 * 25 + 91U));
  for (std::size_t c = 0; c < categories; ++c) {
    if (static_cast<Category>(c) == Category::activations) continue;
    Job kept = job;
    kept.activation_segments = 0;
    for (int stage = 0; stage < 4; ++stage)
      EXPECT_EQ(memory(run_of(job, stage, 3), 1, static_cast<Category>(c)),
                memory(run_of(kept, stage, 3), 1, static_cast<Category>(c)));
  }
}

TEST(MemoryFormula, NothingIsHeldForStepsThatAreNotTaken) {
  const Job job = odd_job();
  const zerolab::Run run{job, 3, 3, 0, 0, 1000, 0, 256, 0};
  EXPECT_EQ(memory(run, 0, Category::parameters), (Line{2 * 53, 2 * 53}));
  EXPECT_EQ(memory(run, 0, Category::gradients), (Line{2 * 53, 2 * 53}));
  EXPECT_EQ(memory(run, 0, Category::buffers).peak, 0U);
  EXPECT_EQ(memory(run, 0, Category::activations).peak, 0U);
  const zerolab::Run evaluated{job, 3, 3, 0, 0, 1000, 5, 256, 0};
  EXPECT_EQ(memory(evaluated, 0, Category::parameters), (Line{2 * 53, 2 * (53 + largest)}));
  for (const Traffic& line : traffic_formula(run, 0)) EXPECT_EQ(line, Traffic{});
}

}  // namespace
}  // namespace zerolab
