// What optimizer states in 16 bits lose.
#include <algorithm>

#include "experiment_file.hpp"
#include "findings.hpp"

namespace zerolab::findings {

namespace {

/// The runs in one precision: states in fp32, master weights rounded, all states rounded.
struct Runs {
  std::string precision;
  double learning_rate;
  JsonField fp32, master, all;

  std::string in_fp32() const { return precision + " parameters, states in fp32"; }
  std::string in_16_bits(const char* states) const {
    return fmt::format("{} in {}", states, precision);
  }
  static std::vector<Runs> of(const ExperimentFile& file) {
    std::vector<Runs> found;
    const Selection precisions = file.at("precisions[*]");
    for (const JsonField& one : precisions.fields()) {
      const auto runs = one["runs"].list();
      one.require_kind(runs.size() == 3, "of three runs");
      found.push_back(
          {one["precision"].text(), one["learning_rate"].number(), runs[0], runs[1], runs[2]});
    }
    return found;
  }
};

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.3g} %", 100 * static_cast<double>(part) /
                                     static_cast<double>(std::max(whole, std::uint64_t{1})));
}

/// Numbers of 16 bits lie 2¹³ times (fp16) or 2¹⁶ times (bf16) as far apart as those of fp32, so
/// many times smaller are the updates that fp32 loses.
Evidence lost_updates(const ExperimentFile& file) {
  Evidence evidence{"measured",
                    "updates by Adam that leave a weight as it was, of those that are not 0, with "
                    "master weights in fp32 and rounded to 16 bits",
                    {},
                    {{file.file, "precisions[*].runs[*].{lost_updates,updates}"},
                     {file.file, "precisions[*].learning_rate"}}};
  for (const Runs& runs : Runs::of(file)) {
    evidence.what += fmt::format(", {} at learning rate {:g}", runs.precision, runs.learning_rate);
    const auto lost = [](const JsonField& run) { return run["lost_updates"].whole(); };
    const auto updates = [](const JsonField& run) { return run["updates"].whole(); };
    evidence.values.push_back(
        {runs.in_fp32(), percent(lost(runs.fp32), updates(runs.fp32)), std::nullopt});
    evidence.values.push_back(
        {runs.in_16_bits("master weights"), percent(lost(runs.master), updates(runs.master)),
         lost(runs.master) * updates(runs.fp32) > lost(runs.fp32) * updates(runs.master)});
  }
  evidence.what += "; right: more than in fp32";
  return evidence;
}

Evidence weights_out_of_reach(const ExperimentFile& file) {
  Evidence evidence{
      "measured",
      fmt::format("weights so large that the most Adam can move in a step is less than half of the "
                  "way to the next number of 16 bits, and that have moved after {} steps; right: "
                  "none with master weights in 16 bits, but some with fp32",
                  file.whole("steps")),
      {},
      {{file.file, "precisions[*].runs[*].{out_of_reach,out_of_reach_moved}"}}};
  for (const Runs& runs : Runs::of(file)) {
    for (const JsonField* run : {&runs.fp32, &runs.master}) {
      const std::uint64_t all = (*run)["out_of_reach"].whole();
      const std::uint64_t moved = (*run)["out_of_reach_moved"].whole();
      const bool fp32 = run == &runs.fp32;
      evidence.values.push_back({fp32 ? runs.in_fp32() : runs.in_16_bits("master weights"),
                                 fmt::format("{} of {}", thin(moved), thin(all)),
                                 all > 0 && (fp32 ? moved > 0 : moved == 0)});
    }
  }
  return evidence;
}

/// A loss that is not finite is null.
std::string loss(const JsonField& run) {
  return run["last_loss"].is_null() ? "not finite"
                                    : fmt::format("{:.4f}", run["last_loss"].number());
}

Evidence losses(const ExperimentFile& file) {
  Evidence evidence{"measured",
                    fmt::format("loss over all samples after {} steps; right: with master weights "
                                "in 16 bits it has fallen less than with fp32 (all states in 16 "
                                "bits: shown, not judged, since too large steps may lead anywhere)",
                                file.whole("steps")),
                    {},
                    {{file.file, "precisions[*].runs[*].{first_loss,last_loss}"}}};
  for (const Runs& runs : Runs::of(file)) {
    const double before = runs.fp32["first_loss"].number(), after = runs.fp32["last_loss"].number();
    evidence.values.push_back(
        {runs.in_fp32(), fmt::format("{:.4f} → {}", before, loss(runs.fp32)), after < before});
    evidence.values.push_back(
        {runs.in_16_bits("master weights"), loss(runs.master),
         runs.master["last_loss"].is_null() || runs.master["last_loss"].number() > after});
    evidence.values.push_back({runs.in_16_bits("all states"), loss(runs.all), std::nullopt});
  }
  return evidence;
}

/// (1−β₂)g² below 2⁻²⁵ is 0 in fp16, for any |g| below 0.0054; bf16 has the exponents of fp32.
Evidence zero_variances(const ExperimentFile& file) {
  Evidence evidence{"measured",
                    "variances that round to 0, after which ε alone divides, in all updates with "
                    "all states in 16 bits; right: some in fp16, none in bf16",
                    {},
                    {{file.file, "precisions[*].runs[*].{zero_variances,updates}"}}};
  for (const Runs& runs : Runs::of(file)) {
    const std::uint64_t zeros = runs.all["zero_variances"].whole();
    evidence.values.push_back(
        {runs.precision, fmt::format("{} of {}", thin(zeros), thin(runs.all["updates"].whole())),
         runs.precision == "fp16" ? zeros > 0 : zeros == 0});
  }
  return evidence;
}

constexpr const char* share_lost = "the share of updates that round to nothing with 16-bit states";

}  // namespace

Finding without_master_copy(const Folder& folder) {
  const ExperimentFile file{folder.results, "experiment-states.json"};
  return decided_by(file, share_lost, 1, [&]() -> std::vector<Evidence> {
    return {lost_updates(file), weights_out_of_reach(file)};
  });
}

Finding states_in_16_bits(const Folder& folder) {
  const ExperimentFile file{folder.results, "experiment-states.json"};
  return decided_by(file, share_lost, 1, [&]() -> std::vector<Evidence> {
    return {lost_updates(file), weights_out_of_reach(file), losses(file), zero_variances(file)};
  });
}

}  // namespace zerolab::findings
