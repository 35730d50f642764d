// report: figures and one HTML page from measured results.
#include "option_values.hpp"
#include "zerolab/report/commands.hpp"

namespace zerolab {

void add_report_command(CLI::App& app, ReportOptions& options) {
  auto* report = app.add_subcommand("report", "figures and one HTML page from measured results");
  report->add_option("--results", options.results, "folder of measured results [results]");
}

int report_command(const ReportOptions&) {
  throw Error("report: not yet");
}

}  // namespace zerolab
