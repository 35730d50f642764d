// The summary and a metrics line have the documented keys, of the documented types, with null for
// what is not finite.
#include "zerolab/report/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "summary_keys.hpp"
#include "zerolab/report/job_data.hpp"

namespace zerolab {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Summary : testing::Test {
  Communicator comm{MPI_COMM_WORLD};
  MemoryLedger memory;

  bool first() const { return comm.rank() == 0; }

  /// A run of `options`; `look` sees every step.
  Outcome run_of(const Options& options, Job& job,
                 std::function<void(const StepResult&, const Stage&, const Job&)> look = {}) {
    const JobData data = open_job(options, comm, memory);
    job = data.job;
    return run({.job = job,
                .stage = options.stage,
                .steps = data.steps,
                .data = *data.data,
                .comm = comm,
                .memory = memory,
                .after_step = [&](std::size_t, const StepResult& result, const Stage& stage) {
                  if (look) look(result, stage, job);
                }});
  }
};

TEST_F(Summary, HasExactlyTheStableKeys) {
  for (int stage = 0; stage < 4; ++stage) {
    Job job;
    const Outcome outcome = run_of(small(stage), job);
    if (!first()) continue;
    const json summary = summary_json(outcome, job);
    expect_summary(summary, comm.size(), 3);
    EXPECT_EQ(summary.at("stage"), stage);
    EXPECT_EQ(summary.at("reduce"), "exact");
    const auto mine =
        4 * (stage == 0 ? 156U
                        : Shards{98, comm.size()}.size(0) + Shards{40, comm.size()}.size(0) +
                              Shards{18, comm.size()}.size(0));
    EXPECT_EQ(summary.at("memory").at("per_rank").at(0).at("master").at("now"), mine);
    EXPECT_EQ(json::parse(summary.dump()), summary);
  }
}

TEST_F(Summary, WhatIsNotFiniteIsNull) {
  Job job;
  Outcome outcome = run_of(small(), job);
  if (!first()) return;
  for (const double value : {infinity, -infinity, std::nan("")}) {
    outcome.last->loss = value;
    EXPECT_TRUE(summary_json(outcome, job).at("loss").is_null());
  }
  outcome.reports[0].rss_peak.reset();
  EXPECT_TRUE(
      summary_json(outcome, job).at("memory").at("per_rank").at(0).at("rss_peak").is_null());
}

TEST_F(Summary, CountsOfTheTestAreNotMixedUp) {
  Job job;
  Outcome outcome = run_of(small(), job);
  if (!first()) return;
  outcome.evaluation.correct = 2;
  outcome.evaluation.samples = 5;
  EXPECT_EQ(summary_json(outcome, job).at("test_correct"), 2);
  EXPECT_EQ(summary_json(outcome, job).at("test_samples"), 5);
}

TEST_F(Summary, MetricsLineHasTheDocumentedKeys) {
  Job job;
  std::vector<json> lines;
  run_of(small(), job, [&](const StepResult& result, const Stage& stage, const Job& of) {
    lines.push_back(metrics_json(lines.size(), result, stage, of, 12 * (lines.size() + 1)));
    StepResult overflow = result;
    overflow.loss = std::nan("");
    overflow.grad_norm = infinity;
    overflow.skipped = true;
    const json line = metrics_json(0, overflow, stage, of, 0);
    EXPECT_TRUE(line.at("loss").is_null() && line.at("grad_norm").is_null());
    EXPECT_EQ(line.at("skipped"), true);
  });
  EXPECT_EQ(lines.size(), 3U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(keys(lines[i]), (Keys{"step", "loss", "grad_norm", "clip_factor", "loss_scale",
                                    "skipped", "lr", "optimizer_steps", "samples_consumed"}));
    EXPECT_EQ(lines[i].at("step"), i + 1);
    EXPECT_EQ(lines[i].at("optimizer_steps"), i + 1);
    EXPECT_EQ(lines[i].at("samples_consumed"), 12 * (i + 1));
    EXPECT_EQ(lines[i].at("skipped"), false);
    EXPECT_EQ(lines[i].at("loss_scale"), 1024);
    EXPECT_EQ(lines[i].at("clip_factor"), 1);
    EXPECT_EQ(lines[i].at("lr"), 1e-3);
    EXPECT_TRUE(lines[i].at("loss").is_number_float() &&
                lines[i].at("grad_norm").is_number_float());
  }
}

}  // namespace
}  // namespace zerolab
