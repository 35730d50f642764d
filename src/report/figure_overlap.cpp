// When a rank computes and when it communicates, with and without overlap.
#include <algorithm>
#include <iterator>

#include "figure_script.hpp"
#include "read_timeline.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

using Span = MeasuredTimeline::Span;
constexpr double milli = 1e3;
constexpr const char* gathers_gradients = "allgather of gradients";

/// Computing in greys; a collective in the colour of what it moves.
struct Activity {
  const char *what, *words, *color;
  int hatch;
  const char* text;  ///< colour of what is written on it
};
constexpr double bordered = 0.006;  ///< of the longest step: about 3 points
constexpr std::array activities{
    Activity{"forward", "forward", "#E4E4E4", 0, "black"},
    Activity{"recompute", "forward again", "#C8C8C8", 0, "black"},
    Activity{"backward", "backward", "#A8A8A8", 0, "black"},
    Activity{"update", "update", "#606060", 0, "white"},
    Activity{"allgather", "all-gather of parameters", "#0072B2", 0, "white"},
    Activity{"reduce_scatter", "reduce-scatter of gradients", "#E69F00", 4, "black"},
    Activity{"allreduce", "all-reduce of gradients", "#E69F00", 0, "black"},
    Activity{gathers_gradients, "all-gather of summed gradients", "#E69F00", 5, "black"},
    Activity{"alltoall", "all-to-all of gradients", "#E69F00", 2, "black"},
    Activity{"scalars", "norm, overflow and loss", "#000000", 0, "white"},
    Activity{"other", "other", "#FFFFFF", 0, "black"}};

/// Stage 0 never gathers parameters: what it gathers are sums, as an all-reduce's second half.
std::string activity_of(const Span& span, int stage) {
  return stage == 0 && span.what == "allgather" ? gathers_gradients : span.what;
}

struct Box {
  std::string what;
  Row row;  ///< as boxxyerror has it
  std::optional<std::uint64_t> unit;
};

/// Spans of one lane of a stage around y; those that run at the same time share its height.
void add_lane(std::vector<Span> spans, int stage, double y, std::vector<Box>& boxes) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<double> free_at;
  std::vector<std::size_t> level;
  for (const Span& span : spans) {
    auto free =
        std::find_if(free_at.begin(), free_at.end(), [&](double end) { return end <= span.begin; });
    if (free == free_at.end()) free = free_at.insert(free_at.end(), 0.0);
    *free = span.end;
    level.push_back(static_cast<std::size_t>(free - free_at.begin()));
  }
  const double height = 0.84 / static_cast<double>(std::max<std::size_t>(1, free_at.size()));
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const double low = y - 0.42 + height * static_cast<double>(level[i]), high = low + height;
    const double begin = spans[i].begin * milli, end = spans[i].end * milli;
    boxes.push_back({activity_of(spans[i], stage),
                     {(begin + end) / 2, (low + high) / 2, begin, end, low, high},
                     spans[i].unit});
  }
}

/// A timeline's two lanes, the upper one for computing.
std::vector<Box> lanes(const MeasuredTimeline& timeline, double y) {
  std::vector<Box> boxes;
  for (const bool computes : {true, false}) {
    std::vector<Span> spans;
    std::ranges::copy_if(timeline.spans, std::back_inserter(spans),
                         [&](const Span& span) { return span.computes() == computes; });
    add_lane(std::move(spans), timeline.stage, computes ? y : y - 1, boxes);
  }
  return boxes;
}

/// Share of the step in which the rank computes, in percent.
double computing(const MeasuredTimeline& timeline) {
  double seconds = 0;
  for (const Span& span : timeline.spans) seconds += span.computes() ? span.end - span.begin : 0;
  return 100 * seconds / timeline.seconds;
}

struct Drawn {
  MeasuredTimeline timeline;
  bool overlapped;
  double y;  ///< of the upper lane
};

/// What is there, from the top of the figure downwards.
std::vector<Drawn> collect(Results& results, Figure& figure) {
  std::vector<Drawn> found;
  double y = 0;
  for (int stage = 0; stage < 4; ++stage) {
    for (const bool overlapped : {false, true}) {
      if (stage == 1 && overlapped) continue;  // has no twin
      auto timeline = read_timeline(results, stage, overlapped);
      if (!timeline) {
        figure.missing.push_back(fmt::format("not measured: no timeline-{}{}.json", stage,
                                             overlapped ? "-overlapped" : ""));
        continue;
      }
      figure.sources.push_back(timeline->file);
      found.push_back({std::move(*timeline), overlapped, y});
      y -= 2.25;
    }
    y -= 0.5;
  }
  return found;
}

/// Boxes with a border, or where that would cover them, in nothing but their colour.
void draw_rows(const std::vector<Row>& wide, const std::vector<Row>& narrow,
               const Activity& activity, Script& script) {
  if (!narrow.empty()) {
    script.layer(
        "{0} with boxxyerror fillstyle solid border linecolor '{1}' linewidth 0.3 "
        "fillcolor '{1}' notitle",
        script.data(narrow), activity.color);
  }
  if (wide.empty()) return;
  const std::string data = script.data(wide);
  script.layer(
      "{} with boxxyerror fillstyle solid border linecolor '#222222' linewidth 0.6 "
      "fillcolor '{}' notitle",
      data, activity.color);
  if (activity.hatch == 0) return;
  script.layer(
      "{} with boxxyerror fillstyle transparent pattern {} linecolor '#222222' "
      "linewidth 0.6 notitle",
      data, activity.hatch);
}

/// The boxes of each activity, and the legend of those that there are.
void draw_boxes(const std::vector<Drawn>& drawn, double longest, Script& script) {
  std::vector<LegendEntry> entries;
  for (const Activity& activity : activities) {
    std::vector<Row> wide, narrow;
    for (const Drawn& one : drawn) {
      for (const Box& box : lanes(one.timeline, one.y)) {
        if (box.what != activity.what) continue;
        const double share = (box.row[3] - box.row[2]) / longest;
        (share < bordered ? narrow : wide).push_back(box.row);
        if (!box.unit || share < 0.018) continue;
        script.line("set label '{}' at {},{} center font small textcolor '{}' front", *box.unit,
                    box.row[0], box.row[1], activity.text);
      }
    }
    if (wide.empty() && narrow.empty()) continue;
    entries.push_back({activity.words, activity.color, activity.hatch, 0});
    draw_rows(wide, narrow, activity, script);
  }
  legend(script, entries, 3);
}

}  // namespace

bool draw_overlap(Results& results, Figure& figure, Script& script) {
  figure.title = "One step of a rank: computing and communication";
  const std::vector<Drawn> drawn = collect(results, figure);
  if (drawn.empty()) return false;
  double longest = 0;
  script.line("set title {}", literal(figure.title));
  script.line("set ytics () scale 0");
  for (const auto& [timeline, overlapped, y] : drawn) {
    longest = std::max(longest, timeline.seconds * milli);
    script.line("set ytics add ('stage {}{}: computes' {}, 'communicates' {})", timeline.stage,
                overlapped ? " overlapped" : "", y, y - 1);
    figure.alt +=
        fmt::format("Stage {}{}: {:.1f} ms, {:.0f} % computing. ", timeline.stage,
                    overlapped ? " overlapped" : "", timeline.seconds * milli, computing(timeline));
    script.line("set label '{:.1f} ms, {:.0f} % computing' at {},{} left offset 0.6,0",
                timeline.seconds * milli, computing(timeline), timeline.seconds * milli, y - 0.5);
    script.line("set arrow from {0},{1} to {0},{2} nohead linewidth 1.5 front",
                timeline.seconds * milli, y + 0.45, y - 1.45);
  }
  script.line("set border 1");
  script.line("unset grid");
  script.line("set xrange [0:{}]", 1.4 * longest);
  script.line("set yrange [{}:0.7]", drawn.back().y - 1.7);
  script.line("set xlabel 'time since the step began (ms)'");
  script.line("set bmargin at screen {}", 150.0 / script.height());
  draw_boxes(drawn, longest, script);
  script.plot();
  const bool simulated =
      std::ranges::any_of(drawn, [](const Drawn& one) { return one.timeline.simulated; });
  figure.caption =
      fmt::format(
          "{}: one step of one rank of each stage, and below it, on the same scale, of its ",
          simulated ? "Measured on a simulated cluster" : "Measured") +
      "overlapped twin (stage 1 has none). A collective lasts from its start until the rank knows "
      "that it is over, waiting for other ranks included; numbers in boxes are units. Stage 0 "
      "never gathers parameters: overlapped, its all-reduces are sent as their two halves, a "
      "reduce-scatter and an all-gather of the summed gradients.";
  return true;
}

}  // namespace zerolab
