// What the memory ledgers say of activations, which no stage shards.
#include <algorithm>

#include "experiment_file.hpp"
#include "findings.hpp"
#include "zerolab/stages/stage.hpp"

namespace zerolab::findings {

namespace {

Evidence equal_activations(const Folder& folder) {
  return over_runs(
      folder, "measured",
      "peak of activations on each rank, bytes, the same in stages 0, 1, 2 and 3 (the first ranks "
      "also evaluate, in blocks of 256 test samples; the others show training alone)",
      {"stages.0.memory.per_rank[*].activations.peak",
       "stages.1.memory.per_rank[*].activations.peak",
       "stages.2.memory.per_rank[*].activations.peak",
       "stages.3.memory.per_rank[*].activations.peak"},
      [](const VerifyRun&, const std::vector<Selection>& s) {
        const bool equal = std::all_of(s.begin(), s.end(), [&](const Selection& stage) {
          return stage.wholes() == s[0].wholes();
        });
        const std::uint64_t least = s[0].wholes().back();
        return Judged{equal ? s[0].range()
                            : fmt::format("stage 0 {}, stage 3 {}", s[0].range(), s[3].range()),
                      equal && least > 0};
      },
      2);
}

const std::string peaks = "stages.3.memory.per_rank[*].activations.peak";

/// What training alone needs at most, by the formula of a run's last rank; nothing when that rank
/// evaluates too.
std::optional<std::uint64_t> needed(const VerifyRun& run) {
  const std::uint64_t samples = run.at("stages.3.test_samples").whole();
  if ((samples + Stage::evaluation_block - 1) / Stage::evaluation_block >= run.ranks) return {};
  return run.at("stages.3.memory.formula[*].activations.peak").wholes().back();
}

/// There is a run on another number of ranks with the same model and samples of a rank.
bool comparable(const Folder& folder, const VerifyRun& run) {
  return std::any_of(folder.runs.begin(), folder.runs.end(), [&](const VerifyRun& other) {
    return other.ranks != run.ranks && other.parameters == run.parameters &&
           needed(other) == needed(run);
  });
}

/// The same runs in each stage: all activations kept, then 2, 4, … segments. Of L equal units s
/// inputs of segments are kept and L/s within one are made again; the sum is least at s = √L.
Evidence recomputed_activations(const ExperimentFile& file) {
  const std::uint64_t units = file.whole("units");
  Evidence evidence{
      "measured",
      fmt::format(
          "activations at most, bytes on each rank, in a network of {} units; right: as the "
          "formula says, the same in stages 0 to 3, less where all but the inputs of "
          "segments is recomputed, of those tried least at √{} segments",
          units, units),
      {},
      {{file.file, "stages[*][*].{segments,peak,formula}"}, {file.file, "units"}}};
  const auto segments = file.at("stages[0][*].segments").wholes();
  const auto first = file.at("stages[0][*].peak[0]").wholes();
  const std::uint64_t least = first.empty() ? 0 : *std::min_element(first.begin(), first.end());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Selection found = file.at(fmt::format("stages[*][{}].peak[*]", i));
    const Selection formula = file.at(fmt::format("stages[*][{}].formula[*]", i));
    const bool equal = found.wholes().size() == 4 * file.ranks() && found.all(first[i]) &&
                       found.wholes() == formula.wholes();
    const bool kept = segments[i] == 0, fewest = segments[i] * segments[i] == units;
    const bool saves = kept ? i == 0 : first[i] < first[0];
    evidence.values.push_back(
        {fmt::format("{}, {}", file.where(),
                     kept ? "all kept" : fmt::format("{} segments", segments[i])),
         found.range(), equal && saves && (!fewest || first[i] == least)});
  }
  return evidence;
}

Evidence same_when_recomputed(const ExperimentFile& file) {
  const Selection digests = file.at("stages[*][*].digest");
  const JsonField& first = digests.fields()[0];
  const bool same =
      std::all_of(digests.fields().begin(), digests.fields().end(),
                  [&](const JsonField& digest) { return ended_alike(digest, first); });
  return {"measured",
          fmt::format("digest of the parameters after {} steps, in stages 0 to 3, activations kept "
                      "or recomputed; right: the same, and so the master weights' and moments'",
                      file.whole("steps")),
          {{file.where(), same ? first["parameters"].text() : "they differ", same}},
          {{file.file, digests.source().path + ".{parameters,master,moments,agrees,updates}"}}};
}

}  // namespace

Evidence training_activations(const Folder& folder) {
  return over_runs(folder, "measured",
                   "peak of activations in training alone, bytes on the last rank in stage 3, of "
                   "runs of one model and batch; right: as its formula says, the same for every N",
                   {peaks, "stages.3.memory.formula[*].activations.peak"},
                   [&](const VerifyRun& run, const std::vector<Selection>& s) {
                     const auto right = needed(run);
                     if (!right || !comparable(folder, run)) return Judged{};
                     const std::uint64_t peak = s[0].wholes().back();
                     return Judged{thin(peak), peak == *right};
                   });
}

Finding activations(const Folder& folder) {
  Finding finding = one(equal_activations(folder), no_ranks);
  add(finding, training_activations(folder),
      "training alone: two runs of one model and batch with a rank that evaluates nothing");
  return finding;
}

Finding activations_and_checkpointing(const Folder& folder) {
  Finding finding = one(equal_activations(folder), no_ranks);
  const ExperimentFile file{folder.results, "experiment-activations.json"};
  const Finding saved =
      decided_by(file, "what recomputing activations saves", 2, [&]() -> std::vector<Evidence> {
        return {recomputed_activations(file), same_when_recomputed(file)};
      });
  if (saved.status() == Status::not_measured) leave_undecided(finding, saved.open.back());
  finding.evidence.insert(finding.evidence.end(), saved.evidence.begin(), saved.evidence.end());
  return finding;
}

}  // namespace zerolab::findings
