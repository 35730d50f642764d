// plan: the documents' calculator and planner.
#include "option_values.hpp"
#include "zerolab/report/commands.hpp"

namespace zerolab {

void add_plan_command(CLI::App& app, PlanOptions& options) {
  auto* plan = app.add_subcommand("plan", "what a model needs: memory, traffic, time, fit");
  add_json(*plan, options.json);
}

int plan_command(const PlanOptions&) {
  throw Error("plan: not yet");
}

}  // namespace zerolab
