// F2: what stages 0 and 3 send, in the two conventions.
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "figure_script.hpp"
#include "zerolab/report/measured.hpp"

namespace zerolab {

namespace {

enum class Counted { payload, ring, wire };

/// Mean over ranks of a step, in Φ bytes; none where it is not measured.
std::optional<FigurePoint> point_of(Counted what, int stage, const MeasuredRun& run) {
  const auto found = run.stages.find(stage);
  if (found == run.stages.end()) return std::nullopt;
  const MeasuredStage& m = found->second;
  const auto n = static_cast<double>(run.ranks);
  const auto phi_bytes = [&](std::uint64_t bytes, std::uint64_t steps) {
    return static_cast<double>(bytes) / static_cast<double>(steps * run.ranks * run.parameters);
  };
  switch (what) {
    case Counted::payload:
      return FigurePoint{fmt::format("stage {}, payload", stage), n,
                         phi_bytes(m.payload_bytes, m.steps) * (n - 1) / n, m.payload_bytes,
                         m.steps * payload_closed_form(stage, run.parameters, run.ranks)};
    case Counted::ring:
      return FigurePoint{fmt::format("stage {}, ring model", stage), n,
                         phi_bytes(m.ring_bytes, m.steps), m.ring_bytes,
                         m.steps * ring_closed_form(stage, run.parameters, run.ranks)};
    case Counted::wire:
      if (!m.wire_bytes) return std::nullopt;
      return FigurePoint{fmt::format("stage {}, wire", stage), n, phi_bytes(*m.wire_bytes, 1),
                         *m.wire_bytes, std::nullopt};
  }
  return std::nullopt;
}

/// The marks of a stage, at every N where there are such.
void draw_measured(Counted what, int stage, const std::vector<MeasuredRun>& runs, Figure& figure,
                   Script& script) {
  std::vector<Row> marks;
  for (const MeasuredRun& run : runs) {
    const auto point = point_of(what, stage, run);
    if (!point) continue;
    figure.points.push_back(*point);
    marks.push_back({point->x, point->y});
  }
  if (marks.empty()) return;
  const StageStyle style = style_of_stage(stage);
  const auto add = [&](int point, double size, const char* words) {
    script.layer(
        "{} with points pointtype {} pointsize {}*mark linewidth 1.5 linecolor '{}' "
        "title '{}: stage {}'",
        script.data(marks), point, size, style.color, words, stage);
  };
  if (what == Counted::payload) add(style.filled, 1.2, "measured payload");
  if (what == Counted::ring) add(style.hollow, 2, "ring model of the calls");
  if (what == Counted::wire) add(2, 2, "measured on the wire");
}

void draw_formulas(Script& script) {
  const auto curve = [&](int stage, int times, bool wire, const char* title) {
    const char* const color = style_of_stage(stage).color;
    script.layer("{} with lines linewidth 2 dashtype {} linecolor '{}' title '{}'",
                 over_ranks(script, [&](double n) { return times * (n - 1) / n; }), wire ? 2 : 1,
                 color, title);
    script.layer("{} with lines linewidth 1.5 dashtype 3 linecolor '{}' notitle",
                 over_ranks(script, [&](double) { return times; }), color);
  };
  curve(3, 6, false, "stage 3, payload and wire: 6Φ(N−1)/N");
  curve(0, 4, true, "stage 0, wire: 4Φ(N−1)/N");
  curve(0, 2, false, "stage 0, payload: 2Φ(N−1)/N");
  script.layer("NaN with lines linewidth 1.5 dashtype 3 linecolor '#555555' title 'ceilings'");
  for (const int ceiling : {2, 4, 6}) {
    script.line("set label '{}Φ' at graph 1.01,first {}", ceiling, ceiling);
  }
  const auto gap = [&](double n, double from, double to, const char* words) {
    const double part = (n - 1) / n;
    script.line("set arrow from {0},{1} to {0},{2} heads size screen 0.008,20 linewidth 1.2 front",
                n, from * part, to * part);
    script.line("set label '{}' at {},{} right front", words, n * 0.96,
                (from + 0.22 * (to - from)) * part);
  };
  gap(48, 2, 6, "payload × 3");
  gap(24, 4, 6, "wire × 1.5");
}

/// Under which --reduce the bytes were counted.
std::string mode_of(const std::vector<MeasuredRun>& runs) {
  std::set<std::string> modes;
  for (const MeasuredRun& run : runs) {
    for (const auto& [stage, measured] : run.stages) modes.insert(measured.reduce);
  }
  return modes.empty() ? "" : fmt::format(", under --reduce {}", fmt::join(modes, " and "));
}

}  // namespace

bool draw_volume(Results& results, Figure& figure, Script& script) {
  figure.title = "Bytes that a rank hands on in a step";
  figure.alt =
      "Three curves that rise from 0 at one rank: stage 3 to 6Φ, stage 0 to 2Φ in payloads and to "
      "4Φ on the wire.";
  script.line("set title {}", literal(figure.title));
  ranks_axis(script);
  script.line("set ylabel 'volume per rank and step (Φ bytes)'");
  script.line("set rmargin 6");
  script.line("set bmargin at screen {}", 185.0 / script.height());
  script.line("set key at screen 0.55,0.01 bottom center vertical reverse Left maxrows 5 width 1");
  const std::vector<MeasuredRun> runs = shown_runs(results, {0, 3}, figure);
  draw_formulas(script);
  for (const Counted what : {Counted::payload, Counted::ring, Counted::wire}) {
    for (const int stage : {3, 0}) draw_measured(what, stage, runs, figure, script);
  }
  double top = 6.6;
  for (const FigurePoint& p : figure.points) top = std::max(top, 1.05 * p.y);
  script.line("set yrange [0:{}]", top);
  figure.caption =
      "Lines: the formulas for 2-byte numbers, dotted their ceilings. In payloads a collective "
      "counts "
      "once: stage 3 hands on 3 times what stage 0 does. On the wire an all-reduce sends twice, as "
      "a "
      "reduce-scatter and an all-gather: there it is 1.5 times. Marks, mean over ranks of a step" +
      mode_of(runs) +
      ": filled, the measured payload times (N−1)/N; hollow, what a textbook ring sends for the "
      "counted calls, a model; crosses, where it was asked, what the MPI says it really sent. " +
      compared(figure.points);
  script.plot();
  return true;
}

}  // namespace zerolab
