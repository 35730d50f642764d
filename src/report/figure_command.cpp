// report figure NAME: the pictures as files.
#include "figure_command.hpp"

#include <fmt/ranges.h>

#include "option_values.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/figures.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

namespace {

/// Files are written as NAME.svg and NAME.png.
CLI::Validator name_without_ending() {
  return CLI::Validator(
      [](std::string& text) {
        const bool ended = text.ends_with(".svg") || text.ends_with(".png");
        if (!ended && !text.empty() && !text.ends_with('/')) return std::string();
        return fmt::format(
            "'{}' should be a file name without an ending, as .svg and .png are "
            "both written",
            text);
      },
      "NAME");
}

/// Draws and writes one figure; false when there is nothing to draw.
bool write_figure(std::string_view name, Results& results, const std::string& file) {
  const Figure figure = make_figure(name, results, true);
  if (figure.svg.empty()) {
    fmt::print("{}: not drawn\n", name);
  } else {
    write_file(file + ".svg", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + figure.svg);
    write_file(file + ".png", figure.png);
    fmt::print("{}: {}.svg, {}.png\n", name, file, file);
    std::vector<std::string> shown = figure.sources;
    if (!shown.empty()) {
      shown[0] = "  shows " + shown[0];
      fmt::print("{}", joined(shown));
    }
  }
  for (const std::string& words : figure.missing) fmt::print("  {}\n", words);
  return !figure.svg.empty();
}

}  // namespace

void add_figure_command(CLI::App& report, ReportOptions& options) {
  auto* figure = report.add_subcommand("figure", "one figure as .svg and .png, drawn by gnuplot");
  std::vector<std::string> names(figure_names.begin(), figure_names.end());
  names.emplace_back("all");
  figure->add_option("NAME", options.figure, fmt::format("{}", fmt::join(names, " | ")))
      ->required()
      ->check(CLI::IsMember(names));
  figure
      ->add_option("--output", options.output,
                   "file to write, without ending [NAME in the folder of results]")
      ->check(name_without_ending());
  figure->fallthrough();
  figure->callback([&options] {
    if (options.figure == "all" && !options.output.empty()) {
      throw CLI::ValidationError("--output", "names one figure's files, and all are to be drawn");
    }
  });
}

int figure_command(const ReportOptions& options) {
  Results results(options.results);
  const auto file = [&](std::string_view name) {
    return options.output.empty() ? fmt::format("{}/{}", options.results, name) : options.output;
  };
  if (options.figure != "all") {
    return write_figure(options.figure, results, file(options.figure)) ? 0 : 1;
  }
  for (const std::string_view name : figure_names) write_figure(name, results, file(name));
  return 0;
}

}  // namespace zerolab
