// What train and verify write for machines: one JSON value alone on standard output, a metrics file
// of one object a line, and the first difference of two stages.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "summary_keys.hpp"
#include "zerolab/comm/communicator.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/first_difference.hpp"
#include "zerolab/report/job_data.hpp"

namespace zerolab {
namespace {

int train_until_finalize(const Options& options, Communicator& comm) {
  return train_command(options, comm, "").exit_code;
}

struct JsonOutput : testing::Test {
  Communicator comm{MPI_COMM_WORLD};

  bool first() const { return comm.rank() == 0; }
  /// Whether this MPI's all-reduce and reduce-scatter add in different orders on these ranks.
  bool sums_part() const {
    return comm.size() > 3 || (comm.size() == 3 && !mpi_library().starts_with("MPICH"));
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
};

TEST_F(JsonOutput, JsonOnStandardOutputIsAlone) {
  Options o = small();
  o.json = std::string("-");
  o.trace = true;
  for (const std::size_t steps : {0U, 3U}) {
    o.steps = steps;
    const std::string text = printed(train_until_finalize, o);
    if (!first()) {
      EXPECT_EQ(text, "");
    } else if (!json::accept(text)) {
      ADD_FAILURE() << "no JSON:\n" << text;
    } else {
      expect_summary(json::parse(text), comm.size(), steps);
    }
  }
}

TEST_F(JsonOutput, VerifyTellsEveryStageAndTheBytes) {
  Options o = small();
  o.json = "-";
  const std::string text = printed(verify_command, o);
  if (!first()) {
    EXPECT_EQ(text, "");
    return;
  }
  const json tree = json::parse(text, nullptr, false);
  EXPECT_EQ(keys(tree),
            (Keys{"stages", "agree", "first_difference", "bytes", "plain_agrees", "wire"}))
      << text;
  EXPECT_EQ(tree.value("agree", json()), true);
  EXPECT_TRUE(tree.value("first_difference", json(0)).is_null());
  for (const char* part : {"stages", "bytes"}) {
    const json stages = tree.value(part, json());
    EXPECT_EQ(keys(stages), (Keys{"0", "1", "2", "3"}));
    for (const auto& [stage, summary] : stages.items()) {
      expect_summary(summary, comm.size(), 3);
      EXPECT_EQ(summary.at("stage"), std::stoi(stage));
      EXPECT_EQ(summary.at("reduce"), std::string(part) == "stages" ? "exact" : "mpi");
    }
  }
}

TEST_F(JsonOutput, VerifyNamesTheFirstDifference) {
  if (!sums_part()) GTEST_SKIP() << "the library's sums agree here";
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

// Nothing is learned, so one element with its last bit turned is all that ever differs.
TEST(FirstDifference, IsThePlantedElement) {
  struct Place {
    std::size_t unit, index;
  };
  Communicator comm(MPI_COMM_WORLD);
  MemoryLedger memory;
  Options o = small();
  o.job.precision = NumberType::fp32;
  o.job.loss_scale.fixed = 1;
  o.job.optimizer.kind = OptimizerKind::sgd;
  o.job.optimizer.learning_rate = 0;
  const JobData data = open_job(o, comm, memory);
  for (const Place place : {Place{0, 0}, {0, 97}, {1, 20}, {2, 17}}) {
    Training zero{.job = data.job,
                  .stage = 0,
                  .steps = data.steps,
                  .data = *data.data,
                  .comm = comm,
                  .memory = memory,
                  .digest_steps = true,
                  .after_step = {}};
    Training three = zero;
    three.stage = 3;
    three.load = [&](Stage& stage) {
      const Shards cut{data.job.shape.elements(place.unit), comm.size()};
      if (cut.owner(place.index) != comm.rank()) return;
      const Numbers shard = stage.stored_parameters()[place.unit];
      shard.part(place.index - cut.first(comm.rank()), 1).data[0] ^= std::byte{1};
    };
    const Outcome a = run(zero), b = run(three);
    const auto found = find_first_difference(zero, a, three, b);
    if (!found) {
      ADD_FAILURE() << "not found";
      continue;
    }
    EXPECT_EQ(found->stage, 3);
    EXPECT_EQ(found->reference, 0);
    EXPECT_EQ(found->step, 1U);
    EXPECT_EQ(found->unit, place.unit);
    EXPECT_EQ(found->index, place.index);
    EXPECT_EQ(found->ulps, 1U);
    EXPECT_EQ(found->differing, 1U);
    EXPECT_NE(found->a, found->b);
  }
}

// agree tells whether bits are equal, whatever was expected and so whatever the exit code.
TEST_F(JsonOutput, AgreeIsNotTheVerdict) {
  Options o = small();
  o.json = "-";
  o.expect_difference = true;
  const std::string equal = printed(verify_command, o, 1);
  if (first()) {
    EXPECT_EQ(json::parse(equal, nullptr, false).at("agree"), true);
  }
  if (!sums_part()) return;
  o.job.precision = NumberType::fp32;
  o.reduce = o.job.reduce = ReduceMode::mpi;
  o.job.loss_scale.fixed = 1;
  o.data = "digits";
  o.steps = 4;
  const std::string parted = printed(verify_command, o, 0);
  if (first()) {
    EXPECT_EQ(json::parse(parted, nullptr, false).at("agree"), false);
  }
}

TEST_F(JsonOutput, MetricsFileIsOneObjectALine) {
  Options o = small();
  o.json = "-";
  o.metrics = testing::TempDir() + "zerolab_metrics_" + std::to_string(getpid()) + ".jsonl";
  printed(train_until_finalize, o);
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
