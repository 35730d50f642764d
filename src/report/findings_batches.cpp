// Which samples ranks read, and what they end with when all read the same.
#include <map>

#include "experiment_file.hpp"
#include "findings.hpp"

namespace zerolab::findings {

namespace {

ExperimentFile batches_file(const Folder& folder) {
  return {folder.results, "experiment-batches.json"};
}

/// What each rank said of each step: [rank][step].
std::vector<std::vector<JsonField>> by_rank(const ExperimentFile& file) {
  std::vector<std::vector<JsonField>> all;
  const Selection ranks = file.at("per_rank");
  for (const JsonField& rank : ranks.field().list()) {
    all.push_back(rank.list());
    rank.require_kind(all.back().size() == all.front().size(), "as long as the others'");
  }
  ranks.field().require_kind(all.size() == file.ranks(), "a list of as many as ranks");
  return all;
}

/// How often each sample is read in steps [first, last).
std::map<std::uint64_t, std::size_t> times_read(const std::vector<std::vector<JsonField>>& ranks,
                                                std::size_t first, std::size_t last) {
  std::map<std::uint64_t, std::size_t> times;
  for (const auto& steps : ranks) {
    for (std::size_t s = first; s < last; ++s) {
      for (const JsonField& sample : steps[s]["samples"].list()) ++times[sample.whole()];
    }
  }
  return times;
}

Evidence every_sample_once(const ExperimentFile& file) {
  const auto ranks = by_rank(file);
  const std::uint64_t samples = file.whole("samples");
  std::uint64_t once = 0, others = 0;
  for (const auto& [sample, times] : times_read(ranks, 0, ranks[0].size())) {
    ++(sample < samples && times == 1 ? once : others);
  }
  return {"measured",
          "training samples that all ranks together read exactly once in one epoch; right: all",
          {{file.where(), fmt::format("{} of {}", thin(once), thin(samples)),
            once == samples && others == 0}},
          {{file.file, "per_rank[*][*].samples[*]"}, {file.file, "samples"}}};
}

Evidence same_after_each_step(const ExperimentFile& file) {
  const auto ranks = by_rank(file);
  std::size_t same = 0;
  for (std::size_t s = 0; s < ranks[0].size(); ++s) {
    bool all = true;
    for (const auto& steps : ranks) {
      for (const char* what : {"gradients", "parameters"}) {
        all &= steps[s][what].text() == ranks[0][s][what].text();
      }
    }
    same += all ? 1 : 0;
  }
  return {"measured",
          "steps after which all ranks hold the same averaged gradient and the same parameters in "
          "stage 0, by digest; right: all",
          {{file.where(), fmt::format("{} of {}", same, ranks[0].size()),
            same == ranks[0].size() && same > 0}},
          {{file.file, "per_rank[*][*].{gradients,parameters}"}}};
}

Evidence same_weights(const ExperimentFile& file) {
  Evidence evidence{"measured",
                    fmt::format("digest of the parameters after {} steps under --reduce exact, all "
                                "ranks reading the same samples; right: that of one rank alone, "
                                "and so the master weights' and moments'",
                                file.whole("steps")),
                    {{"one rank", file.text("one_rank.parameters"), std::nullopt}},
                    {{file.file, "one_rank.{parameters,master,moments,agrees,updates}"},
                     {file.file, "stages[*].{parameters,master,moments,agrees,updates}"}}};
  const JsonField alone = file.at("one_rank").field();
  const Selection stages = file.at("stages[*]");
  for (std::size_t s = 0; s < stages.fields().size(); ++s) {
    const JsonField& stage = stages.fields()[s];
    const bool same = ended_alike(stage, alone);
    evidence.values.push_back(
        {fmt::format("{}, stage {}", file.where(), s), stage["parameters"].text(), same});
  }
  return evidence;
}

Evidence same_variance(const ExperimentFile& file) {
  const double one = file.number("variance.one_rank"), all = file.number("variance.all_ranks");
  return {"measured",
          "variance of the averaged gradient along one direction over that of one rank alone, same "
          "samples on all ranks; right: 1 exactly (of different samples it would be 1/N)",
          {{file.where(), fmt::format("{:.6g}", all / one), one == all && one > 0}},
          {{file.file, "variance.{one_rank,all_ranks}"}}};
}

}  // namespace

Evidence disjoint_samples(const Folder& folder) {
  Evidence evidence{"measured",
                    "samples that more than one rank reads in the same step, or one rank twice, in "
                    "one epoch; right: 0",
                    {},
                    {}};
  const ExperimentFile file = batches_file(folder);
  if (!file.there()) return evidence;
  const auto ranks = by_rank(file);
  std::size_t shared = 0;
  for (std::size_t s = 0; s < ranks[0].size(); ++s) {
    for (const auto& [sample, times] : times_read(ranks, s, s + 1)) shared += times > 1 ? 1 : 0;
  }
  std::optional<bool> holds = shared == 0 && !ranks[0].empty();
  if (file.ranks() == 1) holds.reset();
  evidence.values.push_back(
      {file.where(), fmt::format("{} in {} steps", thin(shared), ranks[0].size()), holds});
  evidence.sources.push_back({file.file, "per_rank[*][*].samples[*]"});
  return evidence;
}

Finding batches(const Folder& folder) {
  const ExperimentFile file = batches_file(folder);
  return decided_by(file, "which samples each rank reads", 2, [&]() -> std::vector<Evidence> {
    return {disjoint_samples(folder), every_sample_once(file), same_after_each_step(file)};
  });
}

Finding identical_batches(const Folder& folder) {
  const ExperimentFile file{folder.results, "experiment-identical-batches.json"};
  return decided_by(file, "weights of ranks that all see one batch against one rank's", 2,
                    [&]() -> std::vector<Evidence> {
                      return {same_weights(file), same_variance(file)};
                    });
}

}  // namespace zerolab::findings
