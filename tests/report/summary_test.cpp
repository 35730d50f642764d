// What machines read: the summary, verify's JSON and a metrics line have the documented keys, of
// the documented types, with null for what is not finite, and nothing else is on standard output.
#include "zerolab/report/summary.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "zerolab/report/commands.hpp"
#include "zerolab/report/job_data.hpp"

namespace zerolab {
namespace {

using nlohmann::json;
using Keys = std::set<std::string>;

constexpr double infinity = std::numeric_limits<double>::infinity();

Keys keys(const json& tree) {
  Keys found;
  for (const auto& [key, value] : tree.items()) found.insert(key);
  return found;
}

bool is_digest(const json& text) {
  const auto digits = text.is_string() ? text.get<std::string>() : "";
  return digits.size() == 16 && digits.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Options small(int stage = 3) {
  Options o;
  o.data = "synthetic:64,13,3";
  o.hidden = {7, 5};
  o.stage = stage;
  o.job.batch = 4;
  o.job.loss_scale.fixed = 1024;  // no overflow, so no skipped step
  o.steps = 3;
  o.quiet = true;
  return o;
}

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

  /// What a command prints on this rank's standard output.
  std::string printed(int (*command)(const Options&, Communicator&), const Options& options,
                      int wanted = 0) {
    testing::internal::CaptureStdout();
    const int code = command(options, comm);
    std::fflush(stdout);
    const std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, wanted) << text;
    return text;
  }

  void expect_summary(const json& summary, std::size_t steps);
};

void expect_unsigned(const json& tree, const Keys& names) {
  EXPECT_EQ(keys(tree), names);
  for (const auto& [key, value] : tree.items()) EXPECT_TRUE(value.is_number_unsigned()) << key;
}

void expect_memory(json tree, bool measured) {
  if (measured) {
    EXPECT_TRUE(tree.at("peak_total").is_number_unsigned());
    EXPECT_TRUE(tree.at("rss_peak").is_number_unsigned() || tree.at("rss_peak").is_null());
    tree.erase("peak_total");
    tree.erase("rss_peak");
  }
  EXPECT_EQ(keys(tree), (Keys{"parameters", "gradients", "master", "momentum", "variance",
                              "accumulator", "activations", "buffers", "data"}));
  for (const json& line : tree) expect_unsigned(line, {"now", "peak"});
}

void expect_traffic(const json& tree, bool measured) {
  Keys names{"allreduce", "reduce_scatter", "allgather", "alltoall", "scalars"};
  if (measured) names.insert("other");
  EXPECT_EQ(keys(tree), names);
  for (const json& line : tree)
    expect_unsigned(line, {"calls", "elements", "payload_bytes", "ring_bytes"});
}

void Summary::expect_summary(const json& s, std::size_t steps) {
  EXPECT_EQ(keys(s), (Keys{"ranks", "stage", "precision", "reduce", "seed", "parameters", "steps",
                           "skipped_steps", "loss", "test_correct", "test_samples", "mpi",
                           "blas_kernel", "digest", "digest_agrees", "memory", "traffic", "seconds",
                           "samples_per_second"}));
  EXPECT_EQ(s.at("ranks"), comm.size());
  EXPECT_EQ(s.at("precision"), "fp16");
  EXPECT_EQ(s.at("seed"), 1);
  EXPECT_EQ(s.at("parameters"), 14 * 7 + 8 * 5 + 6 * 3);
  EXPECT_EQ(s.at("steps"), steps);
  EXPECT_EQ(s.at("skipped_steps"), 0);
  EXPECT_TRUE(steps == 0 ? s.at("loss").is_null() : s.at("loss").is_number_float());
  for (const char* key : {"test_correct", "test_samples", "ranks", "steps", "skipped_steps"})
    EXPECT_TRUE(s.at(key).is_number_unsigned()) << key;
  EXPECT_TRUE(s.at("mpi").is_string() && s.at("blas_kernel").is_string());
  EXPECT_EQ(keys(s.at("digest")), (Keys{"parameters", "master", "moments"}));
  for (const auto& [key, digest] : s.at("digest").items()) EXPECT_TRUE(is_digest(digest)) << key;
  EXPECT_EQ(s.at("digest_agrees"), true);
  EXPECT_EQ(keys(s.at("seconds")), (Keys{"step_median"}));
  EXPECT_TRUE(s.at("seconds").at("step_median").is_number());
  EXPECT_TRUE(s.at("samples_per_second").is_number());

  EXPECT_EQ(keys(s.at("memory")), (Keys{"per_rank", "formula"}));
  EXPECT_EQ(keys(s.at("traffic")), (Keys{"per_rank", "formula", "wire_bytes_per_rank"}));
  EXPECT_TRUE(s.at("traffic").at("wire_bytes_per_rank").is_null());
  for (const char* list : {"per_rank", "formula"}) {
    const bool measured = std::string(list) == "per_rank";
    EXPECT_TRUE(s.at("memory").at(list).is_array() && s.at("traffic").at(list).is_array());
    EXPECT_EQ(s.at("memory").at(list).size(), comm.size());
    EXPECT_EQ(s.at("traffic").at(list).size(), comm.size());
    for (const json& tree : s.at("memory").at(list)) expect_memory(tree, measured);
    for (const json& tree : s.at("traffic").at(list)) expect_traffic(tree, measured);
  }
}

TEST_F(Summary, HasExactlyTheStableKeys) {
  for (int stage = 0; stage < 4; ++stage) {
    Job job;
    const Outcome outcome = run_of(small(stage), job);
    if (!first()) continue;
    const json summary = summary_json(outcome, job);
    expect_summary(summary, 3);
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

TEST_F(Summary, JsonOnStandardOutputIsAlone) {
  Options o = small();
  o.json = std::string("-");
  o.trace = true;
  for (const std::size_t steps : {0U, 3U}) {
    o.steps = steps;
    const std::string text = printed(train_command, o);
    if (!first()) {
      EXPECT_EQ(text, "");
    } else if (!json::accept(text)) {
      ADD_FAILURE() << "no JSON:\n" << text;
    } else {
      expect_summary(json::parse(text), steps);
    }
  }
}

TEST_F(Summary, VerifyTellsEveryStageAndTheBytes) {
  Options o = small();
  o.json = "-";
  const std::string text = printed(verify_command, o);
  if (!first()) {
    EXPECT_EQ(text, "");
    return;
  }
  const json tree = json::parse(text, nullptr, false);
  EXPECT_EQ(keys(tree), (Keys{"stages", "agree", "first_difference", "bytes"})) << text;
  EXPECT_EQ(tree.value("agree", json()), true);
  EXPECT_TRUE(tree.value("first_difference", json(0)).is_null());
  for (const char* part : {"stages", "bytes"}) {
    const json stages = tree.value(part, json());
    EXPECT_EQ(keys(stages), (Keys{"0", "1", "2", "3"}));
    for (const auto& [stage, summary] : stages.items()) {
      expect_summary(summary, 3);
      EXPECT_EQ(summary.at("stage"), std::stoi(stage));
      EXPECT_EQ(summary.at("reduce"), std::string(part) == "stages" ? "exact" : "mpi");
    }
  }
}

TEST_F(Summary, VerifyNamesTheFirstDifference) {
  if (comm.size() < 3) GTEST_SKIP() << "one rank has nothing to sum";
  Options o;
  o.job.precision = NumberType::fp32;
  o.reduce = o.job.reduce = ReduceMode::mpi;
  o.job.loss_scale.fixed = 1;
  o.json = "-";
  o.steps = 4;
  const std::string text = printed(verify_command, o, 1);
  if (!first()) return;
  const json tree = json::parse(text, nullptr, false);
  EXPECT_EQ(tree.at("agree"), false);
  const json& found = tree.at("first_difference");
  for (const char* key : {"stage", "step", "unit", "index", "ulps"})
    EXPECT_TRUE(found.at(key).is_number_integer()) << key;
  EXPECT_TRUE(found.at("a").is_number_float() && found.at("b").is_number_float());
  EXPECT_NE(found.at("a"), found.at("b"));
  EXPECT_GE(found.at("ulps"), 1);
  EXPECT_EQ(found.at("stage"), 2) << "the first stage that adds in another order";
}

TEST_F(Summary, MetricsFileIsOneObjectALine) {
  Options o = small();
  o.json = "-";
  o.metrics = testing::TempDir() + "zerolab_metrics_" + std::to_string(getpid()) + ".jsonl";
  printed(train_command, o);
  if (!first()) return;
  std::ifstream file(o.metrics);
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    EXPECT_TRUE(json::accept(line)) << line;
    EXPECT_EQ(json::parse(line, nullptr, false).value("step", 0U), lines + 1);
    EXPECT_EQ(json::parse(line, nullptr, false).value("samples_consumed", 0U),
              (lines + 1) * 4 * comm.size());
  }
  EXPECT_EQ(lines, 3U);
  std::filesystem::remove(o.metrics);
}

}  // namespace
}  // namespace zerolab
