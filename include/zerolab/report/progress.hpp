#pragma once

#include <chrono>
#include <string>

#include "zerolab/report/job_data.hpp"
#include "zerolab/report/terminal.hpp"
#include "zerolab/stages/stage.hpp"

namespace zerolab {

/// How far a run has come.
struct Position {
  std::size_t done, steps;  ///< those before a resumed run included
  BatchPlan plan;
  double loss;
  std::size_t samples;  ///< trained so far in this run
  double seconds;       ///< that they took
};

/// The words for it, at most `columns` characters: epoch, step, loss, samples a second, time left.
std::string progress_line(const std::string& what, const Position& at, std::size_t columns);

/// How far a run has come, while it lasts.
class Progress {
 public:
  Progress(bool wanted, std::string what, const JobData& data, std::size_t steps);
  void show(std::size_t step, const StepResult& result);

 private:
  using Clock = std::chrono::steady_clock;
  StatusLine line_;
  std::string what_;
  Position at_;
  Clock::time_point begin_, shown_;
};

}  // namespace zerolab
