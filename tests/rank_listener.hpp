#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// What GoogleTest shows of a test on ranks. Included by mpi_main.cpp only.

struct World {
  MPI_Comm comm = MPI_COMM_NULL;  ///< a duplicate: no message of a test is mistaken for one of ours
  int rank = 0;
  int ranks = 1;
};
/// Every line of `text` with this rank's number in front.
inline std::string with_rank(const std::string& text, int rank) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += "rank " + std::to_string(rank) + ": " + line + '\n';
  return result;
}

/// MPI_Gatherv of one text a rank to rank 0; the other ranks get nothing.
inline std::vector<std::string> gather(const std::string& text, const World& world) {
  const int size = static_cast<int>(text.size());
  std::vector<int> sizes(static_cast<std::size_t>(world.ranks)), first(sizes.size());
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, world.comm);
  std::exclusive_scan(sizes.begin(), sizes.end(), first.begin(), 0);
  std::string all(world.rank == 0 ? static_cast<std::size_t>(first.back() + sizes.back()) : 0, ' ');
  MPI_Gatherv(text.data(), size, MPI_CHAR, all.data(), sizes.data(), first.data(), MPI_CHAR, 0,
              world.comm);
  std::vector<std::string> texts;
  if (world.rank != 0) return texts;
  for (std::size_t r = 0; r < sizes.size(); ++r)
    texts.push_back(
        all.substr(static_cast<std::size_t>(first[r]), static_cast<std::size_t>(sizes[r])));
  return texts;
}

/// GoogleTest's own printer on rank 0, none elsewhere; keeps failures back until the ranks meet.
class RankListener : public testing::TestEventListener {
 public:
  /// Takes the printer over; null for a rank that stays silent.
  RankListener(const World& world, testing::TestEventListener* printer)
      : world_(world), printer_(printer) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (sharing_) return;
    if (!result.failed()) {
      if (printer_) printer_->OnTestPartResult(result);
      return;
    }
    const char* file = result.file_name() ? result.file_name() : "unknown file";
    failures_ += with_rank(std::string(file) + ":" + std::to_string(result.line_number()) +
                               ": Failure\n" + result.message(),
                           world_.rank);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    share_failures();
    if (printer_) printer_->OnTestEnd(test);
  }
  void OnTestSuiteEnd(const testing::TestSuite& suite) override {
    share_failures();  // of SetUpTestSuite and TearDownTestSuite
    if (printer_) printer_->OnTestSuiteEnd(suite);
  }
  void OnTestIterationEnd(const testing::UnitTest& unit, int iteration) override {
    share_failures();  // of the environments
    if (printer_) printer_->OnTestIterationEnd(unit, iteration);
  }

  // The rest is the printer's.
  void OnTestProgramStart(const testing::UnitTest& unit) override {
    if (printer_) printer_->OnTestProgramStart(unit);
  }
  void OnTestIterationStart(const testing::UnitTest& unit, int iteration) override {
    if (printer_) printer_->OnTestIterationStart(unit, iteration);
  }
  void OnEnvironmentsSetUpStart(const testing::UnitTest& unit) override {
    if (printer_) printer_->OnEnvironmentsSetUpStart(unit);
  }
  void OnEnvironmentsSetUpEnd(const testing::UnitTest& unit) override {
    if (printer_) printer_->OnEnvironmentsSetUpEnd(unit);
  }
  void OnTestSuiteStart(const testing::TestSuite& suite) override {
    if (printer_) printer_->OnTestSuiteStart(suite);
  }
#ifndef GTEST_REMOVE_LEGACY_TEST_CASEAPI_
  void OnTestCaseStart(const testing::TestSuite& suite) override {
    if (printer_) printer_->OnTestCaseStart(suite);
  }
  void OnTestCaseEnd(const testing::TestSuite& suite) override {
    if (printer_) printer_->OnTestCaseEnd(suite);
  }
#endif
  void OnTestStart(const testing::TestInfo& test) override {
    if (printer_) printer_->OnTestStart(test);
  }
  void OnEnvironmentsTearDownStart(const testing::UnitTest& unit) override {
    if (printer_) printer_->OnEnvironmentsTearDownStart(unit);
  }
  void OnEnvironmentsTearDownEnd(const testing::UnitTest& unit) override {
    if (printer_) printer_->OnEnvironmentsTearDownEnd(unit);
  }
  void OnTestProgramEnd(const testing::UnitTest& unit) override {
    if (printer_) printer_->OnTestProgramEnd(unit);
  }

 private:
  /// The ranks meet, rank 0 prints all failures, and the ranks without one record that others
  /// failed.
  void share_failures() {
    wait_for_all();
    const int mine = failures_.empty() ? 0 : 1;
    int any = 0;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, world_.comm);
    if (any == 0) return;
    sharing_ = true;
    const std::vector<std::string> texts = gather(failures_, world_);
    for (std::size_t r = 0; r < texts.size(); ++r) {
      std::fputs(texts[r].c_str(), stdout);
      if (r > 0 && !texts[r].empty()) ADD_FAILURE() << texts[r];
    }
    std::fflush(stdout);
    if (world_.rank > 0 && mine == 0)
      ADD_FAILURE() << "failed on another rank; see rank 0's report";
    sharing_ = false;
    failures_.clear();
  }

  void wait_for_all() {
    MPI_Request request;
    MPI_Ibarrier(world_.comm, &request);
    const auto start = std::chrono::steady_clock::now();
    bool spoken = failures_.empty();
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done) return;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      if (!spoken && std::chrono::steady_clock::now() - start > std::chrono::seconds(5)) {
        std::fprintf(stderr, "other ranks are still in this test\n%s", failures_.c_str());
        spoken = true;
      }
    }
  }

  World world_;
  std::unique_ptr<testing::TestEventListener> printer_;
  std::string failures_;
  bool sharing_ = false;
};
