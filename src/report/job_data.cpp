#include "zerolab/report/job_data.hpp"

#include "zerolab/report/summary.hpp"

namespace zerolab {

JobData open_job(const Options& options, Communicator& comm, MemoryLedger& memory) {
  JobData opened{options.job, nullptr, 0};
  together(comm, [&] {
    if (comm.rank() == 0 && !options.json.empty() && !options.json_only())
      check_writable(options.json);
    opened.data = open_dataset(options.data, options.job.seed, memory);
    require(opened.data->samples(Split::train) > 0, "{}: no training samples", options.data);
    auto& widths = opened.job.shape.widths;
    widths = options.hidden;
    widths.insert(widths.begin(), opened.data->features());
    widths.push_back(opened.data->classes());
    check_job(opened.job, comm.size());
    const BatchPlan plan{opened.data->samples(Split::train), comm.size(), opened.job.accumulate,
                         opened.job.batch, opened.job.seed};
    opened.steps = options.steps.value_or(options.epochs * plan.steps_per_epoch());
  });
  return opened;
}

}  // namespace zerolab
