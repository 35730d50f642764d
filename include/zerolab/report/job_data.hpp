#pragma once

#include <memory>

#include "zerolab/nn/dataset.hpp"
#include "zerolab/report/options.hpp"

namespace zerolab {

/// A job with its data opened: the shape is known, and how many steps there are.
struct JobData {
  Job job;
  std::unique_ptr<Dataset> data;
  std::size_t steps;
  std::size_t global_batch;
  std::size_t steps_per_epoch;
};

/// All ranks together; a fault on any of them is an AgreedError on all.
JobData open_job(const Options& options, Communicator& comm, MemoryLedger& memory);

}  // namespace zerolab
