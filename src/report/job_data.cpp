#include "zerolab/report/job_data.hpp"

#include "zerolab/core/random.hpp"
#include "zerolab/report/checkpoint_folder.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/job_json.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

namespace {

/// Ranks on several hosts may find different files under one name.
void require_same_files(const Options& options, const JobData& opened, Communicator& comm) {
  const auto outside = comm.outside_training();
  const auto require_same = [&](const std::string& name, std::initializer_list<std::size_t> words) {
    std::uint64_t mine = 0;
    for (const std::size_t word : words) mine = random_bits(mine, word);
    if (comm.maximum(mine) == ~comm.maximum(~mine)) return;
    throw AgreedError(fmt::format(
        "{}: ranks have read different files; they must be the same on all hosts", name));
  };
  const Dataset& data = *opened.data;
  require_same(options.data, {data.samples(Split::train), data.samples(Split::test),
                              data.features(), data.classes(), std::size_t{data.checksum()}});
  if (opened.resumed)
    require_same(options.resume, {opened.saved.at.step, opened.resumed->checksum()});
}

void resume(const Options& options, JobData& opened) {
  const std::string path = newest_checkpoint(options.resume, opened.ignored);
  opened.resumed = std::make_unique<const CheckpointReader>(path);
  opened.saved = saved_run(*opened.resumed);
  require_resumable(resumable_job(opened.job, *opened.data), opened.saved, path, options.allow);
  opened.plan.first_step = opened.saved.at.step;
  opened.plan.origin = opened.saved.at.position;
}

}  // namespace

std::string describe_resumed(const JobData& data) {
  std::string text;
  for (const std::string& file : data.ignored)
    text += fmt::format("{} was not completed and is ignored\n", file);
  const SavedRun& saved = data.saved;
  text += fmt::format(
      "resumed from {}\n  step {}, epoch {} after {} samples; saved by stage {} on {} "
      "ranks\n",
      data.resumed->path(), grouped(saved.at.step), saved.at.position.epoch + 1,
      grouped(saved.at.position.sample), shown(saved.run, "stage"), shown(saved.run, "ranks"));
  const std::string batch = shown(saved.run, "global_batch");
  if (batch != fmt::format("{}", data.plan.global_batch())) {
    text += fmt::format(
        "  a step now takes {} samples, there {}: no sample is left out or repeated, but updates\n"
        "  are others than those of an uninterrupted run; --virtual-shards keeps them on any N\n",
        data.plan.global_batch(), batch);
  }
  const std::string kernel = kernel_of(data.job), before = shown(saved.run, "kernel");
  if (before != nlohmann::json(kernel).dump())
    text += fmt::format("  products by kernel {} now, {} there: bits may part\n", kernel, before);
  return text;
}

JobData open_job(const Options& options, Communicator& comm, MemoryLedger& memory) {
  JobData opened{options.job, nullptr, {}};
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
    opened.plan = {opened.data->samples(Split::train), comm.size(),
                   opened.job.micro_batches(comm.size()), opened.job.batch, opened.job.seed};
    require(options.epochs <= SIZE_MAX / opened.plan.steps_per_epoch(),
            "{} epochs of {} steps cannot be counted", options.epochs,
            opened.plan.steps_per_epoch());
    if (!options.resume.empty()) resume(options, opened);
    opened.steps = options.steps.value_or(opened.plan.steps_until(options.epochs));
    require(opened.saved.at.step <= opened.steps,
            "{}: has done {} steps already, and --steps asks for {} in all", options.resume,
            opened.saved.at.step, opened.steps);
  });
  require_same_files(options, opened, comm);
  return opened;
}

}  // namespace zerolab
