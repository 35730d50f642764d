#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>

namespace zerolab {

/// Why a run is asked to end before its last step.
enum class StopReason : std::uint64_t { none = 0, time_limit = 1 };  ///< or a signal's number

/// While one lives, SIGTERM, SIGINT and SIGUSR1 (what Slurm may send before it takes a machine
/// away) ask this rank to end at the next step boundary. A second one, more than a second after the
/// first, ends it at once, as the signal would have: one Ctrl-C may arrive twice, by the terminal
/// and by mpirun. One at a time in a process; it lives as long as the process, so that no
/// signal finds its default action in between.
class StopRequest {
 public:
  /// The time limit, in seconds of a clock that nobody sets, begins now.
  explicit StopRequest(std::optional<double> time_limit);
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  StopReason reason() const;

 private:
  std::optional<std::chrono::steady_clock::time_point> end_;
};

/// "SIGTERM", "the time limit".
std::string name(StopReason reason);

}  // namespace zerolab
