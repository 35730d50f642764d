// What averaging gradients does, and summing them would do.
#include <bit>
#include <cmath>

#include "experiment_file.hpp"
#include "findings.hpp"

namespace zerolab::findings {

namespace {

Evidence sum_is_larger_rate(const ExperimentFile& file) {
  const std::string sum = file.text("digest.sum"), mean = file.text("digest.mean");
  const std::string faster = file.text("digest.mean_n_times_learning_rate");
  const bool same = sum == faster && sum != mean;
  std::optional<bool> holds = same;  // otherwise the quotient is rounded, and bits may part
  if (file.ranks() == 1 || !std::has_single_bit(file.ranks())) holds.reset();
  return {"measured",
          fmt::format("parameters after {} steps of plain SGD in fp32 under --reduce exact, by "
                      "digest: gradients summed, against averaged with N times the learning rate; "
                      "right: the same bits, where N is a power of two",
                      file.whole("steps")),
          {{file.where(), same ? sum : fmt::format("{} and {}", sum, faster), holds}},
          {{file.file, "digest.{sum,mean,mean_n_times_learning_rate}"}}};
}

/// d(sum) = N·d(mean) up to roundings: the gradient's and the product's, 2⁻²⁴ of the way each, and
/// half a unit in the last place of each weight, at most 2⁻²⁴ of it, in either run; twice that
/// here.
Evidence first_step(const ExperimentFile& file) {
  const auto n = static_cast<double>(file.ranks());
  const double sum = file.number("sgd.first_step.sum"), mean = file.number("sgd.first_step.mean");
  const double norm = file.number("sgd.first_step.norm");
  const double tolerance = 0x1p-23 * (4 * n * mean + (1 + n) * norm);
  return {"measured",
          "length of the first step of plain SGD, summed over averaged; right: N, but for fp32's "
          "rounding",
          {{file.where(), fmt::format("{:.5g}", sum / mean),
            mean > 0 && std::abs(sum - n * mean) <= tolerance}},
          {{file.file, "sgd.first_step.{sum,mean,norm}"}}};
}

/// The first step is η·g/(|g| + ε), summed η·g/(|g| + ε/N); the difference is largest at
/// |g| = ε/√N. Roundings: 2⁻²⁰ of a step covers 16 operations, and a unit in the last place of the
/// weights is 2⁻²³ of them at most.
Evidence adam_hides_it(const ExperimentFile& file) {
  const double root = std::sqrt(static_cast<double>(file.ranks()));
  const double right = (root - 1) / (root + 1);
  const double rate = file.number("adam.learning_rate");
  const double difference = file.number("adam.first_step.largest_difference");
  const double rounding = 0x1p-20 * rate + 0x1p-23 * file.number("adam.first_step.largest_weight");
  return {"measured",
          fmt::format("Adam, summed against averaged: the most that a weight differs after the "
                      "first step, in learning rates; right: at most (√N−1)/(√N+1) = {:.4g}, and "
                      "that only where the gradient is as small as ε",
                      right),
          {{file.where(), fmt::format("{:.4g}", difference / rate),
            difference <= right * rate + rounding}},
          {{file.file, "adam.{learning_rate,first_step.largest_difference}"}}};
}

/// Shown: how far apart the runs end, and how many weights fp16 keeps from being equal.
Evidence in_the_end(const ExperimentFile& file) {
  Evidence evidence{"measured",
                    fmt::format("summed against averaged after {} steps (shown, not judged): "
                                "distance over the way that the average has gone; in fp16, weights "
                                "that differ from N times the learning rate, by rounding",
                                file.whole("steps")),
                    {},
                    {}};
  for (const char* optimizer : {"sgd", "adam"}) {
    const std::string path = std::string(optimizer) + ".last_step.";
    evidence.values.push_back(
        {fmt::format("{}, {}", file.where(), *optimizer == 's' ? "SGD" : "Adam"),
         fmt::format("{:.4g}", file.number(path + "difference") / file.number(path + "mean")),
         std::nullopt});
  }
  evidence.values.push_back({file.where() + ", SGD in fp16",
                             fmt::format("{} of {} weights", thin(file.whole("fp16_differing")),
                                         thin(file.whole("parameters"))),
                             std::nullopt});
  evidence.sources = {{file.file, "{sgd,adam}.last_step.{difference,mean}"},
                      {file.file, "{fp16_differing,parameters}"}};
  return evidence;
}

}  // namespace

Finding summed_gradients(const Folder& folder) {
  const ExperimentFile file{folder.results, "experiment-sums.json"};
  return decided_by(
      file, "weights of a run that sums against one that averages", 2,
      [&]() -> std::vector<Evidence> {
        return {sum_is_larger_rate(file), first_step(file), adam_hides_it(file), in_the_end(file)};
      });
}

}  // namespace zerolab::findings
