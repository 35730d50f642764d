// Micro-batches: what is sent for a sample, and the memory of activations.
#include <fmt/ranges.h>

#include "experiment_file.hpp"
#include "findings.hpp"
#include "zerolab/report/fraction.hpp"

namespace zerolab::findings {

namespace {

/// Of a rank and step with k micro-batches, in Φ elements: every collective counted once.
std::uint64_t payloads(std::size_t stage, std::uint64_t k) {
  switch (stage) {
    case 0:
      return 1;
    case 1:
      return 2;
    case 2:
      return k + 1;
    default:
      return 3 * k;
  }
}

Evidence payload_of_a_sample(const ExperimentFile& file) {
  Evidence evidence{
      "measured",
      "payload of a rank for each of its samples, in 2Φ/B bytes, with k = 1, 2, 4 and "
      "8 micro-batches a step; right: 1/k, 2/k, (k+1)/k and 3 in stages 0 to 3",
      {},
      {{file.file, "stages[*][*].{accumulate,payload_bytes}"}, {file.file, "{parameters,steps}"}}};
  const std::uint64_t in_16_bits = 2 * file.whole("parameters") * file.whole("steps");
  require(in_16_bits > 0, "{}: no parameters or no steps", file.file);
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const Selection runs = file.at(fmt::format("stages[{}][*]", stage));
    std::vector<std::string> shown;
    bool holds = runs.fields().size() == 4;
    for (std::size_t i = 0; i < runs.fields().size(); ++i) {
      const std::uint64_t k = runs.fields()[i]["accumulate"].whole();
      const Selection bytes = file.at(fmt::format("stages[{}][{}].payload_bytes[*]", stage, i));
      holds &= k == std::uint64_t{1} << i && bytes.wholes().size() == file.ranks() &&
               bytes.all(payloads(stage, k) * in_16_bits);
      shown.push_back(text(Fraction(bytes.sum(), in_16_bits) / Fraction(file.ranks() * k)));
    }
    evidence.values.push_back({fmt::format("{}, stage {}", file.where(), stage),
                               fmt::format("{}", fmt::join(shown, ", ")), holds});
  }
  return evidence;
}

Evidence same_activations(const ExperimentFile& file) {
  const Selection peaks = file.at("stages[*][*].activations[*]");
  const std::uint64_t first = file.whole("stages[0][0].activations[0]");
  return {"measured",
          "activations at most, bytes on each rank, with 1 to 8 micro-batches in stages 0 to 3; "
          "right: the same in all",
          {{file.where(), peaks.range(), first > 0 && peaks.all(first)}},
          {{file.file, peaks.source().path}}};
}

}  // namespace

Finding accumulation(const Folder& folder) {
  const ExperimentFile file{folder.results, "experiment-accumulation.json"};
  return decided_by(file, "bytes for each sample against micro-batches, stage by stage", 2,
                    [&]() -> std::vector<Evidence> {
                      return {payload_of_a_sample(file), same_activations(file)};
                    });
}

}  // namespace zerolab::findings
