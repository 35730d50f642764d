#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>

#include "zerolab/report/options.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {

/// The machine-readable summary of a run; keys as documented in the README. Rank 0 only.
nlohmann::json summary_json(const Outcome& outcome, const Job& job);

/// One strict-JSON object of a step for the metrics file.
nlohmann::json metrics_json(std::size_t step, const StepResult& result, const Stage& stage,
                            const Job& job, std::size_t samples_so_far);

/// The timeline file of a rank's step; keys as documented in the README.
nlohmann::json timeline_json(const Timeline::Step& step, const Outcome& outcome, const Job& job,
                             const Communicator& comm);

/// A file of one JSON object a line; each is on its way to the disk before the next is made. Throws
/// Error naming the file, also for a named pipe that nobody reads within 5 s.
class LineFile {
 public:
  explicit LineFile(const std::string& name);  ///< anew
  /// Goes on after the lines of a file that tell of no step beyond `step`; the rest is cut off.
  LineFile(const std::string& name, std::size_t step);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  void write(const nlohmann::json& line);

 private:
  std::string name_;
  std::FILE* file_;
};

/// Throws Error when the file cannot be opened for writing; leaves its content alone.
void check_writable(const std::string& file);
/// Writes text to a file, or to stdout for "-". Throws Error naming the file.
void write_file(const std::string& file, const std::string& text);

}  // namespace zerolab
