// Gradients that are not finite: seen by one rank, by all, and what the loss scale makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "job_run.hpp"
#include "plain_job.hpp"
#include "samples.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr NumberType precisions[]{NumberType::fp16, NumberType::bf16, NumberType::fp32};
constexpr ReduceMode modes[]{ReduceMode::exact, ReduceMode::ordered, ReduceMode::mpi};

Job small_job(NumberType precision, ReduceMode mode, std::size_t accumulate) {
  Job job;
  job.shape.widths = {13, 7, 5, 3};
  job.precision = precision;
  job.reduce = mode;
  job.accumulate = accumulate;
  job.batch = 4;
  return job;
}

/// Makes training sample `index` one of ±1e30 with the label that fits it least.
void poison(Samples& data, std::size_t index, const Job& job) {
  for (float& x : data.sample(index)) x = std::copysign(1e30F, x);
  const auto logits = initial_network(job).logits(data.sample(index));
  const auto less = [](const Bounded& a, const Bounded& b) { return a.value < b.value; };
  const auto [worst, best] = std::minmax_element(logits.begin(), logits.end(), less);
  EXPECT_GT(best->value - worst->value, 1e25) << "no ReLU lets it through: choose another seed";
  data.set_label(index, static_cast<std::size_t>(worst - logits.begin()));
}

constexpr std::size_t calm_steps = 6;  // for the dynamic scale to come down to where it holds

// One row of 1e30, in the last micro-batch of each rank in turn. All ranks skip that step: no bit
// of parameters, master or moments moves, the scale is halved, the counters agree, and the next
// step goes on as usual, in every stage alike.
TEST(Overflow, SeenByOneRankIsSkippedByAll) {
  Communicator comm(MPI_COMM_WORLD);
  for (const NumberType precision : precisions) {
    for (const ReduceMode mode : modes) {
      for (std::size_t target = 0; target < comm.size(); ++target) {
        const bool in_turn = static_cast<std::size_t>(mode) == (target + width(precision)) % 3;
        if (comm.size() > 4 && !in_turn) continue;  // many ranks: a third of all is enough
        const Job job = small_job(precision, mode, 1 + target % 2);
        const std::size_t global = comm.size() * job.accumulate * job.batch;
        Samples data(13, 3, (calm_steps + 2) * global, 1, 0.25F);
        const BatchPlan plan{data.samples(Split::train), comm.size(),
                             job.micro_batches(comm.size()), job.batch, job.seed};
        poison(data, plan.indices(calm_steps, target, job.accumulate - 1).back(), job);
        std::vector<std::string> stage_0;
        for (int stage = 0; stage < 4; ++stage) {
          SCOPED_TRACE(fmt::format("{} reduce {} stage {} row on rank {}", name(precision),
                                   static_cast<int>(mode), stage, target));
          JobRun run(job, stage, data, comm);
          std::vector<std::string> told;
          for (std::size_t s = 0; s < calm_steps; ++s) told.push_back(exactly(run.step()));
          const auto digest = words(run.digest());
          const std::size_t skips = run.stage().scaler().skips();
          EXPECT_LT(skips, calm_steps);
          const StepResult skipped = run.step();
          EXPECT_TRUE(skipped.skipped);
          EXPECT_FALSE(std::isfinite(skipped.grad_norm));
          EXPECT_EQ(words(run.digest()), digest);
          EXPECT_EQ(run.stage().scaler().skips(), skips + 1);
          EXPECT_EQ(run.stage().scaler().scale(), skipped.loss_scale / 2);
          EXPECT_EQ(run.stage().optimizer_states().updates(), calm_steps - skips);
          const StepResult after = run.step();
          EXPECT_FALSE(after.skipped);
          EXPECT_EQ(after.loss_scale, skipped.loss_scale / 2);
          EXPECT_TRUE(std::isfinite(after.loss) && std::isfinite(after.grad_norm));
          const StateDigest end = run.digest();
          EXPECT_TRUE(end.agrees());
          EXPECT_NE(words(end), digest);
          told.push_back(exactly(skipped));
          told.push_back(exactly(after));
          expect_same_everywhere(comm, fmt::format("{}", fmt::join(told, "\n")));
          told.push_back(
              fmt::format("{:x} {:x}", fmt::join(digest, " "), fmt::join(words(end), " ")));
          if (stage == 0) stage_0 = told;
          const bool any_order = mode == ReduceMode::exact || comm.size() == 1 || stage <= 1;
          if (any_order || (mode == ReduceMode::ordered && job.accumulate == 1)) {
            EXPECT_EQ(told, stage_0);
          }
        }
      }
    }
  }
}

// A feature of 2^20 and a first weight so small that all else stays below 2^13: with the label that
// fits least, the gradient of that weight alone leaves the range, on one rank. Other samples are
// zeros. All ranks skip the step.
TEST(Overflow, OneElementOfOneRankIsEnough) {
  Communicator comm(MPI_COMM_WORLD);
  Job job = small_job(NumberType::fp32, ReduceMode::exact, 1);
  job.shape.widths = {1, 1, 2};
  job.batch = 1;
  job.loss_scale.fixed = 1;
  std::vector<float> first(2), last(4);
  const auto draw = [&] {
    initial_parameters(job.shape, job.seed, 0, 0, first);
    initial_parameters(job.shape, job.seed, 1, 0, last);
  };
  for (draw(); first[0] < 0x1p-12F || first[0] > 0x1p-7F || std::abs(last[0] - last[1]) < 0.5F;
       draw())
    ++job.seed;
  Samples data(1, 2, 2 * comm.size(), 1);
  const BatchPlan plan{data.samples(Split::train), comm.size(), comm.size(), 1, job.seed};
  for (std::size_t target = 0; target < comm.size(); ++target) {
    data.fill(0);
    const std::size_t poisoned = plan.indices(0, target, 0)[0];
    data.sample(poisoned)[0] = 0x1p20F;
    data.set_label(poisoned, last[0] < last[1] ? 0 : 1);
    for (int stage = 0; stage < 4; ++stage) {
      SCOPED_TRACE(fmt::format("stage {} row on rank {}", stage, target));
      JobRun run(job, stage, data, comm);
      const auto digest = words(run.digest());
      const StepResult result = run.step();
      EXPECT_TRUE(std::isfinite(result.loss));
      EXPECT_TRUE(result.skipped);
      EXPECT_EQ(words(run.digest()), digest);
    }
  }
}

// Data without a single number in it: after max_skips steps one AgreedError in the same words on
// all ranks, and weights and moments as they were.
TEST(Overflow, NothingButNanEndsTheJobOnAllRanks) {
  Communicator comm(MPI_COMM_WORLD);
  for (const NumberType precision : precisions) {
    Job job = small_job(precision, ReduceMode::exact, 1);
    job.loss_scale.max_skips = 5;
    Samples data(13, 3, 2 * comm.size() * job.batch, 1);
    data.fill(nan);
    for (int stage = 0; stage < 4; ++stage) {
      SCOPED_TRACE(fmt::format("{} stage {}", name(precision), stage));
      JobRun job_run(job, stage, data, comm);
      const auto initial = words(job_run.digest());
      std::size_t steps = 0;
      std::string text = "no error";
      try {
        for (; steps < 20; ++steps) EXPECT_TRUE(job_run.step().skipped);
      } catch (const AgreedError& error) {
        text = error.what();
      }
      EXPECT_EQ(steps, 4U) << "the fifth step throws";
      EXPECT_NE(text.find("5 steps in a row"), std::string::npos) << text;
      expect_same_everywhere(comm, fmt::format("{} {}", steps, text));
      EXPECT_EQ(words(job_run.digest()), initial);
      EXPECT_EQ(job_run.stage().optimizer_states().updates(), 0U);

      MemoryLedger memory;
      EXPECT_THROW(run({.job = job,
                        .stage = stage,
                        .steps = 20,
                        .data = data,
                        .comm = comm,
                        .memory = memory,
                        .after_step = {}}),
                   AgreedError);
    }
  }
}

/// A job whose gradients are exactly 0 from the second step on: one label, and a first step so long
/// that its probability is 1. So the loss scale may grow as far as it likes.
Job settled_job() {
  Job job = small_job(NumberType::fp16, ReduceMode::exact, 1);
  job.shape.widths = {13, 64, 3};  // weights so small that no gradient is near 65504 / 2^16
  job.optimizer = {.kind = OptimizerKind::sgd, .learning_rate = 1e4};
  return job;
}

/// The exponents of the scales that the steps used.
std::vector<int> scales_of(JobRun& run, std::size_t steps) {
  std::vector<int> exponents;
  for (std::size_t s = 0; s < steps; ++s) {
    const double announced = run.stage().scaler().scale();
    const StepResult result = run.step();
    EXPECT_EQ(result.loss_scale, announced) << "step " << s;
    exponents.push_back(std::ilogb(result.loss_scale));
    EXPECT_EQ(std::ldexp(1.0, exponents.back()), result.loss_scale) << "no power of two";
  }
  return exponents;
}

// Doubled after three updates in a row; a skipped step halves it and starts the count anew.
TEST(LossScale, GrowsAfterTheInterval) {
  Communicator comm(MPI_COMM_WORLD);
  Job job = settled_job();
  job.loss_scale.growth_interval = 3;
  const std::size_t samples = 12 * comm.size() * job.batch;
  Samples data(13, 3, samples, 1, 0.1F);
  data.fill_labels(0);
  const BatchPlan plan{samples, comm.size(), comm.size(), job.batch, job.seed};
  data.sample(plan.indices(4, comm.size() - 1, 0)[2])[5] = nan;
  for (int stage = 0; stage < 4; ++stage) {
    JobRun run(job, stage, data, comm);
    EXPECT_EQ(scales_of(run, 12),
              (std::vector<int>{16, 16, 16, 17, 17, 16, 16, 16, 17, 17, 17, 18}))
        << "stage " << stage;
    EXPECT_EQ(run.stage().scaler().skips(), 1U);
  }
}

TEST(LossScale, StaysBetween1And2To24) {
  Communicator comm(MPI_COMM_WORLD);
  Job job = settled_job();
  job.loss_scale.growth_interval = 1;
  job.loss_scale.max_skips = 1000;
  Samples data(13, 3, 64, 1, 0.1F);
  data.fill_labels(0);
  JobRun up(job, 2, data, comm);
  const auto rising = scales_of(up, 12);
  EXPECT_EQ(rising, (std::vector<int>{16, 17, 18, 19, 20, 21, 22, 23, 24, 24, 24, 24}));
  data.fill(nan);
  JobRun down(job, 2, data, comm);
  const auto falling = scales_of(down, 20);
  for (std::size_t s = 0; s < falling.size(); ++s)
    EXPECT_EQ(falling[s], std::max(16 - static_cast<int>(s), 0)) << s;
  job.loss_scale.fixed = 1024;
  JobRun fixed(job, 2, data, comm);
  EXPECT_EQ(scales_of(fixed, 3), (std::vector<int>{10, 10, 10}));
}

}  // namespace
}  // namespace zerolab
