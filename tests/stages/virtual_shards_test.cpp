// Virtual shards: a step's micro-batches are dealt to however many ranks there are, and under exact
// the bits of a job do not depend on them.
#include <gtest/gtest.h>

#include "job_run.hpp"
#include "samples.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {
namespace {

constexpr std::size_t steps = 50;

struct Told {
  std::vector<std::string> lines;
  std::size_t clipped = 0, skipped = 0;
};

Told train(const Job& job, int stage, const Dataset& data, Communicator& comm) {
  SCOPED_TRACE(fmt::format("stage {} N {}", stage, comm.size()));
  Told told;
  MemoryLedger memory;
  const Outcome outcome =
      run({.job = job,
           .stage = stage,
           .steps = steps,
           .data = data,
           .comm = comm,
           .memory = memory,
           .after_step = [&told](std::size_t, const StepResult& result, const Stage&) {
             told.lines.push_back(exactly(result));
             told.clipped += result.clip_factor < 1 ? 1U : 0U;
             told.skipped += result.skipped ? 1U : 0U;
           }});
  EXPECT_TRUE(outcome.digest.agrees());
  EXPECT_TRUE(outcome.memory_holds());
  EXPECT_TRUE(outcome.traffic_holds());
  const std::size_t accumulator = memory.line(Category::accumulator).peak;
  if (job.rounds(comm.size()) == 1) {
    EXPECT_EQ(accumulator, 0U);
  } else if (stage < 2) {
    EXPECT_EQ(accumulator, 8 * job.shape.parameters());
  } else {
    std::size_t shards = 0;
    for (std::size_t l = 0; l < job.shape.units(); ++l) {
      shards += Shards{job.shape.elements(l), comm.size()}.size(comm.rank());
    }
    EXPECT_EQ(accumulator, 8 * shards);
  }
  for (const std::uint64_t word : words(outcome.digest)) told.lines.push_back(hex(word));
  return told;
}

/// A calm job, and one whose epochs end with a sample that makes their last step not finite.
std::vector<Job> jobs() {
  Job calm;
  calm.shape.widths = {13, 7, 5, 3};
  calm.batch = 2;
  calm.clip_norm = 0.25;
  calm.loss_scale.growth_interval = 8;
  Job fp32 = calm;
  fp32.precision = NumberType::fp32;
  fp32.optimizer = {.kind = OptimizerKind::sgd, .learning_rate = 0.02, .momentum = 0.9};
  Job bf16 = calm;
  bf16.precision = NumberType::bf16;
  bf16.optimizer.kind = OptimizerKind::adamw;
  return {calm, fp32, bf16};
}

// N = 1 and every N up to the ranks of this test, V = 8, 12 and 24 (also where N does not divide
// V): loss, norm, clip factor, loss scale and skips of 50 steps, and the digests, equal to the bit
// in all stages; across skipped steps, clipping, and short last steps.
TEST(VirtualShards, BitsDoNotDependOnTheRanks) {
  const Communicator world(MPI_COMM_WORLD);
  Communicator alone(MPI_COMM_SELF);
  for (const std::size_t V : {8U, 12U, 24U}) {
    if (V < world.size()) continue;
    for (Job job : jobs()) {
      job.virtual_shards = V;
      Samples data(13, 3, 5 * V * job.batch + 3, 300);
      data.sample(7)[3] = std::numeric_limits<float>::infinity();
      const Told oracle = train(job, 0, data, alone);
      EXPECT_GT(oracle.skipped, 0U);
      EXPECT_GT(oracle.clipped, 0U);
      EXPECT_LT(oracle.skipped, steps / 2);
      MPI_Comm some = MPI_COMM_NULL;
      // All ranks, and on the larger tests also all but one, so that V is met by more N.
      for (const std::size_t ranks : {world.size(), world.size() - 1}) {
        if (ranks < 1 || (ranks < world.size() && ranks < 4)) continue;
        MPI_Comm_split(MPI_COMM_WORLD, world.rank() < ranks ? 0 : MPI_UNDEFINED, 0, &some);
        if (some == MPI_COMM_NULL) continue;
        {
          Communicator comm(some);
          for (int stage = 0; stage < 4; ++stage) {
            SCOPED_TRACE(fmt::format("V {} {}", V, name(job.precision)));
            EXPECT_EQ(train(job, stage, data, comm).lines, oracle.lines);
          }
        }
        MPI_Comm_free(&some);
      }
    }
  }
}

// V virtual shards on V ranks, or N·k of them, are the plain job of as many micro-batches.
TEST(VirtualShards, AreMicroBatches) {
  Communicator comm(MPI_COMM_WORLD);
  const Samples data(13, 3, 40 * comm.size(), 100);
  for (const std::size_t k : {1U, 3U}) {
    for (Job job : jobs()) {
      job.accumulate = k;
      const Told plain = train(job, 3, data, comm);
      job.accumulate = 1;
      job.virtual_shards = k * comm.size();
      EXPECT_EQ(train(job, 3, data, comm).lines, plain.lines);
    }
  }
}

TEST(VirtualShards, FewerThanRanksAreRefused) {
  Job job;
  job.shape.widths = {4, 3, 2};
  job.virtual_shards = 3;
  EXPECT_NO_THROW(check_job(job, 3));
  EXPECT_THROW(check_job(job, 4), Error);
}

}  // namespace
}  // namespace zerolab
