// Activation checkpointing in the stages: not a bit changes, activations take what the closed form
// says, and stage 3 gathers every unit a third time.
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "job_run.hpp"
#include "samples.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {
namespace {

constexpr NumberType precisions[]{NumberType::fp16, NumberType::bf16, NumberType::fp32};
constexpr ReduceMode modes[]{ReduceMode::exact, ReduceMode::ordered, ReduceMode::mpi};
constexpr std::size_t steps = 4;

struct Told {
  std::vector<std::string> lines;
  std::size_t skipped = 0;
  std::size_t activations = 0;  ///< bytes at most
};

/// Trains and evaluates; expects the ledgers to hold.
Told train(const Job& job, int stage, const Dataset& data, Communicator& comm) {
  SCOPED_TRACE(fmt::format("stage {} in {} segments", stage, job.activation_segments));
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
             told.skipped += result.skipped ? 1U : 0U;
           }});
  EXPECT_TRUE(outcome.digest.agrees());
  EXPECT_TRUE(outcome.memory_holds());
  EXPECT_TRUE(outcome.traffic_holds());
  for (const std::uint64_t word : words(outcome.digest)) told.lines.push_back(hex(word));
  told.activations = memory.line(Category::activations).peak;
  return told;
}

// Five units in 1, 2, 3 (2 + 2 + 1) and 9 segments (which are 5), every precision under every
// mode, one micro-batch and more, or virtual shards. An epoch is one full step and one with a
// sample or two for the first ranks and none for the others; one of its samples makes it not
// finite.
TEST(Recompute, ChangesNoBitInAnyStage) {
  Communicator comm(MPI_COMM_WORLD);
  std::size_t skipped = 0, updated = 0;
  for (std::size_t p = 0; p < std::size(precisions); ++p) {
    for (std::size_t m = 0; m < std::size(modes); ++m) {
      Job job;
      job.shape.widths = {13, 7, 5, 6, 4, 3};
      job.precision = precisions[p];
      job.reduce = modes[m];
      job.batch = 2;
      job.loss_scale.fixed = 64;
      const std::size_t k = 1 + (p + m) % 3;
      if (k == 3) job.virtual_shards = 2 * comm.size() + 1;
      if (k == 2) job.accumulate = 2;
      Samples data(13, 3, job.micro_batches(comm.size()) * job.batch + 1 + m % 2, 20);
      data.sample(3)[5] = std::numeric_limits<float>::infinity();
      for (int stage = 0; stage < 4; ++stage) {
        job.activation_segments = 0;
        const Told kept = train(job, stage, data, comm);
        skipped += kept.skipped;
        updated += steps - kept.skipped;
        for (const std::size_t segments : {1U, 2U, 3U, 9U}) {
          job.activation_segments = segments;
          EXPECT_EQ(train(job, stage, data, comm).lines, kept.lines) << fmt::format(
              "{} {} k {} stage {} in {} segments", name(job.precision), m, k, stage, segments);
        }
      }
    }
  }
  EXPECT_GT(skipped, 0U) << "no case skips a step";
  EXPECT_GT(updated, 0U) << "no case updates";
}

// Times Φ and per step, under mpi: what every collective was handed, recomputed or not.
TEST(Recompute, StageThreeGathersAThirdTime) {
  Communicator comm(MPI_COMM_WORLD);
  const std::size_t phi = 14 * 7 + 8 * 5 + 6 * 6 + 7 * 4 + 5 * 3;
  for (const std::size_t k : {1U, 2U, 4U}) {
    const std::array kept{std::size_t{1}, std::size_t{2}, k + 1, 3 * k};
    const std::array recomputed{std::size_t{1}, std::size_t{2}, k + 1, 4 * k};
    const Samples data(13, 3, 2 * comm.size() * k, 1);
    for (std::size_t stage = 0; stage < 4; ++stage) {
      for (const std::size_t segments : {0U, 1U, 2U, 5U, 7U}) {
        Job job;
        job.shape.widths = {13, 7, 5, 6, 4, 3};
        job.reduce = ReduceMode::mpi;
        job.accumulate = k;
        job.batch = 2;
        job.loss_scale.fixed = 1;
        job.activation_segments = segments;
        JobRun run(job, static_cast<int>(stage), data, comm);
        run.step();
        Traffic all;
        for (const Collective c : {Collective::all_reduce, Collective::reduce_scatter,
                                   Collective::all_gather, Collective::all_to_all})
          all += comm.ledger().line(c);
        EXPECT_EQ(all.elements, (segments > 0 ? recomputed : kept)[stage] * phi)
            << "stage " << stage << " k " << k << " segments " << segments;
        std::uint64_t bytes = all.ring_bytes;
        comm.sum(std::span(&bytes, 1));
        const std::size_t halves = stage < 2 ? 1 : 0;  // an all-reduce counts twice
        EXPECT_EQ(bytes, 2 * (comm.size() - 1) * (all.elements + halves * phi));
      }
    }
  }
}

// 16 layers of one width: i segment inputs, the i-th segment's other inputs, its last output and
// the gradient of that; least near √16 segments. A batch of 64 needs more than an evaluated block
// of 256, which holds two layers.
TEST(Recompute, SixteenLayersNeedLeastNearFourSegments) {
  Communicator comm(MPI_COMM_WORLD);
  constexpr std::size_t units = 16, batch = 64, w = 6;
  const Samples data(w, w, batch * comm.size() * 2, 300);
  Job job;
  job.shape.widths.assign(units + 1, w);
  job.precision = NumberType::fp32;
  job.reduce = ReduceMode::mpi;
  job.batch = batch;
  const auto bytes = [&](std::size_t layers) { return 4 * batch * w * layers; };
  for (int stage = 0; stage < 4; stage += 3) {
    job.activation_segments = 0;
    EXPECT_EQ(train(job, stage, data, comm).activations, bytes(16 + 2));
    std::vector<std::size_t> best;
    std::size_t least = SIZE_MAX;
    for (std::size_t s = 1; s <= units; ++s) {
      job.activation_segments = s;
      std::size_t layers = 0;
      for (std::size_t i = 1; i <= s; ++i)
        layers = std::max(layers, i + units / s + (i <= units % s ? 1 : 0) + 1);
      const std::size_t held = train(job, stage, data, comm).activations;
      EXPECT_EQ(held, bytes(layers)) << s << " segments";
      if (held < least) best.clear();
      least = std::min(least, held);
      if (held == least) best.push_back(s);
    }
    EXPECT_EQ(least, bytes(9)) << "half of what it is without";
    EXPECT_EQ(best, (std::vector<std::size_t>{3, 4, 5, 6}));
  }
}

// 4-3-2 on three ranks in one segment: both units are gathered and run again, one at a time.
TEST(Recompute, TheTraceTellsIt) {
  Communicator comm(MPI_COMM_WORLD);
  if (comm.size() != 3) return;
  Job job;
  job.shape.widths = {4, 3, 2};
  job.batch = 4;
  job.loss_scale.fixed = 16;
  job.activation_segments = 1;
  const Samples data(4, 2, 40, 1);
  JobRun run(job, 3, data, comm);
  run.trace().start();
  run.step();
  const std::size_t mine = comm.rank() < 2 ? 3 : 2;
  const std::string gather = fmt::format("unit 1 · all-gather 8 elements, holds {} → 8", mine);
  const std::vector<std::string> story{
      "backward", "unit 0 · all-gather 15 elements, holds 5 → 15 · recompute · release 10",
      fmt::format("{} · recompute · release {}", gather, 8 - mine), gather + " · backward"};
  const auto& lines = run.trace().lines();
  EXPECT_NE(std::search(lines.begin(), lines.end(), story.begin(), story.end()), lines.end())
      << fmt::format("{}", fmt::join(lines, "\n"));
}

TEST(Recompute, TheTimelineHasASpanForEachUnit) {
  Communicator comm(MPI_COMM_WORLD);
  const Samples data(13, 3, 8 * comm.size(), 0);
  for (const std::size_t segments : {0U, 1U, 2U, 4U}) {
    Job job;
    job.shape.widths = {13, 7, 5, 3};
    job.batch = 2;
    job.loss_scale.fixed = 1;
    job.activation_segments = segments;
    MemoryLedger memory;
    Timeline timeline([&comm] { return comm.now(); });
    run({.job = job,
         .stage = 3,
         .steps = 2,
         .data = data,
         .comm = comm,
         .memory = memory,
         .timeline = &timeline,
         .after_step = {}});
    const Timeline::Step step = timeline.kept().value_or(Timeline::Step{});
    std::vector<std::string> told;
    double free_from = 0;
    for (const auto& span : step.spans) {
      EXPECT_GE(span.begin, free_from) << span.what;
      free_from = span.end;
      if (span.what == "recompute" || span.what == "backward")
        told.push_back(fmt::format("{}{}", span.what[0], span.unit.value_or(99)));
    }
    const std::map<std::size_t, std::string> orders{{0, "b2 b1 b0"},
                                                    {1, "r0 r1 r2 b2 b1 b0"},
                                                    {2, "r2 b2 r0 r1 b1 b0"},
                                                    {4, "r2 b2 r1 b1 r0 b0"}};
    EXPECT_EQ(fmt::format("{}", fmt::join(told, " ")), orders.at(segments));
  }
}

TEST(Recompute, OverlappedTwinsHaveNone) {
  Communicator comm(MPI_COMM_WORLD);
  const Samples data(13, 3, 20, 10);
  Job job;
  job.shape.widths = {13, 7, 5, 3};
  job.overlap = true;
  job.activation_segments = 2;
  for (const int stage : {0, 2, 3}) EXPECT_THROW(JobRun(job, stage, data, comm), Error);
}

}  // namespace
}  // namespace zerolab
