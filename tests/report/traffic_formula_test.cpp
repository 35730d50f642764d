// What the cost model says is sent, against closed forms written out here: per rank in literal
// numbers, and over all ranks as whole multiples of (N-1)Φ.
#include <gtest/gtest.h>

#include "zerolab/report/cost_model.hpp"

namespace zerolab {
namespace {

constexpr std::array modes{ReduceMode::exact, ReduceMode::ordered, ReduceMode::mpi};
constexpr std::size_t phi = 156, steps = 10, updates = 7;  // three of the steps are skipped

/// 13-7-5-3: units of 98, 40 and 18 elements; at N = 3 cut into 33 33 32, 14 13 13 and 6 6 6.
Job odd_job(ReduceMode mode, std::size_t accumulate = 1) {
  Job job;
  job.shape.widths = {13, 7, 5, 3};
  job.reduce = mode;
  job.accumulate = accumulate;
  return job;
}

Run run_of(const Job& job, int stage, std::size_t ranks) {
  return {job, stage, ranks, steps, steps - updates, 1000, 100, 256, 0};
}
Traffic traffic(const Run& run, std::size_t rank, Collective collective) {
  return traffic_formula(run, rank)[static_cast<std::size_t>(collective)];
}
Traffic sum_over_ranks(const Run& run, Collective collective) {
  Traffic sum;
  for (std::size_t r = 0; r < run.ranks; ++r) sum += traffic(run, r, collective);
  return sum;
}

TEST(TrafficFormula, OneRankInLiteralNumbers) {
  const Job job = odd_job(ReduceMode::mpi);
  using enum Collective;
  // All-reduce of rank 1: (98-33) + (98-32), (40-13) + (40-13), (18-6) + (18-6) elements a step.
  EXPECT_EQ(traffic(run_of(job, 0, 3), 1, all_reduce),
            (Traffic{3 * steps, phi * steps, 2 * phi * steps, 2 * (131 + 54 + 24) * steps}));
  EXPECT_EQ(traffic(run_of(job, 0, 3), 1, all_gather), Traffic{});
  // All-gather of rank 2 passes on what rank 0 owns last: 98-33, 40-14, 18-6.
  EXPECT_EQ(traffic(run_of(job, 1, 3), 2, all_gather),
            (Traffic{3 * updates, phi * updates, 2 * phi * updates, 2 * 103 * updates}));
  // Reduce-scatter of rank 0: 98-33, 40-14, 18-6.
  EXPECT_EQ(traffic(run_of(job, 2, 3), 0, reduce_scatter),
            (Traffic{3 * steps, phi * steps, 2 * phi * steps, 2 * 103 * steps}));
  EXPECT_EQ(traffic(run_of(job, 3, 3), 2, all_gather),
            (Traffic{6 * steps, 2 * phi * steps, 4 * phi * steps, 4 * 103 * steps}));
}

// Stage 3 gathers 98, 40 and 18 elements three times for each of two micro-batches, in however many
// segments; ranks pass on (98-33) + (40-13) + (18-6), (98-32) + (40-13) + 12, (98-33) + (40-14)
// + 12. Nothing else changes.
TEST(TrafficFormula, RecomputationGathersOnceMore) {
  const Job kept = odd_job(ReduceMode::mpi, 2);
  for (const std::size_t segments : {1U, 2U, 3U, 50U}) {
    Job job = kept;
    job.activation_segments = segments;
    for (int stage = 0; stage < 4; ++stage) {
      for (std::size_t rank = 0; rank < 3; ++rank) {
        TrafficTable wanted = traffic_formula(run_of(kept, stage, 3), rank);
        if (stage == 3)
          wanted[static_cast<std::size_t>(Collective::all_gather)] = {
              3 * 6 * steps, 6 * phi * steps, 2 * 6 * phi * steps,
              2 * 6 * std::array{104U, 105U, 103U}[rank] * steps};
        EXPECT_EQ(traffic_formula(run_of(job, stage, 3), rank), wanted)
            << "stage " << stage << " rank " << rank;
      }
    }
  }
}

// Overlapped stage 0 at N = 3: rank 1 sends 98-33, 40-13, 18-6 as sums, 98-32, 40-13, 18-6 as
// averages; under exact the sums are 8 bytes wide, the averages 2. A unit is one call, whatever the
// chunks.
TEST(TrafficFormula, OverlappedAllReduceIsItsTwoHalves) {
  for (const ReduceMode mode : {ReduceMode::exact, ReduceMode::mpi}) {
    Job job = odd_job(mode, 2);
    job.overlap = true;
    job.chunk_elements = 10;
    const std::size_t w = mode == ReduceMode::exact ? 8 : 2;
    using enum Collective;
    EXPECT_EQ(traffic(run_of(job, 0, 3), 1, all_reduce), Traffic{});
    EXPECT_EQ(traffic(run_of(job, 0, 3), 1, reduce_scatter),
              (Traffic{3 * steps, phi * steps, w * phi * steps, w * (65 + 27 + 12) * steps}));
    EXPECT_EQ(traffic(run_of(job, 0, 3), 1, all_gather),
              (Traffic{3 * steps, phi * steps, 2 * phi * steps, 2 * (66 + 27 + 12) * steps}));
    EXPECT_EQ(traffic(run_of(job, 2, 3), 1, reduce_scatter).calls, 3 * 2 * steps);
  }
}

TEST(TrafficFormula, RingSumsOverRanksAreWhole) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 8U, 20U}) {
    const Job job = odd_job(ReduceMode::exact);
    const std::size_t ring = (n - 1) * phi;
    using enum Collective;
    EXPECT_EQ(sum_over_ranks(run_of(job, 0, n), all_reduce).ring_bytes, 8 * 2 * ring * steps);
    EXPECT_EQ(sum_over_ranks(run_of(job, 2, n), reduce_scatter).ring_bytes, 8 * ring * steps);
    EXPECT_EQ(sum_over_ranks(run_of(job, 2, n), all_gather).ring_bytes, 2 * ring * updates);
    EXPECT_EQ(sum_over_ranks(run_of(job, 3, n), all_gather).ring_bytes, 2 * 2 * ring * steps);
    EXPECT_EQ(sum_over_ranks(run_of(job, 0, n), scalars).ring_bytes, 8 * 2 * (n - 1) * 7 * steps);
  }
}

TEST(TrafficFormula, ModesUseTheirOwnCollectivesAndWidths) {
  using enum Collective;
  const auto payload = [](ReduceMode mode, NumberType precision, int stage, Collective c) {
    Job job = odd_job(mode);
    job.precision = precision;
    return traffic(run_of(job, stage, 3), 0, c).payload_bytes;
  };
  for (const auto& [precision, w] :
       {std::pair{NumberType::fp16, 2U}, {NumberType::bf16, 2U}, {NumberType::fp32, 4U}}) {
    EXPECT_EQ(payload(ReduceMode::exact, precision, 0, all_reduce), 8 * phi * steps);
    EXPECT_EQ(payload(ReduceMode::exact, precision, 2, reduce_scatter), 8 * phi * steps);
    EXPECT_EQ(payload(ReduceMode::mpi, precision, 0, all_reduce), w * phi * steps);
    EXPECT_EQ(payload(ReduceMode::mpi, precision, 2, reduce_scatter), w * phi * steps);
    EXPECT_EQ(payload(ReduceMode::ordered, precision, 0, all_reduce), 0U);
    EXPECT_EQ(payload(ReduceMode::ordered, precision, 0, all_to_all), w * phi * steps);
    EXPECT_EQ(payload(ReduceMode::ordered, precision, 0, all_gather), w * phi * steps);
    EXPECT_EQ(payload(ReduceMode::ordered, precision, 2, all_to_all), w * phi * steps);
    EXPECT_EQ(payload(ReduceMode::ordered, precision, 2, reduce_scatter), 0U);
    EXPECT_EQ(payload(ReduceMode::mpi, precision, 2, all_to_all), 0U);
    EXPECT_EQ(payload(ReduceMode::exact, precision, 1, all_gather), w * phi * updates);
  }
}

TEST(TrafficFormula, ChunksAreCallsOfTheirOwn) {
  // 98 elements in chunks of at most 3 · ⌊50/3⌋: shards of 33 take three; 40 and 18 take one.
  for (const ReduceMode mode : {ReduceMode::exact, ReduceMode::ordered}) {
    Job job = odd_job(mode);
    job.chunk_elements = 50;
    const bool exact = mode == ReduceMode::exact;
    const Collective c = exact ? Collective::reduce_scatter : Collective::all_to_all;
    EXPECT_EQ(traffic(run_of(job, 2, 3), 0, c).calls, 5 * steps);
    EXPECT_EQ(traffic(run_of(job, 2, 3), 0, c).elements, phi * steps);
  }
  Job job = odd_job(ReduceMode::mpi);
  job.chunk_elements = 50;
  EXPECT_EQ(traffic(run_of(job, 2, 3), 0, Collective::reduce_scatter).calls, 3 * steps);
}

TEST(TrafficFormula, MultiplesOfPhiAreTheStagesTable) {
  for (const ReduceMode mode : modes) {
    for (const std::size_t k : {1U, 2U, 4U}) {
      const Job job = odd_job(mode, k);
      const std::array<std::size_t, 4> payload{1, 2, k + 1, 3 * k}, wire{2, 3, k + 1, 3 * k};
      for (std::size_t stage = 0; stage < 4; ++stage) {
        for (const std::size_t n : {2U, 3U, 4U, 7U}) {
          const zerolab::Run run{job, static_cast<int>(stage), n, steps, 0, 1000, 100, 256, 0};
          std::size_t elements = 0, ring = 0;
          for (std::size_t c = 0; c < static_cast<std::size_t>(Collective::scalars); ++c) {
            const auto collective = static_cast<Collective>(c);
            const Traffic sum = sum_over_ranks(run, collective);
            elements += sum.elements;
            ring += sum.elements == 0 ? 0 : sum.ring_bytes / (sum.payload_bytes / sum.elements);
          }
          const std::size_t times = mode == ReduceMode::ordered ? wire[stage] : payload[stage];
          EXPECT_EQ(elements, n * times * phi * steps) << "stage " << stage << ", k = " << k;
          EXPECT_EQ(ring, wire[stage] * (n - 1) * phi * steps) << "stage " << stage;
        }
      }
    }
  }
}

TEST(TrafficFormula, SkippedStepsSendNoUpdate) {
  const Job job = odd_job(ReduceMode::mpi);
  const auto gathers = [&job](int stage, std::size_t skipped) {
    const zerolab::Run run{job, stage, 3, steps, skipped, 1000, 100, 256, 0};
    return traffic(run, 0, Collective::all_gather).calls;
  };
  for (const int stage : {1, 2}) {
    EXPECT_EQ(gathers(stage, 0), 3 * steps);
    EXPECT_EQ(gathers(stage, 4), 3 * (steps - 4));
  }
  EXPECT_EQ(gathers(0, 0), 0U);
  EXPECT_EQ(gathers(3, 4), gathers(3, 0)) << "stage 3 gathers before use, skipped or not";
}

TEST(TrafficFormula, WhatLiesOutsideTrainingStaysOutsideTheFormula) {
  const Job job = odd_job(ReduceMode::exact);
  for (int stage = 0; stage < 4; ++stage)
    EXPECT_EQ(traffic(run_of(job, stage, 3), 0, Collective::other), Traffic{});
}

}  // namespace
}  // namespace zerolab
