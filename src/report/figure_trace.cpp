// What a rank holds while one step goes on, stage by stage.
#include <fmt/ranges.h>

#include <algorithm>

#include "figure_script.hpp"
#include "memory_history.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

constexpr int gather_point = 9, release_point = 11, reduction_point = 7;

/// From the bottom of the stack: what a step leaves alone lies below what comes and goes.
constexpr std::array stack{Category::data,      Category::variance,    Category::momentum,
                           Category::master,    Category::accumulator, Category::parameters,
                           Category::gradients, Category::activations, Category::buffers};

/// What the panels share.
struct Scale {
  ByteUnit unit;
  double top;

  double of(std::int64_t bytes) const { return static_cast<double>(bytes) / unit.bytes; }
};

void draw_stack(const std::vector<Held>& states, const Scale& scale, Script& script) {
  std::vector<double> bottom(states.size());
  for (const Category category : stack) {
    std::vector<Row> edge;
    bool any = false;
    for (std::size_t k = 0; k < states.size(); ++k) {
      const std::int64_t bytes = states[k][static_cast<std::size_t>(category)];
      const double top = bottom[k] + scale.of(bytes), x = static_cast<double>(k);
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
void draw_marks(const MeasuredTimeline& timeline, const std::vector<Held>& states,
                const Scale& scale, Script& script) {
  const auto layer = [&](bool (*wanted)(const MeasuredTimeline::Mark&), double up, int point) {
    std::vector<Row> places;
    for (const auto& mark : timeline.marks) {
      if (!wanted(mark)) continue;
      places.push_back({static_cast<double>(mark.after) + 0.5,
                        scale.of(total(states[mark.after])) + up * scale.top});
    }
    if (places.empty()) return;
    script.layer("{} with points pointtype {} pointsize 0.8*mark linecolor 'black' notitle",
                 script.data(places), point);
  };
  layer(is_gather, 0.025, gather_point);
  layer(is_release, 0.025, release_point);
  layer(is_reduction, 0.06, reduction_point);
}

/// Lines between the passes, and what they are called while there is room.
void draw_passes(const MeasuredTimeline& timeline, Script& script) {
  const std::vector<Pass> all = passes(timeline);
  for (const Pass& pass : all) {
    script.line("set arrow from {0},graph 0 to {0},graph 1 nohead dashtype 3 linecolor '#777777'",
                pass.end);
    if (all.size() > 4) continue;
    script.line("set label '{}' at {},graph 0.955 center font small", pass.words,
                (static_cast<double>(pass.begin) + static_cast<double>(pass.end)) / 2);
  }
}

void place_panel(int stage, Script& script) {
  // Room for numbers of four digits and, on the left, what they are.
  const double left = stage % 2 == 0 ? 0.1 : 0.58, bottom = stage < 2 ? 0.595 : 0.18;
  script.line("set lmargin at screen {}", left);
  script.line("set rmargin at screen {}", left + 0.4);
  script.line("set bmargin at screen {}", bottom);
  script.line("set tmargin at screen {}", bottom + 0.325);
  script.line("unset label");
  script.line("unset arrow");
}

/// What the peak is and what goes on there; returns the words.
std::string draw_peak(const MeasuredTimeline& timeline, const std::vector<Held>& states,
                      const Scale& scale, Script& script) {
  const std::size_t peak = peak_of(states);
  const double x = static_cast<double>(peak) + 0.5, all = static_cast<double>(states.size() + 1);
  const double height = scale.of(total(states[peak]));
  const std::string what = peak_words(timeline, peak);
  const std::string words =
      fmt::format("peak {:.1f} {}{}{}", height, scale.unit.name, what.empty() ? "" : ": ", what);
  script.line("set arrow from {0},{1} to {0},{2} size screen 0.006,20 filled front", x,
              height + 0.11 * scale.top, height + 0.015 * scale.top);
  script.line("set label {} at {},{} center font small front", literal(words),
              std::clamp(x, 0.32 * all, 0.68 * all), height + 0.145 * scale.top);
  return words;
}

void draw_panel(const MeasuredTimeline& timeline, const Scale& scale, Script& script,
                Figure& figure) {
  const std::vector<Held> states = history(timeline);
  script.line("set title 'stage {}: N = {}, Φ = {}, {:.1f} ms{}' font middling", timeline.stage,
              timeline.ranks, grouped(timeline.parameters), timeline.seconds * 1e3,
              timeline.simulated ? " simulated" : "");
  script.line("set xrange [0:{}]", states.size() + 1);
  draw_stack(states, scale, script);
  draw_marks(timeline, states, scale, script);
  draw_passes(timeline, script);
  const std::string words = draw_peak(timeline, states, scale, script);
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
  std::int64_t most = 1;
  for (int stage = 0; stage < 4; ++stage) {
    auto& timeline = timelines[static_cast<std::size_t>(stage)];
    timeline = read_timeline(results, stage, false);
    if (!timeline) {
      figure.missing.push_back(fmt::format("not measured: no timeline-{}.json", stage));
      continue;
    }
    figure.sources.push_back(timeline->file);
    const auto states = history(*timeline);
    most = std::max(most, total(states[peak_of(states)]));
  }
  if (figure.sources.empty()) return false;
  const ByteUnit unit = byte_unit(most);
  const Scale scale{unit, 1.36 * static_cast<double>(most) / unit.bytes};
  script.line("set multiplot title {}", literal(figure.title));
  script.line("set yrange [0:{}]", scale.top);
  script.line("unset key");
  for (int stage = 0; stage < 4; ++stage) {
    place_panel(stage, script);
    script.line("set xlabel '{}'", stage < 2 ? "" : "changes of memory since the step began");
    script.line("set ylabel '{}'",
                stage % 2 == 0 ? fmt::format("held by the rank ({})", unit.words) : "");
    const auto& timeline = timelines[static_cast<std::size_t>(stage)];
    if (timeline) {
      draw_panel(*timeline, scale, script, figure);
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
      "a unit's parameters before each use and releases them after it: at most one unit is full.";
  return true;
}

}  // namespace zerolab
