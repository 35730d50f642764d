// report: figures and one HTML page from measured results.
#include "figure_command.hpp"
#include "option_values.hpp"
#include "zerolab/report/commands.hpp"

namespace zerolab {

void add_report_command(CLI::App& app, ReportOptions& options) {
  auto* report = app.add_subcommand("report", "figures and one HTML page from measured results");
  report->add_option("--results", options.results, "folder of measured results [results]");
  add_figure_command(*report, options);
}

int report_command(const ReportOptions& options) {
  if (!options.figure.empty()) return figure_command(options);
  throw Error("report: not yet");
}

}  // namespace zerolab
