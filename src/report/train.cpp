// train: one stage on real data.
#include <filesystem>

#include "train_text.hpp"
#include "zerolab/core/process.hpp"
#include "zerolab/report/checkpoint.hpp"
#include "zerolab/report/checkpoints.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/digest_recorder.hpp"
#include "zerolab/report/progress.hpp"
#include "zerolab/report/wire_run.hpp"

namespace zerolab {

namespace {

void write_timeline(const std::string& file, const Timeline& timeline, const Outcome& outcome,
                    const Job& job, const Communicator& comm, std::size_t first) {
  if (!timeline.kept()) {
    std::error_code none;  // a file from before would be taken for this run's
    if (std::filesystem::is_regular_file(file, none)) std::filesystem::remove(file, none);
    throw Error(fmt::format("{}: no step to tell, {}", file,
                            outcome.steps == first ? "none was trained" : "all were skipped"));
  }
  write_file(file, timeline_json(*timeline.kept(), outcome, job, comm).dump() + "\n");
}

}  // namespace

Ending train_command(const Options& options, Communicator& comm, const std::string& wire_dump,
                     const StopRequest* stop) {
  MemoryLedger memory;
  const JobData job_data = open_job(options, comm, memory);
  const Job& job = job_data.job;
  const bool speaks = comm.rank() == 0 && !options.json_only();
  if (speaks) {
    auto words = describe(options.data, job, comm.size(), job_data.steps);
    words.insert(words.begin(),
                 {fmt::format("stage {}", options.stage), std::string(name(job.reduce))});
    fmt::print("{}{}", joined(words), describe_libraries(job));
    if (job_data.resumed) fmt::print("{}", describe_resumed(job_data, options.stage));
    std::fflush(stdout);
  }
  for (const std::string& file : job_data.ignored)
    if (comm.rank() == 0) complain(file + " was not completed and is ignored");
  std::shared_ptr<WireRun> wire;
  if (options.count_wire) wire = std::make_shared<WireRun>(options, job_data, comm, wire_dump);
  Checkpoints checkpoints(options, job_data, comm, stop);
  std::optional<LineFile> metrics;
  // Not before the run is sure to begin: what a file holds is lost then.
  const auto open_metrics = [&] {
    if (comm.rank() != 0 || options.metrics.empty()) return;
    if (job_data.resumed) {
      metrics.emplace(options.metrics, job_data.saved.at.step);
    } else {
      metrics.emplace(options.metrics);
    }
  };
  DigestRecorder digests(options, job_data, options.stage, comm);
  Trace trace;
  Timeline timeline([&comm] { return comm.now(); });
  Outcome outcome;
  {
    Progress progress(speaks && !options.quiet, fmt::format("stage {}", options.stage), job_data,
                      job_data.steps);
    std::size_t samples = job_data.saved.samples;
    Training training{.job = job,
                      .stage = options.stage,
                      .steps = job_data.steps,
                      .data = *job_data.data,
                      .comm = comm,
                      .memory = memory,
                      .trace = options.trace ? &trace : nullptr,
                      .timeline = options.timeline.empty() ? nullptr : &timeline,
                      .from = job_data.saved.at,
                      .stop = [&] { return checkpoints.stopped(); },
                      .before_steps =
                          [&](const Stage& stage) {
                            together(comm, open_metrics);
                            digests.record(0, stage);
                            checkpoints.after(job_data.saved.at.step, samples, stage);
                          },
                      .after_step =
                          [&](std::size_t step, const StepResult& result, const Stage& stage) {
                            samples += result.samples;
                            progress.show(step, result);
                            if (metrics)
                              metrics->write(metrics_json(step, result, stage, job, samples));
                            digests.record(step + 1, stage);
                            checkpoints.after(step + 1, samples, stage);
                          }};
    if (job_data.resumed)
      training.load = [&](Stage& stage) { load_states(*job_data.resumed, stage, job, comm); };
    outcome = run(training);
  }
  if (options.trace && !options.json_only()) print_trace(trace, comm);
  bool good = true;
  nlohmann::json summary;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    if (speaks) print_outcome(outcome, job, checkpoints.stopped());
    if (speaks) fmt::print("{}", checkpoints.words());
    good = outcome.memory_holds() && outcome.traffic_holds();
    summary = summary_json(outcome, job);
    if (checkpoints.stopped()) summary["stopped"] = name(checkpoints.reason());
    if (const auto& comparison = digests.comparison()) {
      good &= comparison->first.has_value() == options.expect_difference;
      if (speaks) fmt::print("{}", comparison->text(options.expect_difference));
      summary["against"] = comparison->json();
    }
    if (!options.json.empty() && !wire) write_file(options.json, summary.dump(2) + "\n");
  });
  if (comm.rank() == 0 && !options.timeline.empty()) {
    try {
      write_timeline(options.timeline, timeline, outcome, job, comm, job_data.saved.at.step);
    } catch (const Error& error) {  // costs the exit code, and no other result
      complain(error.what());
      good &= checkpoints.stopped();  // which came before a step that could be told
    }
  }
  if (!outcome.digest.agrees()) {
    throw AgreedError(fmt::format("rank {} holds other bits than the rest",
                                  fmt::join(outcome.digest.deviating, ", ")));
  }
  int code = comm.maximum(good ? 0 : 1) == 0 ? 0 : 1;
  if (code == 0 && checkpoints.stopped()) code = stopped_early;
  if (!wire) return {code};
  wire->finish(outcome, comm);
  return {code, [wire, summary] { wire->conclude(summary); }};
}

}  // namespace zerolab
