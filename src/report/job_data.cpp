#include "zerolab/report/job_data.hpp"

#include <algorithm>
#include <filesystem>

#include "option_values.hpp"
#include "zerolab/core/random.hpp"
#include "zerolab/report/checkpoint.hpp"
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

/// Nothing is written over a checkpoint.
void require_other_files(const Options& options, const std::string& checkpoint) {
  for (const std::string& file : {options.json, options.metrics, options.timeline})
    require(!same_file(file, checkpoint), "{} is the checkpoint to be resumed", file);
}

void resume(const Options& options, JobData& opened) {
  const std::string path = newest_checkpoint(options.resume, opened.ignored);
  opened.resumed = std::make_unique<const CheckpointReader>(path);
  SavedRun& saved = opened.saved = saved_run(*opened.resumed);
  require_held(*opened.resumed, opened.job.optimizer);
  opened.differences =
      require_resumable(resumable_job(opened.job, *opened.data), saved, path, options.allow);
  require_other_files(options, path);
  require(saved.at.position.sample <= opened.plan.samples || options.allow.contains("data"),
          "{}: {} samples of an epoch are used, which has {}", path, saved.at.position.sample,
          opened.plan.samples);
  opened.plan.resume(saved.at.step, saved.at.position);
  // A fixed scale is none to begin a dynamic one with.
  if (!opened.job.loss_scale.fixed && shown(saved.job, "loss_scale") != "\"dynamic\"")
    saved.at.scaler.scale = LossScaleSettings::initial;
}

void set_steps(const Options& options, JobData& opened) {
  const BatchPlan& plan = opened.plan;
  require(options.epochs <= SIZE_MAX / plan.steps_per_epoch(),
          "{} epochs of {} steps cannot be counted", options.epochs, plan.steps_per_epoch());
  opened.steps = options.steps.value_or(plan.steps_until(options.epochs));
  require(plan.first_step <= opened.steps,
          "{}: has done {} steps already, and --steps asks for {} in all", options.resume,
          plan.first_step, opened.steps);
  const bool epochs_left =
      plan.origin.epoch < options.epochs || plan.origin == DataPosition{options.epochs, 0};
  require(options.steps || epochs_left,
          "{}: has done {} epochs and {} samples already, and --epochs asks for {} in all",
          options.resume, plan.origin.epoch, plan.origin.sample, options.epochs);
}

}  // namespace

std::string describe_resumed(const JobData& data, int stage) {
  std::string text;
  const SavedRun& saved = data.saved;
  text += fmt::format(
      "resumed from {}\n  step {}, {} epochs and {} samples; saved by stage {}, N = {}\n",
      data.resumed->path(), grouped(saved.at.step), saved.at.position.epoch,
      grouped(saved.at.position.sample), shown(saved.run, "stage"), shown(saved.run, "ranks"));
  if (data.steps == saved.at.step) text += "  nothing is left to be trained\n";
  for (const std::string& difference : data.differences)
    text += fmt::format("  as allowed, {}\n", difference);
  const bool same_samples = std::ranges::none_of(data.differences, [](const std::string& told) {
    return told.starts_with("data ") || told.starts_with("seed ");
  });
  const std::string batch = shown(saved.run, "global_batch");
  if (batch != fmt::format("{}", data.plan.global_batch())) {
    text += fmt::format("  a step now takes {} samples, there {}", data.plan.global_batch(), batch);
    text += !same_samples ? "\n"
                          : ": no sample is left out or repeated, but updates\n"
                            "  are others than those of an uninterrupted run; --virtual-shards "
                            "keeps them on any N\n";
  }
  const bool elsewhere = shown(saved.run, "ranks") != fmt::format("{}", data.plan.ranks) ||
                         shown(saved.run, "stage") != fmt::format("{}", stage) ||
                         shown(saved.run, "overlap") != fmt::format("{}", data.job.overlap);
  if (data.job.reduce != ReduceMode::exact && elsewhere) {
    text += fmt::format("  sums under {} may depend on stage, ranks and overlap: bits may part\n",
                        name(data.job.reduce));
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
    if (comm.rank() == 0 && !options.save.empty()) {  // where other files may lie, too
      std::error_code fault;
      std::filesystem::create_directories(options.save, fault);
      require(!fault, "--save {}: {}", options.save, fault.message());
    }
    for (const std::string& file : {options.json, options.timeline, options.metrics}) {
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
    if (!options.resume.empty()) resume(options, opened);
    set_steps(options, opened);
  });
  require_same_files(options, opened, comm);
  return opened;
}

}  // namespace zerolab
