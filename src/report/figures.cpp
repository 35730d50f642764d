// report figure: the figures of the documents, and what was measured laid over them.
#include "zerolab/report/figures.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "figure_script.hpp"
#include "gnuplot.hpp"
#include "zerolab/core/require.hpp"

namespace zerolab {

namespace {

using Draw = bool (*)(Results&, Figure&, Script&);

struct Kind {
  Draw draw;
  int width, height;  ///< of the svg, in points
};

constexpr std::array<Kind, figure_names.size()> kinds{{{draw_memory, 800, 520},
                                                       {draw_volume, 800, 600},
                                                       {draw_reduction, 800, 520},
                                                       {draw_efficiency, 800, 520},
                                                       {draw_trace, 960, 860},
                                                       {draw_overlap, 960, 680}}};

/// The measured points as JSON inside the picture, for whoever wants the numbers.
std::string metadata(const Figure& figure) {
  nlohmann::json points = nlohmann::json::array();
  for (const FigurePoint& p : figure.points) {
    points.push_back({{"series", p.series},
                      {"x", p.x},
                      {"y", p.y},
                      {"counted_bytes", p.counted},
                      {"formula_bytes", p.formula ? nlohmann::json(*p.formula) : nullptr}});
  }
  return fmt::format("<metadata>{}</metadata>\n",
                     nlohmann::json{{"sources", figure.sources}, {"points", points}}.dump());
}

/// The figure without its pictures, and the script that draws them; none with nothing to draw.
std::pair<Figure, std::optional<Script>> prepare(std::string_view name, Results& results) {
  const auto found = std::find(figure_names.begin(), figure_names.end(), name);
  require(found != figure_names.end(), "there is no figure {}; there are {}", name,
          fmt::join(figure_names, ", "));
  const Kind& kind = kinds[static_cast<std::size_t>(found - figure_names.begin())];
  Figure figure;
  figure.name = name;
  Script script(kind.width, kind.height);
  if (!kind.draw(results, figure, script)) return {figure, std::nullopt};
  return {figure, script};
}

}  // namespace

Figure make_figure(std::string_view name, Results& results, bool with_png) {
  auto [figure, script] = prepare(name, results);
  if (!script) return figure;
  figure.svg = embeddable(gnuplot(script->svg(figure.name)), figure.name, figure.title, figure.alt,
                          metadata(figure));
  if (with_png) figure.png = whole_png(gnuplot(script->png()));
  return figure;
}

Figure figure_facts(std::string_view name, Results& results) {
  return prepare(name, results).first;
}

}  // namespace zerolab
