// Exercises 5.2 and 5.3: what bandwidth does to efficiency.
#include "figure_script.hpp"
#include "simulated_network.hpp"
#include "zerolab/report/cost_model.hpp"

namespace zerolab {

namespace {

constexpr double parameters = 175e9, compute_seconds = 10, linked = 300, giga = 1e9;
constexpr std::size_t ranks = 64;

/// One of the two systems: 2-byte numbers, payload convention, sent and received.
struct System {
  int stage;
  double gigabytes;

  explicit System(int s) : stage(s) {
    Job job;
    job.reduce = ReduceMode::mpi;
    gigabytes = 2 * 2 * parameters * static_cast<double>(volume(job, s, ranks).payload) *
                (ranks - 1.0) / ranks / giga;
  }
  double percent(double gigabytes_per_second) const {
    return 100 * compute_seconds / (compute_seconds + gigabytes / gigabytes_per_second);
  }
  /// GB/s for a share of the time spent computing, one after the other.
  double needed(double share) const { return gigabytes / (compute_seconds * (1 - share) / share); }
};

void draw(const System& system, Script& script) {
  const char* const color = style_of_stage(system.stage).color;
  const StageStyle style = style_of_stage(system.stage);
  const double c = system.gigabytes, t = compute_seconds;
  script.layer(
      "100*{0}/({0}+{1}/x) with lines linewidth 2.5 dashtype 1 linecolor '{2}' title "
      "'stage {3}, one after the other'",
      t, c, color, system.stage);
  script.layer(
      "(x*{0}>{1} ? 100 : 100*{0}*x/{1}) with lines linewidth 1.5 dashtype 2 linecolor "
      "'{2}' title 'stage {3}, fully overlapped'",
      t, c, color, system.stage);
  const double here = system.percent(linked), needed = system.needed(0.8);
  const std::string marks = script.data({{linked, here}});
  script.layer("{} with points pointtype {} pointsize 1.4*mark linecolor '{}' notitle", marks,
               style.filled, color);
  script.line("set label '{:.1f} %' at {},{} left front", here, linked * 1.06, here - 4.5);
  script.layer(
      "{} with points pointtype {} pointsize 1.4*mark linewidth 1.5 linecolor '{}' notitle",
      script.data({{needed, 80}}), style.hollow, color);
  const bool left = system.stage == 0;
  script.line("set label '{:.1f} GB/s' at {},{} {} front", needed, needed * (left ? 0.96 : 1.06),
              left ? 88 : 77, left ? "center" : "left");
}

/// Share of a simulated step that is computation, where the exercise's cluster would have it: at
/// the bandwidth that makes its c as long beside 10 s as the job's is beside its computation.
FigurePoint point_of(const SimulatedStep& job, const std::string& series) {
  const double there = System(job.stage).gigabytes * (job.stage == 0 ? 2 : 1);
  const double bandwidth = there / compute_seconds * job.compute / job.ring_seconds();
  return {series, bandwidth, 100 * job.compute / job.step, job.ring, job.ring_formula()};
}

/// Marks over the curves, and the curve on which stage 0 is measured.
void draw_simulated(Results& results, Figure& figure, Script& script) {
  if (results.json(network_file) == nullptr) {
    figure.missing.push_back(fmt::format("not measured: no {}", network_file));
    return;
  }
  figure.sources.emplace_back(network_file);
  std::map<std::string, std::vector<Row>> marks;
  for (const char* list : {"exercise", "overlap"}) {
    for (const SimulatedStep& job : simulated_steps(results, list)) {
      const std::string series =
          fmt::format("stage {}, simulated{}", job.stage, job.overlap ? ", overlapped" : "");
      figure.points.push_back(point_of(job, series));
      marks[series].push_back({figure.points.back().x, figure.points.back().y});
    }
  }
  const StageStyle plain = style_of_stage(0);
  script.layer(
      "100*{0}/({0}+{1}/x) with lines linewidth 1.5 dashtype 4 linecolor '{2}' title 'stage 0, "
      "its all-reduce as two rings'",
      compute_seconds, 2 * System(0).gigabytes, plain.color);
  for (const auto& [series, rows] : marks) {
    const bool stage_0 = series.starts_with("stage 0"), overlapped = series.ends_with("overlapped");
    const StageStyle style = style_of_stage(stage_0 ? 0 : 3);
    script.layer(
        "{} with points pointtype {} pointsize 1.2*mark linewidth 2 linecolor '{}' title '{}'",
        script.data(rows), overlapped ? 1 : 2, style.color, series);
  }
}

}  // namespace

bool draw_efficiency(Results& results, Figure& figure, Script& script) {
  const System data_parallel(0), stage3(3);
  figure.title = "Efficiency against bandwidth, Φ = 175 billion, N = 64";
  figure.alt = fmt::format("Stage 0 lies above stage 3: at 300 GB/s {:.1f} % against {:.1f} %.",
                           data_parallel.percent(linked), stage3.percent(linked));
  figure.caption = fmt::format(
      "All of it is formula, nothing is measured: volume C in payloads, sent and received, {} GB "
      "in "
      "stage 0 and {} GB in stage 3; efficiency 10 s / (10 s + C/B) one after the other, and 10 s "
      "/ "
      "max(10 s, C/B) when communication hides behind computing entirely. With C rounded to 2.06 "
      "TB "
      "stage 3 reads 59.3 % at 300 GB/s and needs 824 GB/s for 80 %.",
      data_parallel.gigabytes, stage3.gigabytes);
  script.line("set title {}", literal(figure.title));
  script.line("set logscale x 10");
  script.line("set xrange [20:4000]");
  script.line("set xtics (20, 50, 100, 200, 300, 500, 1000, 2000, 4000)");
  script.line("set yrange [0:105]");
  script.line("set xlabel 'bandwidth B of a rank (GB/s)'");
  script.line("set ylabel 'share of the step spent computing (%)'");
  script.line("set key bottom right reverse Left");
  script.line("set arrow from {0},0 to {0},{1} nohead dashtype 3 linecolor '#888888'", linked,
              data_parallel.percent(linked));
  script.layer("80 with lines linewidth 1.5 dashtype 3 linecolor '#555555' title '80 %'");
  for (const System& system : {data_parallel, stage3}) draw(system, script);
  draw_simulated(results, figure, script);
  if (!figure.points.empty()) {
    figure.caption.replace(
        0, figure.caption.find(':'),
        "Lines and round or square marks are formula; crosses are steps on SimGrid's simulated "
        "clusters, a small model with bandwidth and flops divided as Φ is. Stage 0 measures what "
        "its all-reduce sends, two rings");
  }
  script.plot();
  return true;
}

}  // namespace zerolab
