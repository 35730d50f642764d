#include "zerolab/report/options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "option_values.hpp"
#include "zerolab/nn/dataset.hpp"
#include "zerolab/report/saved_run.hpp"

namespace zerolab {

namespace {

const std::map<std::string, ReduceMode> reduce_modes{
    {"exact", ReduceMode::exact}, {"ordered", ReduceMode::ordered}, {"mpi", ReduceMode::mpi}};
const std::map<std::string, GemmKind> gemms{{"openblas", GemmKind::openblas},
                                            {"reference", GemmKind::reference}};
void add_model_options(CLI::App& app, Options& o) {
  app.add_option("--data", o.data,
                 "digits | fashion-mnist | synthetic[:SAMPLES,FEATURES,CLASSES] |\ncsv:FILE | "
                 "idx:IMAGES,LABELS [digits]");
  add_list(app, "--hidden", "widths of the hidden layers [128,64]", 1, most_counted,
           [&o](const auto& widths) { o.hidden = widths; });
  add_choice<NumberType>(app, "--precision", precisions, "fp16", "stored parameters and gradients",
                         [&o](NumberType p) { o.job.precision = p; });
  add_choice<ReduceMode>(
      app, "--reduce", reduce_modes, "exact",
      "how gradients are summed; verify without it: bits under exact,\nbytes under mpi",
      [&o](ReduceMode m) { o.reduce = m; });
  add_choice<GemmKind>(app, "--gemm", gemms, "openblas",
                       "products; reference: plain loops, the same bits on every machine",
                       [&o](GemmKind g) { o.job.gemm = g; });
  app.add_option("--batch", o.job.batch, "samples of a micro-batch [32]")->check(count(1));
  auto* accumulate =
      app.add_option("--accumulate", o.job.accumulate, "micro-batches of a rank in a step [1]")
          ->check(count(1));
  app.add_option("--virtual-shards", o.job.virtual_shards,
                 "micro-batches of a step, dealt to however many ranks there are:\nunder exact the "
                 "bits do not depend on N [off]")
      ->check(count(1))
      ->excludes(accumulate);
  auto* epochs =
      app.add_option("--epochs", o.epochs, "passes over the training data [1]")->check(count(1));
  app.add_option_function<std::size_t>(
         "--steps", [&o](std::size_t n) { o.steps = n; },
         "steps instead of epochs, skipped ones included")
      ->check(count(0))
      ->excludes(epochs);
  app.add_option("--seed", o.job.seed, "of weights and shuffles [1]")->check(count(0));
  app.add_option(
         "--checkpoint-activations", o.job.activation_segments,
         "segments of layers of which only the input is kept; the rest is\nrecomputed in the "
         "backward pass [0: all is kept]")
      ->check(count(0));
  app.add_flag("--overlap", o.job.overlap,
               "non-blocking collectives while the passes go on; stages 0, 2 and 3");
  app.add_option("--chunk-elements", o.job.chunk_elements,
                 "elements in one MPI reduction under exact and ordered [262144]")
      ->check(count(1));
}

void add_optimizer_options(CLI::App& app, Options& o) {
  const std::string from_zero = "a finite number from 0";
  const auto not_negative = [](double v) { return v >= 0 && v < 1e30; };
  add_choice<OptimizerKind>(app, "--optimizer", optimizers, "adam", "adam | adamw | sgd",
                            [&o](OptimizerKind k) { o.job.optimizer.kind = k; });
  add_number(app, "--lr", o.job.optimizer.learning_rate, "learning rate [1e-3]", from_zero,
             not_negative);
  add_number(app, "--momentum", o.job.optimizer.momentum, "of sgd [0]",
             "a number from 0 to below 1", [](double v) { return v >= 0 && v < 1; });
  add_number(app, "--weight-decay", o.job.optimizer.weight_decay,
             "L2 for adam and sgd, decoupled for adamw [0]", from_zero, not_negative);
  add_number(app, "--clip-norm", o.job.clip_norm, "largest norm of the averaged gradient [off]",
             "a finite number above 0", [](double v) { return v > 0 && v < 1e30; });
  app.add_option_function<std::string>(
         "--loss-scale",
         [&o](const std::string& text) {
           if (text != "dynamic") o.job.loss_scale.fixed = parse_number(text);
         },
         "dynamic | a power of two from 1 to 2^24 [dynamic for fp16, else 1]")
      ->check(CLI::Validator(
          [](std::string& text) {
            const std::optional<double> value = parse_number(text);
            int exponent = 0;
            const bool good = value && *value >= LossScaleSettings::smallest &&
                              *value <= LossScaleSettings::largest &&
                              std::frexp(*value, &exponent) == 0.5;
            if (text == "dynamic" || good) return std::string();
            return fmt::format("'{}' is neither dynamic nor a power of two from 1 to 2^24", text);
          },
          "SCALE"));
  app.add_option("--loss-scale-growth-interval", o.job.loss_scale.growth_interval,
                 "updates until a dynamic loss scale doubles [1000]")
      ->check(count(1));
  app.add_option("--max-skips", o.job.loss_scale.max_skips,
                 "skipped steps in a row that end the run [50]")
      ->check(count(1));
}

void add_checkpoint_options(CLI::App& app, Options& o) {
  auto* save = app.add_option("--save", o.save,
                              "write a checkpoint into folder DIR at the end, and when stopped by "
                              "SIGTERM,\nSIGINT (Ctrl-C) or SIGUSR1")
                   ->check(file_name("DIR"));
  app.add_option("--save-every", o.save_every, "and every so many steps")
      ->check(count(1))
      ->needs(save);
  app.add_option("--keep", o.keep, "checkpoints that stay in the folder, the newest [all]")
      ->check(count(1))
      ->needs(save);
  app.add_option("--resume", o.resume,
                 "go on from the newest checkpoint in DIR, or from FILE, in any stage and on any\n"
                 "number of ranks; --steps and --epochs name the total to reach")
      ->check(file_name("DIR|FILE"));
  app.add_option_function<std::vector<std::string>>(
         "--allow",
         [&o](const std::vector<std::string>& names) {
           o.allow = {names.begin(), names.end()};
         },
         "a part of the job that may differ from the checkpoint's")
      ->check(CLI::IsMember(allowable()))
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
         "--time-limit", [&o](const std::string& text) { o.time_limit = parse_number(text); },
         "seconds after which to save and stop, with exit code 75")
      ->check(
          number_within("a number of seconds above 0", [](double v) { return v > 0 && v < 1e9; }))
      ->needs(save);
}

void add_output_options(CLI::App& app, Options& o, const std::string& expected) {
  app.add_option("--digests", o.digests, "write digests of each step, unit and range to FILE")
      ->check(file_name());
  app.add_option(
         "--against", o.against,
         "a trace saved by --digests to compare this run with;\nverify: given twice, the two "
         "are compared and nothing is trained")
      ->check(file_name())
      ->allow_extra_args(false);
  app.add_flag("--expect-difference", o.expect_difference, expected);
  add_number(app, "--stall-limit", o.stall_limit,
             "seconds in one MPI call after which a rank says so and ends the job [off]",
             "a finite number above 0", [](double v) { return v > 0 && v < 1e30; });
  app.add_flag("--quiet", o.quiet, "no progress line");
  add_json(app, o.json);
}

/// No file is written that another option reads or writes, by whatever path.
void require_different_files(const Options& o) {
  std::vector<std::pair<const char*, std::string>> files{{"--json", o.json_only() ? "" : o.json},
                                                         {"--metrics", o.metrics},
                                                         {"--timeline", o.timeline},
                                                         {"--digests", o.digests},
                                                         {"--wire", o.wire}};
  const std::size_t written = files.size();
  for (const std::string& file : o.against) files.emplace_back("--against", file);
  files.emplace_back("--resume", o.resume);
  for (const std::string& file : data_files(o.data)) files.emplace_back("--data", file);
  files.emplace_back("--resume", o.resume);
  for (std::size_t a = 0; a < written; ++a) {
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

std::string_view name(ReduceMode mode) {
  for (const auto& [word, value] : reduce_modes) {
    if (value == mode) return word;
  }
  return "";
}

std::string_view name(OptimizerKind kind) {
  for (const auto& [word, value] : optimizers) {
    if (value == kind) return word;
  }
  return "";
}

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
