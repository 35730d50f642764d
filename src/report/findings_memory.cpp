// What the memory ledgers say of all ranks together, which ragged shards do not round.
#include <algorithm>

#include "findings.hpp"

namespace zerolab::findings {

Finding cluster_total(const Folder& folder) {
  Finding finding;
  for (const int stage : {3, 0}) {
    add(finding,
        over_runs(
            folder, "measured",
            fmt::format("model state of all ranks together in stage {}, bytes; right: {}", stage,
                        stage == 3 ? "16Φ" : "16ΦN"),
            {state(std::to_string(stage))},
            [stage](const VerifyRun& run, const std::vector<Selection>& s) {
              return Judged{
                  fmt::format("{} = {}Φ", thin(s[0].sum()), times(s[0].sum(), run.parameters)),
                  s[0].sum() == right_state(run, stage) && own_shares(run, stage, all_states)};
            },
            2),
        stage == 3 ? no_ranks : "");
  }
  return finding;
}

Finding cluster_total_of_stage_0(const Folder& folder) {
  Finding both = cluster_total(folder);
  if (both.evidence.size() == 2) both.evidence.erase(both.evidence.begin());
  return both;
}

Finding copies_of_stage_0(const Folder& folder) {
  return one(
      over_runs(
          folder, "measured",
          "model state of all ranks in stage 0 over that of one rank: whole copies; right: N, so 8 "
          "ranks of 2800 GB hold 22 400 GB",
          {state("0"),
           "stages.0.memory.per_rank[0].{parameters,gradients,master,momentum,variance}.now"},
          [](const VerifyRun& run, const std::vector<Selection>& s) {
            return Judged{exact_ratio(s[0].sum(), s[1].sum()),
                          s[0].sum() == right_state(run, 0) && own_shares(run, 0, all_states)};
          },
          2),
      no_ranks);
}

Evidence released_parameters(const Folder& folder) {
  return over_runs(
      folder, "measured",
      "parameters of all ranks in stage 3 after the last step, bytes; right: 2Φ, so all that was "
      "gathered is released",
      {held("3", "parameters")},
      [](const VerifyRun& run, const std::vector<Selection>& s) {
        return Judged{thin(s[0].sum()),
                      s[0].sum() == 2 * run.parameters && own_shares(run, 3, "parameters")};
      },
      2);
}

Finding gathered_unit(const Folder& folder) {
  Finding finding;
  add(finding,
      over_runs(
          folder, "measured",
          "gathered parameters at most on each rank in stage 3, bytes (peak less shard); "
          "right: the largest unit, and so not less than 2Φ over the number of units",
          {"stages.3.memory.per_rank[*].parameters.peak", held("3", "parameters"),
           "stages.3.memory.formula[*].parameters.{now,peak}"},
          [](const VerifyRun& run, const std::vector<Selection>& s) {
            const auto peaks = s[0].wholes(), shards = s[1].wholes(), formula = s[2].wholes();
            const std::uint64_t unit = formula[1] - std::min(formula[0], formula[1]);
            bool holds = unit <= 2 * run.parameters && unit >= 2 * run.parameters / units_of(run);
            std::uint64_t most = 0;
            for (std::size_t r = 0; r < run.ranks; ++r) {
              const std::uint64_t gathered = peaks[r] - std::min(peaks[r], shards[r]);
              most = std::max(most, gathered);
              holds &= gathered == unit;
            }
            return Judged{thin(most), holds};
          },
          2),
      no_ranks);
  add(finding, released_parameters(folder), "");
  add_part(finding, prefetched_units(folder));
  return finding;
}

Finding twice_the_ranks(const Folder& folder) {
  Finding finding;
  add(finding,
      over_runs(
          folder, "measured",
          "model state of a rank in stage 3 on N/2 ranks over N, means in bytes; right: 2",
          {state("3")},
          [&](const VerifyRun& run, const std::vector<Selection>& s) {
            const VerifyRun* half = run.ranks % 2 == 0 ? folder.run(run.ranks / 2) : nullptr;
            if (half == nullptr || half->parameters != run.parameters) return Judged{};
            const std::uint64_t before = half->at(state("3")).sum(), now = s[0].sum();
            return Judged{fmt::format("{} → {}, {} times less", thin(before / half->ranks),
                                      thin(now / run.ranks), exact_ratio(2 * before, now)),
                          before == now && own_shares(*half, 3, all_states) &&
                              own_shares(run, 3, all_states)};
          },
          2),
      "runs on N and on 2N ranks (verify-N.json)");
  add(finding, training_activations(folder),
      "activations: two runs of one model and batch with a rank that evaluates nothing");
  return finding;
}

Finding one_rank(const Folder& folder) {
  Finding finding;
  const VerifyRun* run = folder.run(1);
  if (run == nullptr) {
    finding.open.emplace_back("a run on one rank (verify-1.json)");
    return finding;
  }
  Evidence memory{"measured", "model state in bytes; right: 16Φ in every stage", {}, {}};
  Evidence ring{
      "ring model", "bytes moved in all steps, 0 by definition (shown, not judged)", {}, {}};
  Evidence bits{"measured", "digest of the parameters; right: one for all stages", {}, {}};
  const bool same = same_bits(*run);
  for (int stage = 0; stage < 4; ++stage) {
    const std::string s = std::to_string(stage), at = "stage " + s;
    const std::uint64_t held_here = run->at(state(s)).sum();
    const std::uint64_t moved = run->at(sent(s, "ring_bytes")).sum();
    memory.values.push_back(
        {at, fmt::format("{} = {}Φ", thin(held_here), times(held_here, run->parameters)),
         held_here == 16 * run->parameters});
    ring.values.push_back({at, thin(moved), std::nullopt});
    bits.values.push_back({at, digest_of(*run, stage), same});
  }
  memory.sources = {{run->file, state("{0,1,2,3}")}};
  ring.sources = {{run->file, sent("{0,1,2,3}", "ring_bytes")}};
  bits.sources = {{run->file, "stages.{0,1,2,3}.digest.{parameters,master,moments}"},
                  {run->file, "agree"}};
  finding.evidence = {memory, bits};
  if (!add_counted_alone(folder, finding)) finding.evidence.push_back(std::move(ring));
  return finding;
}

}  // namespace zerolab::findings
