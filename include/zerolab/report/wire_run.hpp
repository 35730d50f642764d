#pragma once

#include <nlohmann/json.hpp>

#include "zerolab/comm/wire_dump.hpp"
#include "zerolab/report/job_data.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {

/// A training run whose bytes the MPI counts: train --count-wire and --wire FILE.
class WireRun {
 public:
  /// All ranks together, before training. `dump`: as in WireDump; in a simulation the trace that
  /// will be there when it has ended. Throws AgreedError when the run
  /// cannot enter the wire file.
  WireRun(const Options& options, const JobData& data, Communicator& comm, const std::string& dump);

  /// After training, all ranks together.
  void finish(const Outcome& outcome, Communicator& comm);
  /// After MPI_Finalize. Rank 0 prints the count, writes the summary with it (--json) and enters
  /// the run into the wire file; null in the summary where nothing was counted. Throws Error when a
  /// wire file is asked for and there is nothing to enter.
  void conclude(nlohmann::json summary) const;

 private:
  WireBytes believed(WireBytes wire) const;
  void enter(const WireBytes& wire) const;

  WireDump dump_;
  std::string json_, file_;  ///< as the options say
  nlohmann::json job_;
  bool first_, simulated_;
  std::string trace_;  ///< of a simulation, read when it has ended
  int stage_ = 0;
  std::size_t steps_ = 0, skipped_ = 0;
  std::uint64_t least_ = 0;  ///< bytes that all ranks together cannot do without
};

}  // namespace zerolab
