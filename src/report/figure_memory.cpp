// F1: model states per rank, stacked, stage by stage.
#include "figure_script.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/cost_model.hpp"
#include "zerolab/report/measured.hpp"

namespace zerolab {

namespace {

constexpr std::uint64_t shown_parameters = 7'000'000'000, shown_ranks = 8;
constexpr double gigabyte = 1e9, half_width = 0.3;
constexpr std::array formulas{"16Φ", "4Φ + 12Φ/N", "2Φ + 14Φ/N", "16Φ/N"};

/// GB per rank, of a model of 7 billion, from bytes summed over ranks of one of `model` parameters.
double scaled(std::uint64_t sum, std::uint64_t model) {
  return static_cast<double>(sum) / static_cast<double>(model * shown_ranks) *
         static_cast<double>(shown_parameters) / gigabyte;
}

/// The bars, and what each is called beside the first one.
void draw_bars(Script& script) {
  std::array<double, 4> top{};
  for (const Category category : model_state) {
    if (category == Category::accumulator) continue;  // one micro-batch a step needs none
    std::vector<Row> boxes;
    for (int stage = 0; stage < 4; ++stage) {
      double& height = top[static_cast<std::size_t>(stage)];
      const double bottom = height;
      height += scaled(state_closed_form(stage, category, shown_parameters, shown_ranks),
                       shown_parameters);
      boxes.push_back({static_cast<double>(stage), bottom, stage - half_width, stage + half_width,
                       bottom, height});
    }
    script.line("set label '{}' at {},{} right", name(category), -half_width - 0.05,
                (boxes[0][4] + boxes[0][5]) / 2);
    const std::string data = script.data(boxes);
    const auto [color, hatch] = style_of(category);
    script.layer(
        "{} with boxxyerror fillstyle solid border linecolor '#222222' fillcolor '{}' "
        "notitle",
        data, color);
    if (hatch > 0) {
      script.layer(
          "{} with boxxyerror fillstyle transparent pattern {} linecolor '#222222' "
          "notitle",
          data, hatch);
    }
  }
  for (int stage = 0; stage < 4; ++stage) {
    const auto s = static_cast<std::size_t>(stage);
    script.line("set label \"{}\\n{:g} GB\" at {},{} center", formulas[s], top[s], stage,
                top[s] + 9.5);
  }
}

/// Marks where measured parts end.
void draw_measured(const MeasuredRun& run, Figure& figure, Script& script) {
  std::vector<Row> marks;
  for (const auto& [stage, measured] : run.stages) {
    std::uint64_t so_far = 0, formula = 0;
    for (std::size_t c = 0; c < model_state.size(); ++c) {
      if (measured.state[c] == 0) continue;
      so_far += measured.state[c];
      formula += state_closed_form(stage, model_state[c], run.parameters, shown_ranks);
      const double height = scaled(so_far, run.parameters);
      figure.points.push_back({fmt::format("stage {}, up to {}", stage, name(model_state[c])),
                               static_cast<double>(run.ranks), height, so_far, formula});
      marks.push_back({stage + half_width, height});
    }
  }
  const std::string data = script.data(marks);
  script.layer("{} with points pointtype 7 pointsize 1.2*mark linecolor 'white' notitle", data);
  script.layer(
      "{} with points pointtype 6 pointsize 1.2*mark linewidth 1.5 linecolor 'black' notitle",
      data);
  script.line(
      "set label {} at 0.55,100 left offset 1,0 point pointtype 6 pointsize 1.2*mark linewidth 1.5",
      literal(fmt::format("measured: Φ = {}, N = {}, scaled to 7 billion", grouped(run.parameters),
                          shown_ranks)));
}

}  // namespace

bool draw_memory(Results& results, Figure& figure, Script& script) {
  figure.title = "Model states per rank, Φ = 7 billion, N = 8";
  script.line("set title {}", literal(figure.title));
  script.line("set xrange [-1.02:3.45]");
  script.line("set yrange [0:130]");
  script.line("set xtics ('stage 0' 0, 'stage 1' 1, 'stage 2' 2, 'stage 3' 3) scale 0");
  script.line("set ylabel 'model states per rank (GB, 10⁹ bytes)'");
  script.line("unset key");
  figure.caption =
      "Bars: the formula, 16-bit numbers and Adam: parameters 2Φ, gradients 2Φ, master weights, "
      "momentum and variance 4Φ each, every one of them either whole or 1/N of it on a rank. ";
  figure.alt = "Stacked bars of 112, 38.5, 26.25 and 14 GB for stages 0 to 3.";
  draw_bars(script);
  if (const auto run = measured_run(results, shown_ranks)) {
    draw_measured(*run, figure, script);
    figure.sources.push_back(run->file);
    figure.caption += fmt::format(
        "Marks: where the parts end in a measured run of Φ = {} on 8 ranks, the bytes of all ranks "
        "times 7·10^9/(8Φ). {}",
        grouped(run->parameters), compared(figure.points));
  } else {
    figure.missing.push_back("not measured: no verify-8.json");
    figure.caption += "Not measured: the folder has no verify-8.json.";
  }
  script.plot();
  return true;
}

}  // namespace zerolab
