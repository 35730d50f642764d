// How averaged gradients scatter around the gradient of all samples.
#include <cmath>

#include "experiment_file.hpp"
#include "findings.hpp"

namespace zerolab::findings {

namespace {

/// Of a normal distribution: beyond it on either side once in a million times.
constexpr double once_in_a_million = 4.8916;

/// One way of drawing: how many samples make a mean, and what its variance is in theory.
struct Way {
  const char* key;
  std::string at, words;
  double samples, variance;
};

struct Scatter {
  explicit Scatter(const ExperimentFile& of)
      : file(of),
        draws(static_cast<double>(file.whole("draws"))),
        excess(std::abs(file.number("single_samples.excess"))) {
    const auto n = static_cast<double>(file.ranks());
    const auto batch = static_cast<double>(file.whole("batch"));
    const auto of_all = static_cast<double>(file.whole("drawn_from"));
    // S² has size − 1 below; drawn with replacement the variance is that of the population.
    const double s2 = file.number("single_samples.variance");
    const double sigma2 = s2 * (of_all - 1) / of_all;
    ways = {{"one_rank", "one rank", "σ²/B", batch, sigma2 / batch},
            {"without_replacement", file.where() + ", without replacement", "(1 − n/M)·S²/n",
             n * batch, s2 / (n * batch) * (1 - n * batch / of_all)},
            {"all_ranks", file.where(), "σ²/(N·B)", n * batch, sigma2 / (n * batch)}};
  }

  double measured(const Way& way, const char* what) const {
    return file.number(fmt::format("{}.{}", way.key, what));
  }
  /// A sample variance over the true one, at the given normal quantile: χ²/k by Wilson and
  /// Hilferty. Means of `samples` that are not normal scatter their variance by excess/samples
  /// more, which leaves fewer degrees of freedom k.
  double bound(const Way& way, double quantile) const {
    const double k = 2 / (2 / (draws - 1) + excess / (way.samples * draws));
    return std::pow(1 - 2 / (9 * k) + quantile * std::sqrt(2 / (9 * k)), 3);
  }

  const ExperimentFile& file;
  double draws, excess;
  std::vector<Way> ways;
};

Evidence unbiased(const Scatter& scatter) {
  Evidence evidence{"measured",
                    "mean of many averaged gradients along one direction, less that of the single "
                    "samples, in standard errors; right: within ±4.9 (beyond it by chance once in "
                    "a million times; the draws are the same in every run)",
                    {},
                    {{scatter.file.file, "single_samples.mean"},
                     {scatter.file.file, "{one_rank,all_ranks,without_replacement}.mean"}}};
  const double right = scatter.file.number("single_samples.mean");
  for (const Way& way : scatter.ways) {
    const double error =
        (scatter.measured(way, "mean") - right) / std::sqrt(way.variance / scatter.draws);
    evidence.values.push_back(
        {way.at, fmt::format("{:.2f}", error), std::abs(error) <= once_in_a_million});
  }
  return evidence;
}

Evidence variances(const Scatter& scatter) {
  const Way& narrow = scatter.ways[0];  // its bounds are the widest
  Evidence evidence{
      "measured",
      fmt::format("variance of averaged gradients along one direction, over what theory says; "
                  "right: 1, by χ² between {:.2f} and {:.2f} (outside by chance twice in a million "
                  "times)",
                  scatter.bound(narrow, -once_in_a_million),
                  scatter.bound(narrow, once_in_a_million)),
      {},
      {{scatter.file.file, "single_samples.{variance,excess}"},
       {scatter.file.file, "{one_rank,all_ranks,without_replacement}.variance"}}};
  for (const Way& way : scatter.ways) {
    const double ratio = scatter.measured(way, "variance") / way.variance;
    evidence.values.push_back({way.at, fmt::format("{:.3f} · {}", ratio, way.words),
                               ratio >= scatter.bound(way, -once_in_a_million) &&
                                   ratio <= scatter.bound(way, once_in_a_million)});
  }
  return evidence;
}

Evidence against_one_rank(const Scatter& scatter) {
  const double one = scatter.measured(scatter.ways[0], "variance");
  const double all = scatter.measured(scatter.ways.back(), "variance");
  const auto n = static_cast<double>(scatter.file.ranks());
  return {"measured",
          "the same of N ranks over one rank's (shown, not judged again); 1/N, and its root 1/√N",
          {{scatter.file.where(),
            fmt::format("variance {:.3f} (1/N = {:.3f}), standard deviation {:.3f} (1/√N = {:.3f})",
                        all / one, 1 / n, std::sqrt(all / one), 1 / std::sqrt(n)),
            std::nullopt}},
          {{scatter.file.file, "{one_rank,all_ranks}.variance"}}};
}

}  // namespace

Finding averaging(const Folder& folder) {
  const ExperimentFile file{folder.results, "experiment-averaging.json"};
  return decided_by(file, "mean and variance of averaged gradients", 2,
                    [&]() -> std::vector<Evidence> {
                      const Scatter scatter(file);
                      return {variances(scatter), unbiased(scatter), against_one_rank(scatter)};
                    });
}

}  // namespace zerolab::findings
