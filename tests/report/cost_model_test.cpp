// Model state and volume in closed form: the documents' gigabytes, every optimizer and precision,
// and the multiples of Φ that the stages send.
#include "zerolab/report/cost_model.hpp"

#include <gtest/gtest.h>

namespace zerolab {
namespace {

std::uint64_t bytes_per_rank(const Job& job, int stage, std::uint64_t parameters, std::uint64_t n) {
  const StateBytes bytes = state_bytes(job, stage);
  return bytes.full * parameters + bytes.sharded * parameters / n;
}

TEST(CostModel, SevenBillionParametersOnEightRanksAsTheDocumentsSay) {
  const Job job;
  EXPECT_EQ(bytes_per_rank(job, 0, 7'000'000'000, 8), 112'000'000'000U);
  EXPECT_EQ(bytes_per_rank(job, 1, 7'000'000'000, 8), 38'500'000'000U);
  EXPECT_EQ(bytes_per_rank(job, 2, 7'000'000'000, 8), 26'250'000'000U);
  EXPECT_EQ(bytes_per_rank(job, 3, 7'000'000'000, 8), 14'000'000'000U);
  EXPECT_EQ(bytes_per_rank(job, 3, 175'000'000'000, 64), 43'750'000'000U);
  EXPECT_EQ(bytes_per_rank(job, 1, 40'000'000'000, 8), 220'000'000'000U);
  EXPECT_EQ(bytes_per_rank(job, 2, 40'000'000'000, 8), 150'000'000'000U);
}

TEST(CostModel, StateBytesOfEveryOptimizerAndPrecision) {
  const auto expect = [](OptimizerKind kind, double momentum, NumberType precision,
                         std::array<std::size_t, 3> states) {
    Job job;
    job.optimizer.kind = kind;
    job.optimizer.momentum = momentum;
    job.precision = precision;
    const auto [parameters, gradients, optimizer] = states;
    const std::array<std::array<std::size_t, 2>, 4> wanted{
        {{parameters + gradients + optimizer, 0},
         {parameters + gradients, optimizer},
         {parameters, gradients + optimizer},
         {0, parameters + gradients + optimizer}}};
    for (int stage = 0; stage < 4; ++stage) {
      const StateBytes found = state_bytes(job, stage);
      EXPECT_EQ(found.full, wanted[static_cast<std::size_t>(stage)][0]) << "stage " << stage;
      EXPECT_EQ(found.sharded, wanted[static_cast<std::size_t>(stage)][1]) << "stage " << stage;
    }
  };
  using enum NumberType;
  for (const NumberType half : {fp16, bf16}) {
    expect(OptimizerKind::adam, 0, half, {2, 2, 12});
    expect(OptimizerKind::adamw, 0, half, {2, 2, 12});
    expect(OptimizerKind::sgd, 0.9, half, {2, 2, 8});
    expect(OptimizerKind::sgd, 0, half, {2, 2, 4});
  }
  expect(OptimizerKind::adam, 0, fp32, {4, 4, 8});
  expect(OptimizerKind::adamw, 0, fp32, {4, 4, 8});
  expect(OptimizerKind::sgd, 0.9, fp32, {4, 4, 4});
  expect(OptimizerKind::sgd, 0, fp32, {4, 4, 0});
}

/// Recomputed or not, what is sent is the same but for stage 3: 4k, k gradients and 3k parameters.
void expect_recomputed(Job job, int stage, std::size_t k, std::size_t kept) {
  for (const std::size_t segments : {1U, 4U, 100U}) {
    job.activation_segments = segments;
    EXPECT_EQ(volume(job, stage, 4).wire, stage == 3 ? 4 * k : kept);
    if (stage < 3) continue;
    const UnitCalls calls = calls_per_unit(job, 3, 4);
    EXPECT_EQ(calls.all_reduce, 0U);
    EXPECT_EQ(calls.reduce_scatter, k);
    EXPECT_EQ(calls.all_gather, 3 * k);
    EXPECT_EQ(volume(job, 3, 4).payload, 4 * k);
  }
}

TEST(CostModel, VolumesOfTheTwoConventions) {
  for (const std::size_t k : {1U, 2U, 4U}) {
    const std::array<std::size_t, 4> payload{1, 2, k + 1, 3 * k}, wire{2, 3, k + 1, 3 * k};
    for (std::size_t stage = 0; stage < 4; ++stage) {
      for (const ReduceMode mode : {ReduceMode::exact, ReduceMode::ordered, ReduceMode::mpi}) {
        for (const bool overlap : {false, true}) {
          if (overlap && stage == 1) continue;
          Job job;
          job.reduce = mode;
          job.accumulate = k;
          job.overlap = overlap;
          const bool halves = overlap || mode == ReduceMode::ordered;
          if (!overlap) expect_recomputed(job, static_cast<int>(stage), k, wire[stage]);
          const Volume found = volume(job, static_cast<int>(stage), 4);
          EXPECT_EQ(found.wire, wire[stage]);
          EXPECT_EQ(found.payload, halves ? wire[stage] : payload[stage]);
          job.accumulate = 1;
          job.virtual_shards = 4 * k - (k > 1 ? 1 : 0);  // k rounds, the last perhaps not full
          EXPECT_EQ(volume(job, static_cast<int>(stage), 4).wire, wire[stage]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace zerolab
