#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zerolab/report/results.hpp"

namespace zerolab {

/// Figures by name, in the order of the page. The first three are those of the documents (F1–F3 of
/// the exercises).
inline constexpr std::array<std::string_view, 6> figure_names{"memory",     "volume", "reduction",
                                                              "efficiency", "trace",  "overlap"};

/// One point from a result file. `counted` is what the ledgers of all ranks sum up to, `formula`
/// the closed form of the same sum where it has to be equal, both in whole bytes; `y` is made from
/// `counted`, or of simulated steps from their times.
struct FigurePoint {
  std::string series;  ///< "stage 3, payload"
  double x, y;         ///< as drawn
  std::uint64_t counted;
  std::optional<std::uint64_t> formula;
};

/// A drawn figure. Without any result `svg` still shows the formula, where there is one; else it is
/// empty and `missing` says why.
struct Figure {
  std::string name, title;
  std::string caption;  ///< sentences: what is formula, what is measured, whether they are equal
  std::string alt;      ///< what it shows, for those who do not see it
  std::string svg;      ///< one <svg> element that refers to nothing outside and runs nothing; its
                        ///< ids begin with the figure's name
  std::string png;      ///< a PNG file, if asked for
  std::vector<FigurePoint> points;   ///< all that are measured; also in the svg's <metadata>
  std::vector<std::string> sources;  ///< result files it shows: verify-8.json
  std::vector<std::string> missing;  ///< what it lacks: "not measured: no verify-8.json"
};

/// Draws one of figure_names through gnuplot. Throws Error when gnuplot is missing or fails, and
/// naming file and key when a result file is not as documented.
Figure make_figure(std::string_view name, Results& results, bool with_png = false);

/// The same without its pictures, for which no gnuplot is needed.
Figure figure_facts(std::string_view name, Results& results);

}  // namespace zerolab
