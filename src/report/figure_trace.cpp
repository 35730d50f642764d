// What a rank holds while one step goes on, stage by stage.
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "figure_script.hpp"
#include "read_timeline.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

constexpr double mega = 1e6;
constexpr int gather_point = 9, release_point = 11, reduction_point = 7;

/// From the bottom of the stack: what a step leaves alone lies below what comes and goes.
constexpr std::array stack{Category::data,      Category::variance,    Category::momentum,
                           Category::master,    Category::accumulator, Category::parameters,
                           Category::gradients, Category::activations, Category::buffers};

using Held = std::array<std::int64_t, categories>;

std::int64_t total(const Held& held) {
  return std::accumulate(held.begin(), held.end(), std::int64_t{0});
}

/// What is held before the first change, and after each.
std::vector<Held> history(const MeasuredTimeline& timeline) {
  std::vector<Held> states{timeline.held};
  for (const auto& [category, bytes] : timeline.memory) {
    states.push_back(states.back());
    states.back()[static_cast<std::size_t>(category)] += bytes;
  }
  return states;
}

std::size_t peak_of(const std::vector<Held>& states) {
  const auto less = [](const Held& a, const Held& b) { return total(a) < total(b); };
  return static_cast<std::size_t>(std::max_element(states.begin(), states.end(), less) -
                                  states.begin());
}

bool is_pass(const MeasuredTimeline::Mark& mark) {
  return mark.words == "forward" || mark.words == "backward";
}
bool is_gather(const MeasuredTimeline::Mark& mark) {
  return mark.words.starts_with("all-gather") || mark.words.starts_with("arrives");
}
bool is_release(const MeasuredTimeline::Mark& mark) {
  return mark.words.starts_with("release");
}
bool is_reduction(const MeasuredTimeline::Mark& mark) {
  return mark.words.starts_with("reduce-scatter") || mark.words.starts_with("all-reduce");
}

/// "peak 10.4 MB: backward of unit 1, gathered": a pass is marked when it is over.
std::string peak_words(const MeasuredTimeline& timeline, std::size_t peak, std::int64_t bytes) {
  std::string words = fmt::format("peak {:.1f} MB", static_cast<double>(bytes) / mega);
  const auto& marks = timeline.marks;
  const auto pass = std::find_if(marks.begin(), marks.end(),
                                 [&](const auto& m) { return m.after >= peak && is_pass(m); });
  if (pass == marks.end()) return words;
  words += ": " + pass->words;
  if (!pass->unit) return words;
  words += fmt::format(" of unit {}", *pass->unit);
  for (auto mark = pass; mark != marks.begin();) {
    --mark;
    if (mark->unit != pass->unit) continue;
    if (is_gather(*mark)) words += ", gathered";
    if (is_gather(*mark) || is_release(*mark)) break;
  }
  return words;
}

void draw_stack(const std::vector<Held>& states, Script& script) {
  std::vector<double> bottom(states.size());
  for (const Category category : stack) {
    std::vector<Row> edge;
    bool any = false;
    for (std::size_t k = 0; k < states.size(); ++k) {
      const auto bytes = static_cast<double>(states[k][static_cast<std::size_t>(category)]);
      const double top = bottom[k] + bytes / mega, x = static_cast<double>(k);
      edge.push_back({x, bottom[k], top});
      edge.push_back({x + 1, bottom[k], top});
      bottom[k] = top;
      any |= bytes > 0;
    }
    if (!any) continue;
    const std::string data = script.data(edge);
    const auto [color, hatch] = style_of(category);
    script.layer("{} with filledcurves fillstyle solid fillcolor '{}' notitle", data, color);
    if (hatch > 0) {
      script.layer(
          "{} with filledcurves fillstyle transparent pattern {} linecolor '#222222' "
          "notitle",
          data, hatch);
    }
    script.layer("{} using 1:3 with lines linewidth 0.7 linecolor '#222222' notitle", data);
  }
}

/// Gathers where memory has risen, releases where it is about to fall, reductions before that.
void draw_marks(const MeasuredTimeline& timeline, const std::vector<Held>& states, double top,
                Script& script) {
  const auto layer = [&](bool (*wanted)(const MeasuredTimeline::Mark&), double right, double up,
                         int point) {
    std::vector<Row> places;
    for (const auto& mark : timeline.marks) {
      if (!wanted(mark)) continue;
      places.push_back({static_cast<double>(mark.after) + right,
                        static_cast<double>(total(states[mark.after])) / mega + up * top});
    }
    if (places.empty()) return;
    script.layer("{} with points pointtype {} pointsize 0.8*mark linecolor 'black' notitle",
                 script.data(places), point);
  };
  layer(is_gather, 0.5, 0.025, gather_point);
  layer(is_release, 0.5, 0.025, release_point);
  layer(is_reduction, 0.5, 0.06, reduction_point);
}

/// Lines between the passes, and what they are called while there is room.
void draw_passes(const MeasuredTimeline& timeline, Script& script) {
  struct Pass {
    std::string words;
    std::size_t begin, end;
  };
  std::vector<Pass> passes;
  for (const auto& mark : timeline.marks) {
    if (!is_pass(mark)) continue;
    if (passes.empty() || passes.back().words != mark.words) {
      passes.push_back({mark.words, passes.empty() ? 0 : passes.back().end, 0});
    }
    passes.back().end = mark.after + 1;
  }
  for (const Pass& pass : passes) {
    script.line("set arrow from {0},graph 0 to {0},graph 1 nohead dashtype 3 linecolor '#777777'",
                pass.end);
    if (passes.size() > 4) continue;
    script.line("set label '{}' at {},graph 0.955 center font small", pass.words,
                (static_cast<double>(pass.begin) + static_cast<double>(pass.end)) / 2);
  }
}

void place_panel(int stage, Script& script) {
  const double left = stage % 2 == 0 ? 0.08 : 0.57, bottom = stage < 2 ? 0.595 : 0.18;
  script.line("set lmargin at screen {}", left);
  script.line("set rmargin at screen {}", left + 0.41);
  script.line("set bmargin at screen {}", bottom);
  script.line("set tmargin at screen {}", bottom + 0.325);
  script.line("unset label");
  script.line("unset arrow");
}

void draw_panel(const MeasuredTimeline& timeline, double top, Script& script, Figure& figure) {
  const std::vector<Held> states = history(timeline);
  const std::size_t peak = peak_of(states);
  const std::string words = peak_words(timeline, peak, total(states[peak]));
  script.line("set title 'stage {}: N = {}, Φ = {}, {:.1f} ms{}' font middling", timeline.stage,
              timeline.ranks, grouped(timeline.parameters), timeline.seconds * 1e3,
              timeline.simulated ? " simulated" : "");
  script.line("set xrange [0:{}]", states.size() + 1);
  draw_stack(states, script);
  draw_marks(timeline, states, top, script);
  draw_passes(timeline, script);
  const double x = static_cast<double>(peak) + 0.5, all = static_cast<double>(states.size() + 1);
  const double height = static_cast<double>(total(states[peak])) / mega;
  script.line("set arrow from {0},{1} to {0},{2} size screen 0.006,20 filled front", x,
              height + 0.11 * top, height + 0.015 * top);
  script.line("set label {} at {},{} center font small front", literal(words),
              std::clamp(x, 0.32 * all, 0.68 * all), height + 0.145 * top);
  script.plot();
  figure.alt += fmt::format("Stage {}: {}. ", timeline.stage, words);
}

/// The shared legend, in a strip of its own below the panels.
void draw_legend(const std::array<std::optional<MeasuredTimeline>, 4>& timelines, Script& script) {
  std::vector<LegendEntry> entries;
  for (auto category = stack.rbegin(); category != stack.rend(); ++category) {
    const auto c = static_cast<std::size_t>(*category);
    const bool shown = std::any_of(timelines.begin(), timelines.end(), [&](const auto& timeline) {
      const auto holds = [&](const Held& held) { return held[c] > 0; };
      return timeline && std::ranges::any_of(history(*timeline), holds);
    });
    const auto [color, hatch] = style_of(*category);
    if (shown) entries.push_back({std::string(name(*category)), color, hatch, 0});
  }
  entries.push_back({"gathered", "", 0, gather_point});
  entries.push_back({"about to be released", "", 0, release_point});
  entries.push_back({"summed over ranks", "", 0, reduction_point});
  script.line("unset label\nunset arrow\nunset title\nunset border\nunset tics\nunset xlabel");
  script.line("unset ylabel\nunset grid\nset xrange [0:1]");
  legend(script, entries, 4);
  script.layer("NaN notitle");
  script.plot();
}

}  // namespace

bool draw_trace(Results& results, Figure& figure, Script& script) {
  figure.title = "What a rank holds during one step";
  std::array<std::optional<MeasuredTimeline>, 4> timelines;
  double top = 0;
  for (int stage = 0; stage < 4; ++stage) {
    auto& timeline = timelines[static_cast<std::size_t>(stage)];
    timeline = read_timeline(results, stage, false);
    if (!timeline) {
      figure.missing.push_back(fmt::format("not measured: no timeline-{}.json", stage));
      continue;
    }
    figure.sources.push_back(timeline->file);
    const auto states = history(*timeline);
    top = std::max(top, 1.36 * static_cast<double>(total(states[peak_of(states)])) / mega);
  }
  if (figure.sources.empty()) return false;
  script.line("set multiplot title {}", literal(figure.title));
  script.line("set yrange [0:{}]", top);
  script.line("unset key");
  for (int stage = 0; stage < 4; ++stage) {
    place_panel(stage, script);
    script.line("set xlabel '{}'", stage < 2 ? "" : "changes of memory since the step began");
    script.line("set ylabel '{}'", stage % 2 == 0 ? "held by the rank (MB, 10⁶ bytes)" : "");
    const auto& timeline = timelines[static_cast<std::size_t>(stage)];
    if (timeline) {
      draw_panel(*timeline, top, script, figure);
      continue;
    }
    script.line("set title 'stage {}: not measured'", stage);
    script.line("set xrange [0:1]");
    script.layer("NaN notitle");
    script.plot();
  }
  draw_legend(timelines, script);
  script.line("unset multiplot");
  figure.caption =
      "Measured, to the byte: what the memory ledger of one rank saw in one step, change by change "
      "(so the axis is no time), on one scale for all stages. Stages 0 and 1 hold their gradients "
      "throughout; stage 2 makes a unit's gradient, sums it and keeps its shard; stage 3 also "
      "gathers "
      "a unit's parameters before each use and releases them after it, so at most one unit is "
      "full.";
  return true;
}

}  // namespace zerolab
