// Units with fewer parameters than ranks.
#include <fmt/ranges.h>

#include <algorithm>

#include "experiment_file.hpp"
#include "findings.hpp"

namespace zerolab::findings {

namespace {

Evidence shards_of_small_units(const ExperimentFile& file) {
  Evidence evidence{
      "measured",
      "parameters that each rank holds of a unit with fewer than ranks, in stage 3, "
      "and how many of them training has changed; right: 1 on the first ranks, 0 on "
      "the others, and at least 1 changed",
      {},
      {{file.file, "units[*].parameters"}, {file.file, "shards[*][*]"}, {file.file, "moved[*]"}}};
  const auto units = file.at("units[*].parameters").wholes();
  for (std::size_t l = 0; l < units.size(); ++l) {
    if (units[l] >= file.ranks()) continue;
    const auto shards = file.at(fmt::format("shards[*][{}]", l)).wholes();
    const std::uint64_t moved = file.whole(fmt::format("moved[{}]", l));
    bool holds = shards.size() == file.ranks() && moved > 0;
    for (std::size_t r = 0; r < shards.size(); ++r) holds &= shards[r] == (r < units[l] ? 1U : 0U);
    evidence.values.push_back({fmt::format("{}, unit {}, {} parameters", file.where(), l, units[l]),
                               fmt::format("{}; {} changed", fmt::join(shards, ", "), moved),
                               holds});
  }
  return evidence;
}

Evidence same_in_all_stages(const ExperimentFile& file) {
  const Selection stages = file.at("stages[*]");
  bool same = stages.fields().size() == 4;
  std::vector<std::string> shown;
  for (const JsonField& stage : stages.fields()) {
    same &= ended_alike(stage, stages.fields()[0]);
    const std::string digest = stage["parameters"].text();
    if (std::find(shown.begin(), shown.end(), digest) == shown.end()) shown.push_back(digest);
  }
  return {"measured",
          fmt::format("digest of the parameters after {} steps with empty shards, the same in "
                      "stages 0 to 3, with those of master weights and moments",
                      file.whole("steps")),
          {{file.where(), fmt::format("{}", fmt::join(shown, " and ")), same}},
          {{file.file, "stages[*].{parameters,master,moments,agrees,updates}"}}};
}

}  // namespace

Finding empty_shards(const Folder& folder) {
  const ExperimentFile file{folder.results, "experiment-empty-shards.json"};
  const std::string what = "training with fewer parameters in a unit than ranks";
  return decided_by(file, what, 3, [&]() -> std::vector<Evidence> {
    const Evidence shards = shards_of_small_units(file);
    if (shards.values.empty()) return {};
    return {shards, same_in_all_stages(file)};
  });
}

}  // namespace zerolab::findings
