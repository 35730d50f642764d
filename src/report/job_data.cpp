#include "zerolab/report/job_data.hpp"

#include "zerolab/core/random.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

namespace {

/// Ranks on several hosts may find different files under one name.
void require_same_data(const std::string& name, const Dataset& data, Communicator& comm) {
  const auto outside = comm.outside_training();
  std::uint64_t mine = 0;
  for (const std::size_t size : {data.samples(Split::train), data.samples(Split::test),
                                 data.features(), data.classes(), std::size_t{data.checksum()}}) {
    mine = random_bits(mine, size);
  }
  if (comm.maximum(mine) == ~comm.maximum(~mine)) return;
  throw AgreedError(fmt::format(
      "{}: ranks have read different data; the files must be the same on all hosts", name));
}

}  // namespace

JobData open_job(const Options& options, Communicator& comm, MemoryLedger& memory) {
  JobData opened{options.job, nullptr, 0, 0, 0};
  together(comm, [&] {
    require_ieee_arithmetic();
    for (const std::string& file : {options.json, options.timeline}) {
      if (comm.rank() == 0 && !file.empty() && file != "-") check_writable(file);
    }
    opened.data = open_dataset(options.data, options.job.seed, memory);
    require(opened.data->samples(Split::train) > 0, "{}: no training samples", options.data);
    auto& widths = opened.job.shape.widths;
    widths = options.hidden;
    widths.insert(widths.begin(), opened.data->features());
    widths.push_back(opened.data->classes());
    check_job(opened.job, comm.size());
    const BatchPlan plan{opened.data->samples(Split::train), comm.size(),
                         opened.job.micro_batches(comm.size()), opened.job.batch, opened.job.seed};
    require(options.epochs <= SIZE_MAX / plan.steps_per_epoch(),
            "{} epochs of {} steps cannot be counted", options.epochs, plan.steps_per_epoch());
    opened.global_batch = plan.global_batch();
    opened.steps_per_epoch = plan.steps_per_epoch();
    opened.steps = options.steps.value_or(options.epochs * plan.steps_per_epoch());
  });
  require_same_data(options.data, *opened.data, comm);
  return opened;
}

}  // namespace zerolab
