// report: figures and one HTML page from measured results.
#include "figure_command.hpp"
#include "option_values.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/page.hpp"

namespace zerolab {

void add_report_command(CLI::App& app, ReportOptions& options) {
  auto* report = app.add_subcommand("report", "figures and one HTML page from measured results");
  report->add_option("--results", options.results, "folder of measured results [results]")
      ->check([](const std::string& folder) {
        return folder.empty() ? "the name of the results folder is empty" : "";
      });
  report->add_option("--output", options.output, "the page [report.html in that folder]")
      ->check(file_name());
  add_figure_command(*report, options);
}

int report_command(const ReportOptions& options) {
  return options.figure.empty() ? page_command(options) : figure_command(options);
}

}  // namespace zerolab
