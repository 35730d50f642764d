// What digests and self-tests say.
#include <algorithm>

#include "findings.hpp"

namespace zerolab::findings {

namespace {

Evidence digests(const Folder& folder, const std::string& what) {
  return over_runs(
      folder, "measured", what,
      {"stages.{0,1,2,3}.digest.{parameters,master,moments}", "stages.{0,1,2,3}.digest_agrees",
       "agree"},
      [](const VerifyRun& run, const std::vector<Selection>&) {
        const bool same = same_bits(run);
        const std::string first = digest_of(run, 0), last = digest_of(run, 3);
        return Judged{same || first == last ? first : first + " and " + last, same};
      },
      2);
}

/// Self-tests of doctor by name, each right on all ranks. One rank alone has nothing to add up.
Evidence self_tests(const Folder& folder, const std::string& what,
                    const std::vector<std::string>& names) {
  Evidence evidence{"self-test", what + "; not judged on one rank", {}, {}};
  if (!folder.has("doctor.json")) return evidence;
  const Selection all(folder.results, {"doctor.json", "self_tests[*]"});
  for (const std::string& name : names) {
    for (std::size_t i = 0; i < all.fields().size(); ++i) {
      const JsonField& test = all.fields()[i];
      if (test["what"].text() != name) continue;
      const std::uint64_t right = test["right"].whole(), ranks = test["ranks"].whole();
      std::optional<bool> holds = right == ranks && ranks > 0;
      if (right == ranks && ranks == 1) holds.reset();
      evidence.values.push_back(
          {name, fmt::format("right on {} of {} ranks", right, ranks), holds});
      evidence.sources.push_back(
          {"doctor.json", fmt::format("self_tests[{}].{{what,right,ranks}}", i)});
    }
  }
  return evidence;
}
}  // namespace

Finding collectives(const Folder& folder) {
  const std::vector<std::string> names{"MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Allgather(v)"};
  const Evidence tests = self_tests(
      folder, "what each rank holds afterwards, against plain loops on known vectors", names);
  const bool decided = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::any_of(tests.values.begin(), tests.values.end(), [&](const Value& value) {
      return value.at == name && value.holds.has_value();
    });
  });
  Finding finding;
  add(finding, tests, "");
  add(finding,
      over_runs(
          folder, "measured",
          "gradients kept by all ranks, in Φ: after the all-reduce of stage 0 and the "
          "reduce-scatter of stage 2; right: 2N (everywhere all) and 2 (everywhere a shard)",
          {held("0", "gradients"), held("2", "gradients")},
          [](const VerifyRun& run, const std::vector<Selection>& s) {
            const std::uint64_t phi = run.parameters;
            return Judged{
                fmt::format("{} and {}", times(s[0].sum(), phi), times(s[1].sum(), phi)),
                s[0].all(2 * phi) && s[1].sum() == 2 * phi && own_shares(run, 2, "gradients")};
          },
          2),
      "");
  if (!decided) {
    leave_undecided(finding,
                    "self-tests of all three collectives on two ranks or more (doctor.json)");
  }
  return finding;
}

Finding every_layer_on_every_rank(const Folder& folder) {
  Finding finding;
  add(finding,
      over_runs(
          folder, "measured",
          "parameters that each rank gathers for a step of stage 3, elements; right: 2Φ, the "
          "whole model forward and backward",
          {sent("3", "allgather", "elements")},
          [](const VerifyRun& run, const std::vector<Selection>& s) {
            return Judged{fmt::format("{} in {} steps, {}Φ in each", s[0].range(), run.steps,
                                      times(s[0].sum(), run.ranks * run.steps * run.parameters)),
                          s[0].all(2 * run.parameters * run.steps)};
          },
          2),
      "");
  add(finding, digests(folder, "digest of the parameters, the same in stages 0, 1, 2 and 3"), "");
  const bool decided = !finding.evidence.empty();
  add(finding, disjoint_samples(folder), "the samples of each rank (TF1)");
  if (!decided) leave_undecided(finding, no_ranks);
  return finding;
}

Finding same_model(const Folder& folder) {
  Finding finding;
  add(finding,
      digests(folder,
              "digest of the parameters under --reduce exact, the same in stages 0, 1, 2 and 3 and "
              "on all ranks, with those of master weights and moments"),
      no_ranks);
  add_part(finding, order_of_sums(folder));
  return finding;
}

Finding sharded_adam(const Folder& folder) {
  Finding finding;
  add(finding,
      over_runs(
          folder, "measured",
          "digest of momentum and variance, of stage 0 (Adam on the whole) and stage 1 (each "
          "rank on its shard); right: the same, and so the master weights'",
          {"stages.{0,1}.digest.moments", "stages.{0,1}.digest.master"},
          [](const VerifyRun&, const std::vector<Selection>& s) {
            const std::string whole = s[0].fields()[0].text(), shards = s[0].fields()[1].text();
            const bool same = whole == shards && s[1].fields()[0].text() == s[1].fields()[1].text();
            return Judged{whole == shards ? whole : whole + " and " + shards, same};
          },
          2),
      no_ranks);
  return finding;
}

Finding ragged_shards(const Folder& folder) {
  Finding finding;
  add(finding,
      over_runs(
          folder, "measured",
          "parameters of a rank in stage 3, bytes, where ranks differ; right: 2Φ together, "
          "and the same bits in all stages",
          {held("3", "parameters"), "stages.{0,1,2,3}.digest.{parameters,master,moments}"},
          [](const VerifyRun& run, const std::vector<Selection>& s) {
            if (s[0].all(s[0].wholes()[0])) return Judged{};  // no unit is ragged here
            return Judged{s[0].range(), s[0].sum() == 2 * run.parameters &&
                                            own_shares(run, 3, "parameters") && same_bits(run)};
          },
          2),
      "no verify-N.json has ranks with shards of different sizes");
  add(finding,
      self_tests(folder, "collectives with nothing from some ranks",
                 {"MPI_Reduce_scatter, counts of 0", "MPI_Allgatherv, counts of 0"}),
      "");
  const Finding empty = empty_shards(folder);
  finding.evidence.insert(finding.evidence.end(), empty.evidence.begin(), empty.evidence.end());
  finding.open.insert(finding.open.end(), empty.open.begin(), empty.open.end());
  return finding;
}

}  // namespace zerolab::findings
