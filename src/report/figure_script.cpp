#include "figure_script.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "zerolab/report/console.hpp"

namespace zerolab {

CategoryStyle style_of(Category category) {
  switch (category) {
    case Category::parameters:
      return {"#0072B2", 0};
    case Category::gradients:
      return {"#E69F00", 4};
    case Category::master:
      return {"#009E73", 1};
    case Category::momentum:
      return {"#56B4E9", 0};
    case Category::variance:
      return {"#F0E442", 5};
    case Category::accumulator:
      return {"#D55E00", 2};
    case Category::activations:
      return {"#CC79A7", 7};
    case Category::buffers:
      return {"#333333", 0};
    case Category::data:
      return {"#BBBBBB", 0};
  }
  return {"#000000", 0};
}

StageStyle style_of_stage(int stage) {
  switch (stage) {
    case 0:
      return {"#000000", 1, 7, 6};
    case 1:
      return {"#BB5566", 4, 9, 8};
    case 2:
      return {"#DDAA33", 2, 5, 4};
    default:
      return {"#004488", 1, 13, 12};
  }
}

std::string Script::data(const std::vector<Row>& rows) {
  const std::string name = fmt::format("$data{}", ++blocks_);
  lines_ += name + " << END\n";
  for (const Row& row : rows) lines_ += fmt::format("{}\n", fmt::join(row, " "));
  lines_ += "END\n";
  return name;
}

void Script::plot() {
  lines_ += fmt::format("plot {}\n", fmt::join(layers_, ", \\\n  "));
  layers_.clear();
}

namespace {

constexpr const char* look = R"(set encoding utf8
set border 3 linewidth 1
set tics nomirror out scale 0.6
set grid ytics linetype 1 linewidth 0.6 linecolor rgb '#DDDDDD'
)";

}  // namespace

std::string Script::svg(const std::string& name) const {
  return fmt::format(
             "set terminal svg noenhanced size {},{} fixed font 'sans-serif,14' name '{}' "
             "background 'white'\n",
             width_, height_, name) +
         "mark = 0.6\nmiddling = ',13'\nsmall = ',11'\n" + look + lines_;
}

std::string Script::png() const {
  return fmt::format(
             "set terminal pngcairo noenhanced size {},{} font 'sans-serif,10.5' fontscale 2 "
             "linewidth 2 pointscale 2 background 'white'\n",
             2 * width_, 2 * height_) +
         "mark = 1.0\nmiddling = ',9.75'\nsmall = ',8.25'\n" + look + lines_;
}

std::string literal(const std::string& text) {
  std::string inside;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= ' ') inside += c;
    if (c == '\'') inside += c;
  }
  return "'" + inside + "'";
}

void legend(Script& script, const std::vector<LegendEntry>& entries, std::size_t columns) {
  const double line = 20.0 / script.height(), box = 26.0 / script.width();
  const std::size_t rows = (entries.size() + columns - 1) / columns;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [words, color, hatch, point] = entries[i];
    const double x = 0.06 + 0.92 * static_cast<double>(i / rows) / static_cast<double>(columns);
    const double y = line * static_cast<double>(rows - i % rows) - line * 0.2;
    if (point > 0) {
      script.line("set label '' at screen {},screen {} point pointtype {} pointsize mark",
                  x + box / 2, y, point);
    } else {
      const std::string place =
          fmt::format("rectangle from screen {},screen {} to screen {},screen {}", x,
                      y - 0.35 * line, x + box, y + 0.35 * line);
      script.line("set object {} fillstyle solid border linecolor '#222222' fillcolor '{}'", place,
                  color);
      if (hatch > 0) {
        script.line(
            "set object {} fillstyle transparent pattern {} border linecolor '#222222' fillcolor "
            "'#222222'",
            place, hatch);
      }
    }
    script.line("set label '{}' at screen {},screen {} left", words, x + 1.3 * box, y);
  }
}

void ranks_axis(Script& script) {
  script.line("set logscale x 2");
  script.line("set xrange [0.94:68]");
  script.line("set xtics (1, 2, 4, 8, 16, 32, 64)");
  script.line("set xlabel 'ranks N'");
}

std::string over_ranks(Script& script, const std::function<double(double)>& formula) {
  std::vector<Row> curve;
  for (int i = 0; i <= 96; ++i) {
    const double n = std::exp2(i / 16.0);
    curve.push_back({n, formula(n)});
  }
  return script.data(curve);
}

std::vector<MeasuredRun> shown_runs(Results& results, const std::vector<int>& stages,
                                    Figure& figure) {
  std::vector<MeasuredRun> runs = measured_runs(results);
  std::set<std::uint64_t> measured;
  for (const MeasuredRun& run : runs) {
    measured.insert(run.ranks);
    figure.sources.push_back(run.file);
    for (const int stage : stages) {
      if (run.stages.contains(stage)) continue;
      figure.missing.push_back(fmt::format("not measured: no stage {} in {}", stage, run.file));
    }
  }
  for (const std::uint64_t n : {1U, 2U, 3U, 4U, 8U}) {
    if (measured.contains(n)) continue;
    figure.missing.push_back(fmt::format("not measured: no verify-{}.json", n));
  }
  return runs;
}

std::string compared(const std::vector<FigurePoint>& all) {
  std::vector<FigurePoint> points;
  std::ranges::copy_if(all, std::back_inserter(points),
                       [](const FigurePoint& p) { return p.formula.has_value(); });
  if (points.empty()) return "Nothing of it is measured.";
  const auto differs = [](const FigurePoint& p) { return p.counted != p.formula; };
  const auto first = std::ranges::find_if(points, differs);
  if (first == points.end()) {
    return fmt::format(
        "Each of the {} points that the ledgers counted equals the formula to the byte.",
        points.size());
  }
  return fmt::format(
      "{} of the {} points differ from the formula, the first of them {} at N = {}: {} bytes "
      "counted, {} by the formula.",
      std::ranges::count_if(points, differs), points.size(), first->series, first->x,
      grouped(first->counted), grouped(*first->formula));
}

}  // namespace zerolab
