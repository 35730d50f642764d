// What simulated clusters say of a step over a fast network and over a slow one.
#include <algorithm>

#include "findings.hpp"
#include "simulated_network.hpp"

namespace zerolab::findings {

namespace {

constexpr const char *fast = "nvlink-300g", *slow = "ethernet-10g";

Evidence simulated(std::string what) {
  return {"simulated", std::move(what), {}, {}};
}

std::string milliseconds(double seconds) {
  return fmt::format("{:.5g} ms", 1e3 * seconds);
}

std::string between(const Range& range, double factor, const char* unit) {
  return fmt::format("formula {:.4g}{} to {:.4g}{}", factor * range.least, unit,
                     factor * range.most, unit);
}

Source times_of(const SimulatedStep& job) {
  return {job.source.file,
          job.source.path + ".{step_seconds,compute_seconds,communication_seconds}"};
}

/// Step of stage 3 over another's on one cluster: both lengthened by the same scalars.
struct Ratio {
  const SimulatedStep &above, &below;

  double measured() const { return above.step / below.step; }
  Range formula() const {
    const Range a = above.step_formula(), b = below.step_formula();
    const double one = a.least / b.least, other = a.most / b.most;
    return {std::min(one, other), std::max(one, other)};
  }
  bool holds() const {
    return above.as_formula() && below.as_formula() && formula().has(measured());
  }
  Value value(bool also) const {
    return {fmt::format("{}, N = {}", above.network(), above.ranks),
            fmt::format("{} over {} = {:.4g} ({})", milliseconds(above.step),
                        milliseconds(below.step), measured(), between(formula(), 1, "")),
            holds() && also};
  }
};

Evidence ratios(const std::vector<SimulatedStep>& jobs, int below, std::string what) {
  Evidence evidence = simulated(std::move(what));
  std::vector<double> found;
  for (const char* platform : {fast, slow}) {
    const Ratio ratio{job_of(jobs, platform, 3), job_of(jobs, platform, below)};
    found.push_back(ratio.measured());
    const bool equal = Range{1, 1}.has(ratio.measured());
    const bool slower = ratio.measured() > 1 && ratio.measured() >= found[0];
    evidence.values.push_back(ratio.value(below == 1 ? equal : slower));
    for (const SimulatedStep* job : {&ratio.above, &ratio.below}) {
      evidence.sources.push_back(times_of(*job));
    }
  }
  return evidence;
}

}  // namespace

std::string not_simulated(const char* what) {
  return fmt::format("{} (not run: SimGrid missing, or no {} in the folder)", what, network_file);
}

Finding fast_and_slow_network(const Folder& folder) {
  if (!folder.has(network_file)) {
    return {{}, {not_simulated("steps of stages 1 and 3 on a fast and on a slow network")}};
  }
  const auto jobs = simulated_steps(folder.results, "networks");
  Finding finding;
  finding.evidence.push_back(ratios(
      jobs, 1,
      "step of stage 3 over stage 1, which all-reduces gradients and gathers parameters; right: 1, "
      "for a ring sends 6Φ(N−1)/N in both"));
  finding.evidence.push_back(ratios(
      jobs, 2,
      "step of stage 3 over one that reduce-scatters gradients and gathers parameters, as ZeRO's "
      "own stage 1 does, 4Φ(N−1)/N (stage 2 sends that here); right: above 1, more on the slow "
      "network"));
  return finding;
}

Finding links(const Folder& folder) {
  if (!folder.has(network_file)) {
    return {{}, {not_simulated("steps of stage 3 over 300 GB/s and over 10 Gb/s")}};
  }
  const auto jobs = simulated_steps(folder.results, "networks");
  Evidence evidence = simulated(
      "share of a step of stage 3 spent communicating; right: (step − t)/step "
      "of the formula, most of it over 10 Gb/s and little over 300 GB/s");
  for (const char* platform : {fast, slow}) {
    const SimulatedStep& job = job_of(jobs, platform, 3);
    const Range step = job.step_formula();
    const double t = job.compute_formula(), share = job.communication / job.step;
    const Range formula{1 - t / step.least, 1 - t / step.most};
    const bool as_claimed = platform == fast ? share < 0.5 : share > 0.5;
    evidence.values.push_back(
        {fmt::format("{}, N = {}", job.network(), job.ranks),
         fmt::format("{} of {} = {:.3g} % ({})", milliseconds(job.communication),
                     milliseconds(job.step), 100 * share, between(formula, 100, " %")),
         job.as_formula() && formula.has(share) && as_claimed});
    evidence.sources.push_back(times_of(job));
  }
  return one(std::move(evidence));
}

}  // namespace zerolab::findings
