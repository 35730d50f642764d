// The command line of plan.
#include "zerolab/report/plan_options.hpp"

#include "option_values.hpp"
#include "zerolab/report/quantity.hpp"

namespace zerolab {

namespace {

const std::map<std::string, StateLayout> layouts{{"zerolab", StateLayout::zerolab},
                                                 {"fp32-gradients", StateLayout::fp32_gradients},
                                                 {"no-master", StateLayout::no_master},
                                                 {"megatron", StateLayout::megatron},
                                                 {"deepspeed", StateLayout::deepspeed}};

/// An option whose value is a quantity, 0 only where `zero` allows it.
CLI::Option* add_quantity(CLI::App& app, const std::string& flag, Quantity quantity, bool zero,
                          const std::string& help,
                          const std::function<void(const Fraction&)>& set) {
  return app
      .add_option_function<std::string>(
          flag, [=](const std::string& text) { set(value_of(quantity, text)); }, help)
      ->check(CLI::Validator(
          [=](std::string& text) {
            const Reading reading = read_quantity(quantity, text);
            if (!reading.fault.empty()) return reading.fault;
            if (!zero && reading.value.zero()) {
              return fmt::format("'{}' is nothing; write {}", text, examples_of(quantity));
            }
            return std::string();
          },
          std::string(word_for(quantity))));
}

CLI::Option* add_whole(CLI::App& app, const std::string& flag, Quantity quantity, bool zero,
                       const std::string& help, Whole& field) {
  return add_quantity(app, flag, quantity, zero, help,
                      [&field](const Fraction& value) { field = value.numerator(); });
}

void add_model(CLI::App& app, PlanOptions& o, bool required) {
  auto* parameters = add_whole(app, "--params", Quantity::count, false,
                               "Φ, parameters of the model: 7B, 7e9", o.model.parameters);
  auto* ranks =
      add_whole(app, "--ranks", Quantity::count, false, "N, data-parallel ranks", o.ranks);
  if (required) {
    parameters->required();
    ranks->required();
  } else {
    parameters->needs(ranks);
    ranks->needs(parameters);
  }
}

void add_precision(CLI::App& app, PlanOptions& o) {
  add_choice<NumberType>(app, "--precision", precisions, "fp16", "stored parameters and gradients",
                         [&o](NumberType p) { o.model.job.precision = p; });
}

void add_accumulate(CLI::App& app, PlanOptions& o) {
  app.add_option("--accumulate", o.model.job.accumulate, "k, micro-batches of a rank in a step [1]")
      ->check(count(1, std::size_t{1} << 20));  // as many as train takes
}

void add_state(CLI::App& app, PlanOptions& o) {
  add_precision(app, o);
  add_choice<OptimizerKind>(app, "--optimizer", optimizers, "adam", "adam | adamw | sgd",
                            [&o](OptimizerKind k) { o.model.job.optimizer.kind = k; });
  app.add_option_function<std::string>(
         "--momentum",
         [&o](const std::string& text) {
           o.model.job.optimizer.momentum = parse_number(text).value_or(1);
         },
         "of sgd; how much does not matter here, and may be left out [0]")
      ->expected(0, 1)
      ->check(CLI::Validator(
          [](std::string& text) {
            const double value = parse_number(text).value_or(text.empty() ? 0 : -1);
            if (value >= 0 && value < 1) return std::string();
            return fmt::format("'{}' is not a number from 0 to below 1", text);
          },
          "X"));
  add_choice<StateLayout>(
      app, "--layout", layouts, "zerolab",
      "bytes of an element: ours, ours with fp32 gradients or without\na master copy, or as "
      "Megatron-LM, DeepSpeed document theirs",
      [&o](StateLayout l) { o.model.layout = l; });
  add_quantity(
      app, "--largest-unit", Quantity::count, true,
      "parameters of the largest unit, which is gathered, or whose\ngradient lies apart, for "
      "a while [not counted]",
      [&o](const Fraction& value) { o.model.largest_unit = value.numerator(); });
}

void add_time_options(CLI::App& time, PlanOptions& o) {
  add_quantity(time, "--volume", Quantity::bytes, true,
               "C, bytes that a rank moves in a step: 2.06TB; instead of a model",
               [&o](const Fraction& value) { o.volume = value.numerator(); })
      ->excludes("--params")
      ->excludes("--ranks");
  add_whole(time, "--bandwidth", Quantity::bandwidth, false,
            "B, of a rank: 300GB/s, 300e9 (bytes a second), 10Gb/s", o.bandwidth)
      ->required();
  add_quantity(time, "--compute", Quantity::seconds, true,
               "t, computation in a step: 10, 10s, 500ms",
               [&o](const Fraction& value) { o.compute = value; })
      ->required();
  add_quantity(time, "--target", Quantity::share, true,
               "efficiency to reach, 80% or 0.8: also say which bandwidth does",
               [&o](const Fraction& value) { o.target = value; });
  static const std::map<std::string, Directions> directions{{"one", Directions::one},
                                                            {"both", Directions::both}};
  add_choice<Directions>(time, "--directions", directions, "",
                         "what the bandwidth counts, and a given volume: one direction, or\nboth "
                         "together [unsaid: a model is shown both ways]",
                         [&o](Directions d) { o.directions = d; });
  time.add_option_function<int>(
          "--stage", [&o](int stage) { o.stage = stage; }, "of the model [all]")
      ->check(count(0, 3))
      ->excludes("--volume");
}

/// What single options cannot see.
void check_state(const CLI::App& app, const PlanOptions& o) {
  const Job& job = o.model.job;
  require(job.optimizer.momentum == 0 || job.optimizer.kind == OptimizerKind::sgd,
          "--momentum belongs to --optimizer sgd; adam and adamw have their own");
  const std::string layout = app["--layout"]->count() > 0 ? app["--layout"]->as<std::string>() : "";
  const bool foreign = of_another_system(o.model.layout);
  for (const char* option : {"--precision", "--optimizer", "--momentum"}) {
    require(!foreign || app[option]->count() == 0, "{}: --layout {} says what it is", option,
            layout);
  }
  const bool half = job.precision != NumberType::fp32;
  require(half || o.model.layout == StateLayout::zerolab || foreign,
          "--layout {} is for 16-bit precisions; in fp32 it is zerolab's own", layout);
  require(!o.model.largest_unit || *o.model.largest_unit <= o.model.parameters,
          "--largest-unit has {} parameters, and the model --params {}",
          digits(o.model.largest_unit.value_or(0)), digits(o.model.parameters));
}

void check_together(const CLI::App& app, const PlanOptions& o) {
  if (app.get_option_no_throw("--layout") != nullptr) check_state(app, o);
  if (o.what != "time") return;
  require(o.volume || o.model.parameters > 0, "plan time needs --volume, or --params and --ranks");
  for (const char* option : {"--precision", "--accumulate"}) {
    require(!o.volume || app[option]->count() == 0,
            "{} is of a model, and --volume says already what is moved", option);
  }
}

}  // namespace

void add_plan_command(CLI::App& app, PlanOptions& options) {
  PlanOptions& o = options;
  auto* plan = app.add_subcommand("plan", "what a model needs: memory, traffic, time, fit");
  plan->require_subcommand(0, 1);
  plan->footer(  // of the subcommands too
      "A model counts as one unit, cut into N shards. A real one's units are each cut by "
      "themselves:"
      "\nits fullest rank may hold up to (units − 1) elements more of what is sharded.");
  plan->callback([plan] {
    require(!plan->get_subcommands().empty(), "plan needs one of memory, traffic, time, fit");
  });
  const auto add = [&](const char* name, const char* help) {
    CLI::App* command = plan->add_subcommand(name, help);
    command->callback([&o, name, command] {
      o.what = name;
      check_together(*command, o);
    });
    return command;
  };
  auto* memory =
      add("memory", "bytes of the model state by stage, and how much less than on one rank");
  add_model(*memory, o, true);
  add_state(*memory, o);
  auto* traffic = add("traffic", "bytes that a rank sends in a step, in both conventions");
  add_model(*traffic, o, true);
  add_precision(*traffic, o);
  add_accumulate(*traffic, o);
  auto* time = add("time", "communication time, efficiency, and the bandwidth for another");
  add_model(*time, o, false);
  add_precision(*time, o);
  add_accumulate(*time, o);
  add_time_options(*time, o);
  auto* fit = add("fit", "the stage with the least traffic that fits, or what would fit");
  add_model(*fit, o, true);
  add_whole(*fit, "--memory", Quantity::bytes, false, "of a rank: 80GB, 80GiB", o.memory)
      ->required();
  add_whole(*fit, "--activations", Quantity::bytes, true, "of a rank [0]", o.activations);
  add_state(*fit, o);
  add_accumulate(*fit, o);
  for (CLI::App* command : {memory, traffic, time, fit}) add_json(*command, o.json);
}

std::string_view name(StateLayout layout) {
  for (const auto& [word, value] : layouts) {
    if (value == layout) return word;
  }
  return "";
}

}  // namespace zerolab
