// What a rank stores and sends, against closed forms written out here (the cost model is not
// asked).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "job_run.hpp"
#include "samples.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {
namespace {

struct Elements {
  std::size_t all = 0, shard = 0, largest = 0;
};

/// Dealt like cards: the first (elements mod ranks) ranks hold one more.
Elements elements_of(const std::vector<std::size_t>& widths, std::size_t ranks, std::size_t rank) {
  Elements e;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const std::size_t unit = (widths[l] + 1) * widths[l + 1];
    e.all += unit;
    e.shard += unit / ranks + (rank < unit % ranks ? 1 : 0);
    e.largest = std::max(e.largest, unit);
  }
  return e;
}

// Stages 2 and 3 never hold more gradients than the shards and one unit, stage 3 no more
// parameters: at no moment there is a second full model anywhere.
TEST(Stored, PeaksAreTheShardsAndOneUnit) {
  Communicator comm(MPI_COMM_WORLD);
  for (const auto& widths : std::vector<std::vector<std::size_t>>{
           {13, 7, 5, 3}, {2, 1, 1, 2}, {3, 40, 3}, {20, 20, 20, 20, 20, 20}}) {
    const Samples data(widths.front(), widths.back(), 8 * comm.size(), 300);
    const Elements e = elements_of(widths, comm.size(), comm.rank());
    for (const NumberType precision : {NumberType::fp16, NumberType::fp32}) {
      const std::size_t w = width(precision);
      for (const std::size_t accumulate : {1U, 2U}) {
        Job job;
        job.shape.widths = widths;
        job.precision = precision;
        job.accumulate = accumulate;
        job.batch = 2;
        for (int stage = 0; stage < 4; ++stage) {
          SCOPED_TRACE(fmt::format("{} {} k {} stage {}", fmt::join(widths, "-"), name(precision),
                                   accumulate, stage));
          MemoryLedger memory;
          const Outcome outcome = run({.job = job,
                                       .stage = stage,
                                       .steps = 3,
                                       .data = data,
                                       .comm = comm,
                                       .memory = memory,
                                       .after_step = {}});
          EXPECT_TRUE(outcome.memory_holds());
          const auto peak = [&](Category category) { return memory.line(category).peak; };
          const std::size_t micro_batch = stage >= 2 || accumulate > 1 ? e.largest : 0;
          EXPECT_EQ(peak(Category::parameters), w * (stage < 3 ? e.all : e.shard + e.largest));
          EXPECT_EQ(peak(Category::gradients), w * ((stage < 2 ? e.all : e.shard) + micro_batch));
          const std::size_t states = 4 * (stage < 1 ? e.all : e.shard);
          EXPECT_EQ(peak(Category::master), precision == NumberType::fp32 ? 0 : states);
          EXPECT_EQ(peak(Category::momentum), states);
          EXPECT_EQ(peak(Category::variance), states);
          EXPECT_EQ(peak(Category::accumulator),
                    accumulate == 1 ? 0 : 8 * (stage < 2 ? e.all : e.shard));
          EXPECT_EQ(memory.total().now, 0U) << "after the run";
        }
      }
    }
  }
}

// A million parameters, Adam in 16 bits: 16Φ, 4Φ + 12Φ/N, 2Φ + 14Φ/N, 16Φ/N, to the byte with
// ragged shards on each rank and exactly over all ranks; 16.0, 7.0, 5.5 and 4.0 bytes a parameter
// at N = 4.
TEST(Stored, AMillionParameters) {
  Communicator comm(MPI_COMM_WORLD);
  const std::vector<std::size_t> widths{802, 1230, 10};
  const Elements e = elements_of(widths, comm.size(), comm.rank());
  EXPECT_EQ(e.all, 1000000U);
  const std::size_t full[]{16, 4, 2, 0}, sharded[]{0, 12, 14, 16};
  const double at_4[]{16.0, 7.0, 5.5, 4.0};
  const Samples data(802, 10, comm.size(), 1);
  for (const NumberType precision : {NumberType::fp16, NumberType::bf16}) {
    Job job;
    job.shape.widths = widths;
    job.precision = precision;
    job.reduce = ReduceMode::mpi;
    job.batch = 1;
    job.loss_scale.fixed = 1;
    for (int stage = 0; stage < 4; ++stage) {
      SCOPED_TRACE(fmt::format("{} stage {}", name(precision), stage));
      JobRun run(job, stage, data, comm);
      run.step();
      std::uint64_t bytes = 0;
      for (std::size_t c = 0; c < 6; ++c) bytes += run.memory().line(static_cast<Category>(c)).now;
      EXPECT_EQ(bytes, full[stage] * e.all + sharded[stage] * e.shard);
      EXPECT_EQ(run.memory().total().now, bytes) << "model state and nothing else";
      if (comm.size() == 4) {
        EXPECT_NEAR(static_cast<double>(bytes) / 1e6, at_4[stage], 16 * 2 / 1e6);
      }
      comm.sum(std::span(&bytes, 1));
      EXPECT_EQ(bytes, (full[stage] * comm.size() + sharded[stage]) * 1000000);
    }
  }
}

/// Everything but scalars and what lies outside training.
Traffic sent(const Communicator& comm) {
  Traffic all;
  for (const Collective c : {Collective::all_reduce, Collective::reduce_scatter,
                             Collective::all_gather, Collective::all_to_all})
    all += comm.ledger().line(c);
  return all;
}

// Under mpi, times Φ(N−1)/N and per step: 1 · 2 · k+1 · 3k as vectors handed over, 2 · 3 · k+1 · 3k
// on a ring (per rank a ragged part, over all ranks exact); a skipped step has no update part.
TEST(Sent, VolumesAreTheDocuments) {
  Communicator comm(MPI_COMM_WORLD);
  const std::vector<std::size_t> widths{13, 7, 5, 3};
  const std::size_t phi = elements_of(widths, comm.size(), comm.rank()).all, steps = 3;
  for (const bool skipping : {false, true}) {
    for (const std::size_t k : {1U, 2U, 4U}) {
      const std::size_t update = skipping ? 0 : 1;
      const std::array payload{std::size_t{1}, 1 + update, k + update, 3 * k};
      const std::array ring{std::size_t{2}, 2 + update, k + update, 3 * k};
      Samples data(13, 3, 5 * comm.size() * k, 300);
      if (skipping) data.fill(std::numeric_limits<float>::infinity());
      for (const NumberType precision : {NumberType::fp16, NumberType::fp32}) {
        Job job;
        job.shape.widths = widths;
        job.precision = precision;
        job.reduce = ReduceMode::mpi;
        job.accumulate = k;
        job.batch = 2;
        job.loss_scale.fixed = 1;
        for (std::size_t stage = 0; stage < 4; ++stage) {
          SCOPED_TRACE(fmt::format("stage {} k {} {}{}", stage, k, name(precision),
                                   skipping ? " skipping" : ""));
          JobRun run(job, static_cast<int>(stage), data, comm);
          EXPECT_EQ(sent(comm).calls, 0U) << "start-up is no training";
          for (std::size_t s = 0; s < steps; ++s) EXPECT_EQ(run.step().skipped, skipping);
          const Traffic all = sent(comm);
          EXPECT_EQ(all.elements, payload[stage] * steps * phi);
          EXPECT_EQ(all.payload_bytes, all.elements * width(precision));
          EXPECT_EQ(comm.ledger().line(Collective::all_to_all).calls, 0U);
          EXPECT_EQ(comm.ledger().line(Collective::scalars).calls, steps);
          run.stage().evaluate();
          run.digest();
          EXPECT_EQ(sent(comm), all) << "evaluation and digests are no training";
          std::uint64_t bytes = all.ring_bytes;
          comm.sum(std::span(&bytes, 1));
          EXPECT_EQ(bytes, ring[stage] * steps * phi * (comm.size() - 1) * width(precision));
        }
      }
    }
  }
}

// One rank talks to nobody, in any mode and line.
TEST(Sent, OneRankSendsNothing) {
  Communicator alone(MPI_COMM_SELF);
  const Samples data(13, 3, 23, 30);
  for (const ReduceMode mode : {ReduceMode::exact, ReduceMode::ordered, ReduceMode::mpi}) {
    std::vector<std::vector<std::uint64_t>> digests;
    for (int stage = 0; stage < 4; ++stage) {
      Job job;
      job.shape.widths = {13, 7, 5, 3};
      job.reduce = mode;
      job.batch = 4;
      job.accumulate = 2;
      MemoryLedger memory;
      const Outcome outcome = run({.job = job,
                                   .stage = stage,
                                   .steps = 7,
                                   .data = data,
                                   .comm = alone,
                                   .memory = memory,
                                   .after_step = {}});
      EXPECT_LT(outcome.skipped, 7U);
      for (const Traffic& line : outcome.reports.at(0).traffic) EXPECT_EQ(line.ring_bytes, 0U);
      digests.push_back(words(outcome.digest));
      EXPECT_EQ(digests.back(), digests.front()) << "stage " << stage;
    }
  }
}

}  // namespace
}  // namespace zerolab
