#include "zerolab/report/options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "training_options.hpp"
#include "zerolab/nn/dataset.hpp"
#include "zerolab/report/checkpoint_folder.hpp"

namespace zerolab {

namespace {

/// No file is written that another option reads or writes, by whatever path.
void require_different_files(const Options& o) {
  std::vector<std::pair<const char*, std::string>> files{{"--json", o.json_only() ? "" : o.json},
                                                         {"--metrics", o.metrics},
                                                         {"--timeline", o.timeline},
                                                         {"--digests", o.digests},
                                                         {"--wire", o.wire}};
  const std::size_t written = files.size();
  for (const std::string& file : o.against) files.emplace_back("--against", file);
  for (const std::string& file : data_files(o.data)) files.emplace_back("--data", file);
  files.emplace_back("--resume", o.resume);
  for (std::size_t a = 0; a < written; ++a) {
    require(!files[a].second.ends_with(checkpoint_end), "{}: {} is the name of a checkpoint",
            files[a].first, files[a].second);
    for (std::size_t b = a + 1; b < files.size(); ++b) {
      require(!same_file(files[a].second, files[b].second), "{} and {} are the same file, {}",
              files[a].first, files[b].first, files[a].second);
    }
  }
}

/// What single options cannot see.
void check_together(const CLI::App& app, Options& o) {
  const bool dynamic_asked = app.count("--loss-scale") > 0 && !o.job.loss_scale.fixed;
  if (o.job.precision != NumberType::fp16 && !dynamic_asked && !o.job.loss_scale.fixed) {
    o.job.loss_scale.fixed = 1;
  }
  require(o.job.optimizer.momentum == 0 || o.job.optimizer.kind == OptimizerKind::sgd,
          "--momentum belongs to --optimizer sgd; adam and adamw have their own");
  if (o.job.overlap) {
    const bool of_verify = app.get_name() == "verify";
    if (of_verify && app.count("--stages") == 0) std::erase(o.stages, 1);
    require(of_verify ? std::ranges::count(o.stages, 1) == 0 : o.stage != 1,
            "--overlap: stage 1 has no overlapped twin; 0, 2 and 3 have");
    require(
        o.job.activation_segments == 0,
        "--checkpoint-activations: the overlapped twins recompute nothing; leave out --overlap");
  }
  require(std::set<int>(o.stages.begin(), o.stages.end()).size() == o.stages.size(),
          "--stages names a stage twice");
  const bool train = app.get_name() == "train";
  require(!train || !o.expect_difference || !o.against.empty(),
          "--expect-difference of train needs --against: one stage alone cannot differ");
  require(o.against.size() <= (train ? 1 : 2), "--against is given {} times", o.against.size());
  require(o.against.size() < 2 || o.digests.empty(),
          "--digests writes what is trained, and with two --against nothing is");
  require(o.resume.empty() || (o.digests.empty() && o.against.empty()),
          "--digests and --against begin with a run's first step, and --resume skips it; compare "
          "checkpoints with: zerolab checkpoint diff");
  require(o.wire.empty() || (o.resume.empty() && o.save.empty()) || app.get_name() != "train",
          "--wire counts what steps send; leave out --save and --resume");
#ifdef ZEROLAB_SMPI
  require(o.stall_limit == 0,
          "--stall-limit: simulated ranks are threads of one process, and "
          "stand still while others run");
#endif
  require_different_files(o);
  o.job.reduce = o.reduce.value_or(ReduceMode::exact);
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  Options& o = line.options;
  CLI::App app("ZeRO stages 0-3 over MPI: equal bits, true bytes, exact memory", "zerolab");
  app.require_subcommand(1);
  app.set_version_flag("--version", "zerolab " ZEROLAB_VERSION);

  auto* train = app.add_subcommand("train", "train one stage: mpirun -n N zerolab train --stage 2");
  train->add_option("--stage", o.stage, "0, 1, 2 or 3 [0]")->check(count(0, 3));
  add_model_options(*train, o);
  add_optimizer_options(*train, o);
  train->add_flag("--trace", o.trace,
                  "tell the first step that is not skipped event by event, per rank");
  train->add_option("--metrics", o.metrics, "write one JSON object a step to FILE")
      ->check(file_name());
  train
      ->add_option("--timeline", o.timeline,
                   "write the last step that is not skipped to FILE: memory, computation\nand "
                   "collectives of rank 0 with their times")
      ->check(file_name());
  train->add_flag("--count-wire", o.count_wire,
                  "have the MPI count the bytes that each rank sends in the whole run");
  train
      ->add_option("--wire", o.wire,
                   "add the count to FILE, which gets bytes per step from two runs of\nunlike "
                   "length (at most 64 steps); implies --count-wire")
      ->check(file_name());
  add_checkpoint_options(*train, o);
  add_output_options(*train, o, "a difference from FILE is the result wanted");

  auto* verify = app.add_subcommand(
      "verify", "train stages in turn; compare bits and bytes with the formulas");
  add_list(*verify, "--stages", "stages to compare with the first of them [0,1,2,3]", 0, 3,
           [&o](const auto& stages) { o.stages.assign(stages.begin(), stages.end()); });
  add_model_options(*verify, o);
  add_optimizer_options(*verify, o);
  verify
      ->add_option("--wire", o.wire,
                   "show the bytes measured in FILE beside the formulas (run_labs.sh wire)")
      ->check(file_name());
  add_output_options(
      *verify, o,
      "a difference in bits, with --against from FILE, is the result\nwanted (and its "
      "absence a failure)");

  auto* doctor = app.add_subcommand("doctor", "what this machine's MPI and BLAS do; self-tests");
  doctor->add_flag("--collectives", o.collectives,
                   "what each collective really sends, from 8 B to 16 MB");

  add_json(*doctor, o.json);

  add_ask_command(app, line.ask);
  add_plan_command(app, line.plan);
  add_checkpoint_command(app, line.checkpoint);
  add_report_command(app, line.report);

  try {
    const std::set<std::string> known{"train", "verify", "ask",       "doctor",
                                      "plan",  "report", "checkpoint"};
    const std::string first = argc > 1 ? argv[1] : "";
    require(first.empty() || first[0] == '-' || known.contains(first),
            "'{}' is no subcommand; there are {}", first, fmt::join(known, ", "));
    app.parse(argc, argv);
    CLI::App* chosen = app.get_subcommands().front();
    if (chosen == train || chosen == verify) check_together(*chosen, o);
    require(chosen != doctor || !o.collectives || !o.json_only(),
            "--json - leaves no room for the tables of --collectives; name a file");
    if (chosen == train && !o.wire.empty()) o.count_wire = true;
    line.command = chosen->get_name();
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    app.exit(success, text, text);
    line.text = text.str();
  } catch (const CLI::ParseError& refusal) {
    line.text =
        fmt::format("zerolab: {} (zerolab COMMAND --help lists the options)\n", refusal.what());
    line.exit_code = 2;
  } catch (const Error& refusal) {
    line.text = fmt::format("zerolab: {}\n", refusal.what());
    line.exit_code = 2;
  }
  return line;
}

}  // namespace zerolab
