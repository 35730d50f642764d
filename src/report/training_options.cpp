#include "training_options.hpp"

#include <cmath>

#include "zerolab/report/saved_run.hpp"

namespace zerolab {

namespace {

const std::map<std::string, ReduceMode> reduce_modes{
    {"exact", ReduceMode::exact}, {"ordered", ReduceMode::ordered}, {"mpi", ReduceMode::mpi}};
const std::map<std::string, GemmKind> gemms{{"openblas", GemmKind::openblas},
                                            {"reference", GemmKind::reference}};

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
  auto* resume =
      app.add_option(
             "--resume", o.resume,
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
      ->allow_extra_args(false)
      ->needs(resume);
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

}  // namespace zerolab
