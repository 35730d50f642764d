// What the traffic ledgers say, of a few steps under --reduce mpi. Sums over all ranks are exact:
// a payload of 2Φ is 2Φ·N over all ranks and steps, on a ring 2Φ·(N−1).
#include "findings.hpp"

namespace zerolab::findings {

namespace {

/// Bytes of all ranks in all steps, for a rank and step: in Φ.
std::string in_phi(const VerifyRun& run, std::uint64_t bytes) {
  return times(bytes, run.ranks * run.steps * run.parameters) + "Φ";
}

/// Payload of one collective, a rank and step.
Evidence payload(const Folder& folder, const char* stage, const char* collective,
                 const std::string& words, std::uint64_t right) {
  return over_runs(
      folder, "measured",
      fmt::format("payload of the {} of a rank and step, bytes; right: {}Φ", words, right),
      {sent(stage, collective, "payload_bytes")},
      [right](const VerifyRun& run, const std::vector<Selection>& s) {
        return Judged{in_phi(run, s[0].sum()), s[0].all(right * run.parameters * run.steps)};
      },
      2);
}

/// One stage's bytes over another's.
Evidence ratio(const Folder& folder, const char* how, const std::string& what,
               const std::string& above, const std::string& below, std::uint64_t numerator,
               std::uint64_t denominator) {
  return over_runs(
      folder, how, what, {above, below},
      [=](const VerifyRun&, const std::vector<Selection>& s) {
        const std::uint64_t a = s[0].sum(), b = s[1].sum();
        return Judged{exact_ratio(a, b), b > 0 && denominator * a == numerator * b};
      },
      2);
}

/// What the MPI counted in runs of its own, if verify was given it. Shown, not judged: an MPI may
/// choose another algorithm than a ring.
Evidence on_the_wire(const Folder& folder, const char* above, const char* below) {
  return over_runs(
      folder, "measured",
      fmt::format("bytes on the wire, stage {} over stage {}, as the MPI counted them "
                  "(shown beside, not judged: a library is free to use no ring)",
                  above, below),
      {"wire"},
      [=](const VerifyRun& run, const std::vector<Selection>& s) {
        const JsonField& wire = s[0].field();
        if (wire.is_null() || !wire.has(above) || !wire.has(below)) return Judged{};
        const auto sum = [&](const char* stage) {
          return run.at(fmt::format("wire.{}[*]", stage)).sum();
        };
        const std::uint64_t a = sum(above), b = sum(below);
        return Judged{fmt::format("{} ({} over {} bytes a rank and step)", times(a, b),
                                  thin(a / run.ranks), thin(b / run.ranks)),
                      std::nullopt};
      },
      2);
}

/// A reduce-scatter and an all-gather (stage 2) against an all-reduce (stage 0), as the MPI counted
/// them. Calls of which some are no ring say nothing of each other.
Evidence halves_on_the_wire(const Folder& folder) {
  return over_runs(
      folder, "measured",
      "bytes on the wire, reduce-scatter and all-gather (stage 2) over all-reduce (stage 0), as "
      "the MPI counted them; right: 1 (judged where both send in sum what a ring does, otherwise "
      "shown and not judged)",
      {"wire"},
      [](const VerifyRun& run, const std::vector<Selection>& s) {
        const JsonField& wire = s[0].field();
        if (wire.is_null() || !wire.has("0") || !wire.has("2")) return Judged{};
        const std::uint64_t reduced = run.at("wire.0[*]").sum(), halves = run.at("wire.2[*]").sum();
        const auto ring = [&](const char* stage) {
          return run.at(sent(stage, "ring_bytes")).sum() / run.steps;
        };
        Judged judged{times(halves, reduced), std::nullopt};
        if (reduced == ring("0") && halves == ring("2")) {
          judged.holds = halves == reduced;
        } else {
          judged.number += fmt::format(", the all-reduce {} of a ring, the other two {}",
                                       times(reduced, ring("0")), times(halves, ring("2")));
        }
        return judged;
      },
      2);
}

Evidence gathers_and_reductions(const Folder& folder) {
  return over_runs(
      folder, "measured",
      "all-gathers + reduce-scatters of a rank and step in stage 3, for so many units (all-reduces "
      "in stage 0); right: 2 + 1 for each unit",
      {sent("3", "allgather", "calls"), sent("3", "reduce_scatter", "calls"),
       sent("0", "allreduce", "calls")},
      [](const VerifyRun& run, const std::vector<Selection>& s) {
        const std::uint64_t units = s[2].wholes()[0], gathers = s[0].sum(), sums = s[1].sum();
        return Judged{fmt::format("{} + {} for {} units", times(gathers, run.ranks * run.steps),
                                  times(sums, run.ranks * run.steps), times(units, run.steps)),
                      units > 0 && s[2].all(units) && s[0].all(2 * units) && s[1].all(units)};
      },
      2);
}

}  // namespace

Finding stage_3_against_stage_0(const Folder& folder) {
  Finding finding;
  add(finding,
      ratio(folder, "measured", "payload, stage 3 over stage 0, every collective once; right: 3",
            sent("3", "payload_bytes"), sent("0", "payload_bytes"), 3, 1),
      no_ranks);
  add(finding,
      ratio(folder, "ring model",
            "bytes sent, stage 3 over stage 0, an all-reduce as its two halves; right: 1.5",
            sent("3", "ring_bytes"), sent("0", "ring_bytes"), 3, 2),
      "");
  add_counted_stage_3(folder, finding);
  add(finding, on_the_wire(folder, "3", "0"), "");
  return finding;
}

Finding calls_of_stage_3(const Folder& folder) {
  Finding finding;
  add(finding, gathers_and_reductions(folder), no_ranks);
  add(finding, payload(folder, "3", "allgather", "all-gathers of stage 3", 4), "");
  add(finding, payload(folder, "3", "reduce_scatter", "reduce-scatters of stage 3", 2), "");
  add(finding, payload(folder, "0", "allreduce", "all-reduces of stage 0", 2), "");
  return finding;
}

Finding two_gathers(const Folder& folder) {
  Finding finding;
  add(finding, gathers_and_reductions(folder), no_ranks);
  add(finding, released_parameters(folder), "");
  finding.open.emplace_back(
      "one gather and 2Φ more memory when they are kept; the first unit's "
      "second gather saved");
  return finding;
}

Finding gradients_of_stage_2(const Folder& folder) {
  Finding finding;
  add(finding, payload(folder, "2", "allreduce", "all-reduces of stage 2", 0), no_ranks);
  add(finding, payload(folder, "2", "reduce_scatter", "reduce-scatters of stage 2", 2), "");
  return finding;
}

Finding halves_of_all_reduce(const Folder& folder) {
  Finding finding;
  add(finding,
      ratio(folder, "measured",
            "payload of the gradients, reduce-scatter in stage 2 over all-reduce in stage 0; "
            "right: 1",
            sent("2", "reduce_scatter", "payload_bytes"), sent("0", "allreduce", "payload_bytes"),
            1, 1),
      no_ranks);
  add(finding,
      ratio(folder, "ring model",
            "bytes sent, reduce-scatter and all-gather of stage 2 over the all-reduce of stage 0; "
            "right: 1",
            sent("2", "{reduce_scatter,allgather}", "ring_bytes"),
            sent("0", "allreduce", "ring_bytes"), 1, 1),
      "");
  add(finding, halves_on_the_wire(folder), "");
  add_counted_halves(folder, finding);
  return finding;
}

Finding own_shard_only(const Folder& folder) {
  Finding finding;
  add(finding,
      over_runs(
          folder, "measured", "gradients kept by all ranks in stage 0 over stage 2; right: N",
          {held("0", "gradients"), held("2", "gradients")},
          [](const VerifyRun& run, const std::vector<Selection>& s) {
            return Judged{exact_ratio(s[0].sum(), s[1].sum()),
                          s[0].all(2 * run.parameters) && s[1].sum() == 2 * run.parameters &&
                              own_shares(run, 2, "gradients")};
          },
          2),
      no_ranks);
  add(finding,
      ratio(folder, "ring model",
            "bytes sent for the gradients, reduce-scatter in stage 2 over all-reduce in stage 0; "
            "right: 1/2",
            sent("2", "reduce_scatter", "ring_bytes"), sent("0", "allreduce", "ring_bytes"), 1, 2),
      "");
  return finding;
}

Finding price_of_parameters(const Folder& folder) {
  Finding finding;
  add(finding, payload(folder, "3", "allgather", "all-gathers of stage 3", 4), no_ranks);
  add(finding, payload(folder, "0", "allgather", "all-gathers of stage 0", 0), "");
  for (Evidence& evidence : gathered_unit(folder).evidence) {
    finding.evidence.push_back(std::move(evidence));
    break;  // the unit itself; that it is released belongs to TF8
  }
  return finding;
}

}  // namespace zerolab::findings
