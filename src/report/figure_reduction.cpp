// F3: by how much each stage reduces the model states of a rank.
#include "figure_script.hpp"
#include "zerolab/report/cost_model.hpp"
#include "zerolab/report/measured.hpp"

namespace zerolab {

namespace {

/// Stage 0's bytes over this stage's, all ranks together, at every N with a file.
void draw_measured(int stage, const std::vector<MeasuredRun>& runs, Figure& figure,
                   Script& script) {
  std::vector<Row> marks;
  for (const MeasuredRun& run : runs) {
    if (!run.stages.contains(0) || !run.stages.contains(stage)) continue;
    const std::uint64_t counted = run.stages.at(stage).state_sum();
    std::uint64_t formula = 0;
    for (const Category c : model_state) {
      formula += state_closed_form(stage, c, run.parameters, run.ranks);
    }
    const double factor =
        static_cast<double>(run.stages.at(0).state_sum()) / static_cast<double>(counted);
    const auto n = static_cast<double>(run.ranks);
    figure.points.push_back({fmt::format("stage {}", stage), n, factor, counted, formula});
    marks.push_back({n, factor});
  }
  if (marks.empty()) return;
  const StageStyle style = style_of_stage(stage);
  script.layer(
      "{} with points pointtype {} pointsize 1.2*mark linecolor '{}' title 'stage {}, measured'",
      script.data(marks), style.filled, style.color, stage);
}

}  // namespace

bool draw_reduction(Results& results, Figure& figure, Script& script) {
  figure.title = "Model states of a rank: reduction against stage 0";
  figure.alt =
      "Stage 1 flattens below 4, stage 2 below 8, stage 3 is the straight line N, without a "
      "ceiling.";
  script.line("set title {}", literal(figure.title));
  ranks_axis(script);
  script.line("set logscale y 2");
  script.line("set yrange [0.9:80]");
  script.line("set ytics (1, 2, 4, 8, 16, 32, 64)");
  script.line("set ylabel 'reduction factor 16N/(aN + b)'");
  script.line("set key top left reverse Left");
  const std::vector<MeasuredRun> runs = shown_runs(results, {0, 1, 2, 3}, figure);
  script.layer("{} with lines linewidth 6 linecolor '#CCCCCC' title 'straight line N'",
               over_ranks(script, [](double n) { return n; }));
  for (int stage = 1; stage < 4; ++stage) {
    const StateBytes bytes = state_bytes(Job{}, stage);
    const auto a = static_cast<double>(bytes.full), b = static_cast<double>(bytes.sharded);
    const StageStyle style = style_of_stage(stage);
    script.layer("{} with lines linewidth 2 dashtype {} linecolor '{}' title 'stage {}, formula'",
                 over_ranks(script, [&](double n) { return 16 * n / (a * n + b); }), style.dash,
                 style.color, stage);
    if (bytes.full == 0) continue;  // no ceiling
    const double ceiling = 16 / a;
    script.layer("{} with lines linewidth 1.5 dashtype 3 linecolor '{}' notitle",
                 over_ranks(script, [&](double) { return ceiling; }), style.color);
    script.line("set label 'ceiling {}, stage {}' at 1.05,{}*1.12", ceiling, stage, ceiling);
  }
  for (int stage = 1; stage < 4; ++stage) draw_measured(stage, runs, figure, script);
  figure.caption =
      "Lines: the formula 16N/(aN + b) for aΦ + bΦ/N bytes per rank. With a = 4 (stage 1) and a = "
      "2 "
      "(stage 2) it cannot pass 16/a; with a = 0 (stage 3) it is N itself. ";
  figure.caption += "Marks: stage 0's model states over the stage's, bytes of all ranks. " +
                    compared(figure.points);
  script.plot();
  return true;
}

}  // namespace zerolab
