#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "zerolab/core/memory_ledger.hpp"
#include "zerolab/report/figures.hpp"
#include "zerolab/report/measured.hpp"

// What the figures share: one look, and the lines of a gnuplot script.

namespace zerolab {

/// A category of memory has the same colour in every figure; the hatch over it tells it from its
/// neighbours without colour. The Okabe-Ito palette and two greys.
struct CategoryStyle {
  const char* color;
  int hatch;  ///< of gnuplot's patterns; 0: none
};
CategoryStyle style_of(Category category);

/// A stage has the same colour, dash and mark in every figure: black and Tol's high-contrast
/// palette, which keeps apart in grey.
struct StageStyle {
  const char* color;
  int dash;            ///< of gnuplot's dash types
  int filled, hollow;  ///< of its point types
};
StageStyle style_of_stage(int stage);

using Row = std::vector<double>;

/// A gnuplot script that grows line by line. Text of others is drawn literally: neither set out nor
/// carried out.
class Script {
 public:
  Script(int width, int height) : width_(width), height_(height) {}

  template <class... Arguments>
  void line(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    lines_ += fmt::format(text, std::forward<Arguments>(arguments)...) + "\n";
  }
  /// Numbers in columns, to be plotted by the name returned.
  std::string data(const std::vector<Row>& rows);
  /// A part of the next plot().
  template <class... Arguments>
  void layer(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    layers_.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  void plot();
  int width() const { return width_; }
  int height() const { return height_; }

  std::string svg(const std::string& name) const;
  std::string png() const;  ///< of twice the size

 private:
  int width_, height_;
  std::string lines_;
  std::vector<std::string> layers_;
  std::size_t blocks_ = 0;
};

/// A gnuplot string of one line, its characters meaning themselves.
std::string literal(const std::string& text);

/// An entry of a legend: a filled box, or with `point` a mark.
struct LegendEntry {
  std::string words;
  const char* color;
  int hatch, point;
};
/// A legend at the bottom of the picture, column by column. (gnuplot's own cannot show a hatch over
/// a colour.)
void legend(Script& script, const std::vector<LegendEntry>& entries, std::size_t columns);

/// Axis of ranks: logarithmic, 1 to 64.
void ranks_axis(Script& script);
/// A curve over that axis.
std::string over_ranks(Script& script, const std::function<double(double)>& formula);

// The figures: each fills in title, caption, alt, points, sources and missing. False when there is
// nothing to draw.
bool draw_memory(Results& results, Figure& figure, Script& script);
bool draw_volume(Results& results, Figure& figure, Script& script);
bool draw_reduction(Results& results, Figure& figure, Script& script);
bool draw_efficiency(Results& results, Figure& figure, Script& script);
bool draw_trace(Results& results, Figure& figure, Script& script);
bool draw_overlap(Results& results, Figure& figure, Script& script);

/// The runs of verify in the folder; enters them as sources, and as missing those of the usual rank
/// counts and stages that are not there.
std::vector<MeasuredRun> shown_runs(Results& results, const std::vector<int>& stages,
                                    Figure& figure);

/// Says whether the points equal their formulas to the byte, and which do not.
std::string compared(const std::vector<FigurePoint>& all);

}  // namespace zerolab
