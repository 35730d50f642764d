// F2: what stages 0 and 3 send, in the two conventions.
#include <fmt/ranges.h>

#include <set>

#include "figure_script.hpp"
#include "zerolab/report/measured.hpp"

namespace zerolab {

namespace {

enum class Convention { payload, ring };

/// Mean over ranks of a step, in Φ bytes; at every N with a file.
void draw_measured(int stage, Convention convention, const std::vector<MeasuredRun>& runs,
                   Figure& figure, Script& script) {
  const bool payload = convention == Convention::payload;
  const std::string series = fmt::format("stage {}, {}", stage, payload ? "payload" : "ring model");
  std::vector<Row> marks;
  for (const MeasuredRun& run : runs) {
    const auto found = run.stages.find(stage);
    if (found == run.stages.end()) continue;
    const MeasuredStage& measured = found->second;
    const std::uint64_t counted = payload ? measured.payload_bytes : measured.ring_bytes;
    const auto closed_form = payload ? payload_closed_form : ring_closed_form;
    const auto n = static_cast<double>(run.ranks);
    const double part = payload ? (n - 1) / n : 1;
    const double y = static_cast<double>(counted) * part /
                     static_cast<double>(measured.steps * run.ranks * run.parameters);
    figure.points.push_back(
        {series, n, y, counted, measured.steps * closed_form(stage, run.parameters, run.ranks)});
    marks.push_back({n, y});
  }
  if (marks.empty()) return;
  const StageStyle style = style_of_stage(stage);
  script.layer(
      "{} with points pointtype {} pointsize {}*mark linewidth 1.5 linecolor '{}' title {}",
      script.data(marks), payload ? style.filled : style.hollow, payload ? 1.2 : 2, style.color,
      literal(payload ? "measured: " + series
                      : fmt::format("ring model of the calls: stage {}", stage)));
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
  script.line("set yrange [0:6.6]");
  script.line("set ylabel 'volume per rank and step (Φ bytes)'");
  script.line("set rmargin 6");
  script.line("set bmargin at screen {}", 165.0 / script.height());
  script.line("set key at screen 0.53,0.01 bottom center vertical reverse Left maxrows 4 width 1");
  const std::vector<MeasuredRun> runs = shown_runs(results, {0, 3}, figure);
  draw_formulas(script);
  for (const Convention convention : {Convention::payload, Convention::ring}) {
    for (const int stage : {3, 0}) draw_measured(stage, convention, runs, figure, script);
  }
  figure.caption =
      "Lines: the formulas for 2-byte numbers, dotted their ceilings. In payloads a collective "
      "counts "
      "once: stage 3 hands on 3 times what stage 0 does. On the wire an all-reduce sends twice, as "
      "a "
      "reduce-scatter and an all-gather: there it is 1.5 times. Marks, mean over ranks of a step" +
      mode_of(runs) +
      ": filled, the measured payload times (N−1)/N; hollow, what a textbook ring sends for the "
      "counted calls, which is a model and not the wire itself. " +
      compared(figure.points);
  script.plot();
  return true;
}

}  // namespace zerolab
