// One step as the timeline tells it, against what the ledgers counted and what each stage is to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "samples.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {
namespace {

constexpr std::size_t steps = 3, units = 3;

struct Told {
  Timeline::Step step;
  Outcome outcome;
  MemoryTable ledger;
};

Told tell(Communicator& comm, Job& job, int stage) {
  job.shape.widths = {13, 7, 5, 3};
  job.batch = 2;
  job.loss_scale.fixed = 1;
  const Samples data(13, 3, 8 * comm.size(), 0);  // none to evaluate: all memory is training's
  MemoryLedger memory;
  Timeline timeline([&comm] { return comm.now(); });
  Outcome outcome = run({.job = job,
                         .stage = stage,
                         .steps = steps,
                         .data = data,
                         .comm = comm,
                         .memory = memory,
                         .timeline = &timeline,
                         .after_step = {}});
  EXPECT_TRUE(timeline.kept().has_value());
  MemoryTable ledger{};
  for (std::size_t c = 0; c < categories; ++c) ledger[c] = memory.line(static_cast<Category>(c));
  return {timeline.kept().value_or(Timeline::Step{}), std::move(outcome), ledger};
}

std::vector<std::pair<int, bool>> all_stages() {
  return {{0, false}, {1, false}, {2, false}, {3, false}, {0, true}, {2, true}, {3, true}};
}

// Held at the begin, plus every change: never below zero, at most the ledger's peak and once just
// that, and at the end what the step began with.
TEST(Timeline, MemoryAddsUpToTheLedger) {
  Communicator comm(MPI_COMM_WORLD);
  for (const auto& [stage, overlap] : all_stages()) {
    SCOPED_TRACE(fmt::format("stage {}{}", stage, overlap ? ", overlapped" : ""));
    Job job;
    job.overlap = overlap;
    const Told told = tell(comm, job, stage);
    std::array<std::int64_t, categories> held{}, peak{};
    for (std::size_t c = 0; c < categories; ++c)
      held[c] = peak[c] = static_cast<std::int64_t>(told.step.held[c]);
    double before = 0;
    for (const auto& change : told.step.changes) {
      const auto c = static_cast<std::size_t>(change.category);
      held[c] += change.bytes;
      peak[c] = std::max(peak[c], held[c]);
      EXPECT_GE(held[c], 0);
      EXPECT_GE(change.at, before);
      before = change.at;
    }
    for (std::size_t c = 0; c < categories; ++c) {
      SCOPED_TRACE(name(static_cast<Category>(c)));
      EXPECT_EQ(held[c], static_cast<std::int64_t>(told.step.held[c]));
      EXPECT_EQ(peak[c], static_cast<std::int64_t>(told.outcome.reports.empty()
                                                       ? told.ledger[c].peak
                                                       : told.outcome.reports[0].memory[c].peak));
    }
  }
}

// A span for every product, update and counted call; what blocks does not overlap what computes.
TEST(Timeline, SpansAreTheCallsOfAStep) {
  Communicator comm(MPI_COMM_WORLD);
  for (const auto& [stage, overlap] : all_stages()) {
    SCOPED_TRACE(fmt::format("stage {}{}", stage, overlap ? ", overlapped" : ""));
    Job job;
    job.overlap = overlap;
    const Told told = tell(comm, job, stage);
    std::map<std::string_view, std::size_t> calls;
    double free_from = 0;
    for (const auto& span : told.step.spans) {
      ++calls[span.what];
      EXPECT_LE(span.begin, span.end);
      EXPECT_LE(span.end, told.step.seconds);
      EXPECT_EQ(span.blocking, !overlap || span.unit.has_value() || span.what == "scalars");
      if (!span.blocking) continue;
      EXPECT_GE(span.begin, free_from) << span.what;
      free_from = span.end;
    }
    EXPECT_EQ(calls["forward"], units);
    EXPECT_EQ(calls["backward"], units);
    EXPECT_EQ(calls["update"], units);
    for (const Collective c : {Collective::all_reduce, Collective::reduce_scatter,
                               Collective::all_gather, Collective::all_to_all, Collective::scalars})
      EXPECT_EQ(calls[name(c)] * steps, comm.ledger().line(c).calls) << name(c);
  }
}

// Stage 3 gathers each unit twice, and lets go of it before it gathers another.
TEST(Timeline, StageThreeGathersAndReleasesUnitByUnit) {
  Communicator comm(MPI_COMM_WORLD);
  Job job;
  const Told told = tell(comm, job, 3);
  std::vector<std::size_t> gathered;
  const auto parameters_after = [&](std::size_t changes) {
    auto bytes = static_cast<std::int64_t>(told.step.held[0]);
    for (std::size_t i = 0; i < changes; ++i) {
      const auto& change = told.step.changes[i];
      if (change.category == Category::parameters) bytes += change.bytes;
    }
    return bytes - static_cast<std::int64_t>(told.step.held[0]);
  };
  for (const auto& mark : told.step.marks) {
    if (!mark.words.starts_with("all-gather")) continue;
    gathered.push_back(mark.unit);
    EXPECT_EQ(parameters_after(mark.after),
              2 * static_cast<std::int64_t>(job.shape.elements(mark.unit)));
  }
  EXPECT_EQ(gathered, (std::vector<std::size_t>{0, 1, 2, 2, 1, 0}));
}

// Overlapped, the gather of a unit is under way while the one before it is used.
TEST(Timeline, OverlappedGathersGoOnBesideProducts) {
  Communicator comm(MPI_COMM_WORLD);
  Job job;
  job.overlap = true;
  const Told told = tell(comm, job, 3);
  std::size_t beside = 0;
  for (const auto& gather : told.step.spans) {
    if (gather.what != "allgather") continue;
    beside += std::ranges::any_of(told.step.spans, [&](const Timeline::Span& span) {
      return span.unit && gather.begin <= span.begin && span.end <= gather.end;
    });
  }
  EXPECT_EQ(beside, 2 * (units - 1)) << "all but the first of each pass";
}

TEST(Timeline, SkippedStepsAreNotKept) {
  Communicator comm(MPI_COMM_WORLD);
  MemoryLedger memory;
  Timeline timeline([] { return 0.0; });
  timeline.start(0, memory);
  timeline.stop(false);
  EXPECT_FALSE(timeline.kept());
  timeline.start(1, memory);
  auto late = timeline.run("allgather", std::nullopt, false);
  timeline.stop(true);
  timeline.start(2, memory);
  late.end();  // of a step that is over
  timeline.stop(false);
  ASSERT_TRUE(timeline.kept());
  EXPECT_EQ(timeline.kept()->index, 1U);
}

}  // namespace
}  // namespace zerolab
