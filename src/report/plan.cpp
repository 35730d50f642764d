// plan: the documents' calculator and planner.
#include "plan_output.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

PlanOutput plan_output(const PlanOptions& o) {
  if (o.what == "memory") {
    const auto stages = plan_memory(o.model, o.ranks);
    return {memory_text(o, stages), memory_json(o, stages)};
  }
  if (o.what == "traffic") {
    const auto stages = plan_traffic(o.model, o.ranks);
    return {traffic_text(o, stages), traffic_json(o, stages)};
  }
  if (o.what == "time") {
    const auto cases = time_cases(o);
    return {time_text(o, cases), time_json(o, cases)};
  }
  const Fit fit = plan_fit(o.model, o.ranks, o.memory, o.activations);
  return {fit_text(o, fit), fit_json(o, fit)};
}

std::vector<TimeCase> time_cases(const PlanOptions& o) {
  const auto timed = [&](const std::optional<int>& stage, const std::string& counted,
                         const Fraction& bytes) {
    return TimedBytes{stage, counted, bytes, plan_time(bytes, o.bandwidth, o.compute, o.target)};
  };
  if (o.volume) return {{o.directions, {timed({}, "given", *o.volume)}}};
  std::vector<TimeCase> cases;
  for (const Directions directions : {Directions::one, Directions::both}) {
    if (o.directions.value_or(directions) != directions) continue;
    const Fraction factor(directions == Directions::one ? 1 : 2);
    TimeCase all{directions, {}};
    for (const StageTraffic& s : plan_traffic(o.model, o.ranks)) {
      if (o.stage.value_or(s.stage) != s.stage) continue;
      const bool same = s.payload == s.wire;
      all.lines.push_back(timed(s.stage, same ? "payload, wire" : "payload", factor * s.payload));
      if (!same) all.lines.push_back(timed(s.stage, "wire", factor * s.wire));
    }
    cases.push_back(std::move(all));
  }
  return cases;
}

int plan_command(const PlanOptions& options) {
  if (!options.json.empty() && !options.json_only()) check_writable(options.json);
  const PlanOutput output = plan_output(options);
  if (!options.json_only()) write_file("-", output.text);
  if (!options.json.empty()) write_file(options.json, output.json.dump(2) + "\n");
  return 0;
}

}  // namespace zerolab
