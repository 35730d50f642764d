#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "zerolab/report/job_data.hpp"
#include "zerolab/stages/stage.hpp"

namespace zerolab {

/// How far a run has come.
struct Position {
  std::size_t done, steps, steps_per_epoch;
  double loss;
  std::size_t samples;  ///< trained so far
  double seconds;       ///< that they took
};

/// The words for it, at most `columns` characters: epoch, step, loss, samples a second, time left.
std::string progress_line(const std::string& what, const Position& at, std::size_t columns);

/// One updating line while a run lasts, on a terminal only, gone at the end: on stdout if that is
/// one, so that it stays in order with the tables, else on stderr.
class Progress {
 public:
  Progress(bool wanted, std::string what, const JobData& data, std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::size_t step, const StepResult& result);

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* out_;  ///< none: silent
  std::string what_;
  Position at_;
  Clock::time_point begin_, shown_;
};

}  // namespace zerolab
