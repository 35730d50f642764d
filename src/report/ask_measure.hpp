#pragma once

#include <set>
#include <span>

#include "zerolab/comm/communicator.hpp"
#include "zerolab/report/experiments.hpp"
#include "zerolab/report/machine.hpp"
#include "zerolab/report/results.hpp"
#include "zerolab/report/terminal.hpp"

namespace zerolab {

/// Measures what Results are asked for and do not have, on the ranks that are there: rank 0 asks,
/// and all measure. Runs of verify are made on the first 1, 2, 3, 4 and 8 ranks, and on all.
class Measurements {
 public:
  /// What is measured is also written to `folder`, unless that is empty.
  Measurements(Communicator& comm, Machine machine, std::string folder, bool quiet,
               std::span<const Experiment> experiments = zerolab::experiments());

  /// Rank 0 works, the others measure with it. Its exit code on all ranks; an Error of its own
  /// becomes an AgreedError on all. One that a rank meets alone while it measures, with others in a
  /// collective, is thrown there as a std::runtime_error that is no Error: only the job's end
  /// helps.
  int during(const std::function<int(Results&)>& work);

 private:
  std::set<std::string> files() const;
  nlohmann::json measure(const std::string& file);  ///< on rank 0, which tells the others
  nlohmann::json measure_together(const std::string& file);
  nlohmann::json measured(const std::string& file);
  nlohmann::json verify_on(std::size_t ranks);
  /// Rank 0's words, which the others may have to wait for a long time.
  std::string tell(const std::string& words);

  Communicator& comm_;
  Machine machine_;
  std::string folder_;
  bool quiet_;
  std::span<const Experiment> experiments_;
};

}  // namespace zerolab
