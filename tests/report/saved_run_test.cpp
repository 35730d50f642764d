// What a checkpoint tells of its job: told and read back, held against another job, found in a
// folder.
#include "zerolab/report/saved_run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "zerolab/report/checkpoint_folder.hpp"
#include "zerolab/report/job_json.hpp"

namespace zerolab {
namespace {

class SavedRunTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "zerolab-saved-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// A file of this description, its checksums right.
  std::string file_of(const std::string& description) const {
    const CheckpointHead head{description, 4, {SavedState::master}, {}};
    const std::string path = folder_ / "one";
    CheckpointWriter::create(path, head);
    CheckpointWriter writer(path, head);
    writer.write(SavedState::master, 0, std::vector<float>(4));
    writer.write_head();
    return path;
  }
  std::string refusal(const std::string& description) const try {
    saved_run(CheckpointReader(file_of(description)));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
  void touch(const std::string& name) const { std::ofstream(folder_ / name) << "x"; }

  std::filesystem::path folder_;
};

SavedRun some_run() {
  return {{{"lr", 0.1}}, {{"stage", 2}}, {60, {2, 17}, 55, {0x1p20, 3, 1, 5}}, 1234};
}

TEST_F(SavedRunTest, IsReadAsItWasTold) {
  const SavedRun run = some_run();
  const SavedRun read = saved_run(CheckpointReader(file_of(run.text())));
  EXPECT_EQ(read.job, run.job);
  EXPECT_EQ(read.run, run.run);
  EXPECT_EQ(read.at.step, 60U);
  EXPECT_EQ(read.at.position, (DataPosition{2, 17}));
  EXPECT_EQ(read.at.updates, 55U);
  EXPECT_EQ(read.at.scaler, run.at.scaler);
  EXPECT_EQ(read.samples, 1234U);
}

TEST_F(SavedRunTest, WhatNoRunWritesIsRefused) {
  EXPECT_NE(refusal("{").find("not JSON"), std::string::npos);
  EXPECT_NE(refusal("[]").find("zerolab_checkpoint is missing"), std::string::npos);
  const nlohmann::json good = nlohmann::json::parse(some_run().text());
  ASSERT_EQ(refusal(good.dump()), "");
  for (const auto& [key, value] : good["state"].items()) {
    nlohmann::json bad = good;
    bad["state"].erase(key);
    EXPECT_NE(refusal(bad.dump()).find("state." + key), std::string::npos);
    for (const nlohmann::json& wrong :
         {nlohmann::json(-1), nlohmann::json("3"), nlohmann::json(1e300), nlohmann::json()}) {
      bad["state"][key] = wrong;
      EXPECT_NE(refusal(bad.dump()).find("state." + key), std::string::npos) << wrong;
    }
  }
  for (const double scale : {0.5, 3.0, 0x1p25, 0.0}) {
    nlohmann::json bad = good;
    bad["state"]["loss_scale"] = scale;
    EXPECT_NE(refusal(bad.dump()).find("a power of two"), std::string::npos) << scale;
  }
}

// Each level would take some stack when it is copied or told.
TEST_F(SavedRunTest, DeepNestingIsRefused) {
  const auto nested = [](std::size_t levels, const std::string& key) {
    nlohmann::json run = nlohmann::json::parse(some_run().text());
    run[key]["deep"] = "?";
    std::string text = run.dump();
    return text.replace(text.find("\"?\""), 3, std::string(levels, '[') + std::string(levels, ']'));
  };
  for (const char* key : {"job", "run", "state"}) {
    EXPECT_EQ(refusal(nested(8, key)), "");
    for (const std::size_t levels : {100U, 500'000U})
      EXPECT_NE(refusal(nested(levels, key)).find("nested more than"), std::string::npos) << levels;
  }
  EXPECT_NE(refusal(std::string(1'000'000, '[')).find("nested more than"), std::string::npos);
}

// Every field of a job but its widths can be allowed to differ, by the name of its option.
TEST_F(SavedRunTest, AnotherJobIsRefusedFieldByField) {
  Job job;
  job.shape.widths = {3, 2};
  MemoryLedger ledger;
  const auto data = open_dataset("synthetic:10,3,2", 1, ledger);
  SavedRun saved = some_run();
  saved.job = resumable_job(job, *data);
  EXPECT_NO_THROW(require_resumable(saved.job, saved, "file", {}));
  std::set<std::string> names{"widths"};
  for (const std::string& name : allowable()) names.insert(name);
  EXPECT_EQ(saved.job.size(), names.size());
  for (const auto& [key, value] : saved.job.items()) {
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    EXPECT_TRUE(names.contains(name)) << name;
    nlohmann::json other = saved.job;
    other[key] = "another";
    try {
      require_resumable(other, saved, "file", {});
      ADD_FAILURE() << key << " may differ";
    } catch (const Error& error) {
      const std::string told = error.what();
      EXPECT_TRUE(told.starts_with("file is of another job: " + key + " is ")) << told;
      EXPECT_EQ(told.find("--allow " + name) != std::string::npos, name != "widths") << told;
    }
    if (name == "widths") {
      EXPECT_THROW(require_resumable(other, saved, "file", {name}), Error);
    } else {
      EXPECT_NO_THROW(require_resumable(other, saved, "file", {name}));
    }
  }
}

TEST_F(SavedRunTest, TheNewestOfAFolder) {
  std::vector<std::string> ignored;
  EXPECT_THROW(newest_checkpoint(folder_, ignored), Error);
  EXPECT_THROW(newest_checkpoint(folder_ / "missing", ignored), Error);
  for (const char* other :
       {"step-.zerolab", "step-7.zerolab.old", "step-x7.zerolab", "7.zerolab", "step-8.zerolab~",
        "notes", "step-300.zerolab", "step-00000000300.zerolab"})
    touch(other);
  EXPECT_THROW(newest_checkpoint(folder_, ignored), Error);
  EXPECT_EQ(checkpoint_file("f", 60), "f/step-0000000060.zerolab");
  for (const std::size_t step : {9U, 60U, 100U})
    touch(std::filesystem::path(checkpoint_file("", step)).filename());
  const std::string partial = "step-0000000200.zerolab.partial";
  touch(partial);
  EXPECT_EQ(newest_checkpoint(folder_, ignored), checkpoint_file(folder_, 100));
  EXPECT_EQ(ignored, std::vector<std::string>{folder_ / partial});
  EXPECT_EQ(look_into(folder_).complete.size(), 3U);
  // More digits than the name is padded to.
  touch(std::filesystem::path(checkpoint_file("", 10'000'000'000)).filename());
  EXPECT_EQ(newest_checkpoint(folder_, ignored), checkpoint_file(folder_, 10'000'000'000));
  EXPECT_EQ(newest_checkpoint(folder_ / "notes", ignored), folder_ / "notes");
}

}  // namespace
}  // namespace zerolab
