#pragma once

#include <memory>

#include "zerolab/nn/dataset.hpp"
#include "zerolab/report/options.hpp"
#include "zerolab/report/saved_run.hpp"

namespace zerolab {

/// A job with its data opened, and what it is resumed from: the shape is known, and how many steps
/// there are.
struct JobData {
  Job job;
  std::unique_ptr<Dataset> data;
  BatchPlan plan;
  std::size_t steps = 0;                                 ///< the total to reach
  std::unique_ptr<const CheckpointReader> resumed = {};  ///< none: from the initial weights
  SavedRun saved = {};                                   ///< what it tells
  std::vector<std::string> differences = {};             ///< from its job, as allowed
  std::vector<std::string> ignored = {};  ///< files beside it that were not completed
};

/// What a run is resumed from, and what became another by it, in lines.
std::string describe_resumed(const JobData& data, int stage);

/// All ranks together; a fault on any of them is an AgreedError on all.
JobData open_job(const Options& options, Communicator& comm, MemoryLedger& memory);

}  // namespace zerolab
