// verify: stages in turn on the same job; bits, stored and sent against the formulas.
#include <algorithm>

#include "verify_tables.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/digest_recorder.hpp"
#include "zerolab/report/progress.hpp"

namespace zerolab {

namespace {

constexpr std::size_t steps_for_bytes = 3;

struct Part {
  std::vector<Outcome> outcomes;
  std::optional<Outcome> plain;  ///< the first without overlap or recomputed activations, if it had
  std::vector<FirstDifference> differences;  ///< one for each stage that parts from the first
};

bool same_bits(const Outcome& a, const Outcome& b) {
  return a.digest.parameters == b.digest.parameters && a.digest.master == b.digest.master &&
         a.digest.moments == b.digest.moments && a.step_digests == b.step_digests;
}

/// Stages that add in the same order in a mode, and so must end with the same bits (DESIGN: order
/// rule).
bool must_agree(const Job& job, std::size_t ranks, int a, int b) {
  const bool one_round = job.rounds(ranks) == 1;
  const bool all = job.reduce == ReduceMode::exact ||
                   (job.reduce == ReduceMode::ordered && one_round) || ranks == 1 ||
                   (job.reduce == ReduceMode::mpi && ranks == 2 && one_round);
  return all || (a <= 1) == (b <= 1);
}

class Verification {
 public:
  Verification(const Options& options, const JobData& data, Communicator& comm,
               MemoryLedger& memory)
      : options_(options), data_(data), comm_(comm), memory_(memory) {}

  /// With `digests` the first stage is traced.
  Part train(const Job& job, std::size_t steps, bool compare, DigestRecorder* digests) {
    Part part;
    const auto training = [&](int stage) {
      return Training{.job = job,
                      .stage = stage,
                      .steps = steps,
                      .data = *data_.data,
                      .comm = comm_,
                      .memory = memory_,
                      .digest_steps = compare,
                      .rss_from_now = true,
                      .trace = nullptr,
                      .timeline = nullptr,
                      .before_steps = {},
                      .after_step = {}};
    };
    for (const int stage : options_.stages) {
      Progress progress(comm_.rank() == 0 && !options_.quiet && !options_.json_only(),
                        fmt::format("stage {} under {}", stage, name(job.reduce)), data_, steps);
      Training one = training(stage);
      const bool traced = digests != nullptr && stage == options_.stages[0];
      one.before_steps = [&](const Stage& trained) {
        if (traced) digests->record(0, trained);
      };
      one.after_step = [&](std::size_t s, const StepResult& r, const Stage& trained) {
        progress.show(s, r);
        if (traced) digests->record(s + 1, trained);
      };
      part.outcomes.push_back(run(one));
    }
    if (compare && (job.overlap || job.activation_segments > 0)) {
      Job without = job;
      without.overlap = false;
      without.activation_segments = 0;
      Training one = training(options_.stages[0]);
      part.plain = run({.job = without,
                        .stage = one.stage,
                        .steps = steps,
                        .data = one.data,
                        .comm = comm_,
                        .memory = memory_,
                        .digest_steps = true,
                        .after_step = {}});
    }
    for (std::size_t i = 1; compare && i < part.outcomes.size(); ++i) {
      const auto found = find_first_difference(training(options_.stages[0]), part.outcomes[0],
                                               training(options_.stages[i]), part.outcomes[i]);
      if (found) part.differences.push_back(*found);
    }
    return part;
  }

 private:
  const Options& options_;
  const JobData& data_;
  Communicator& comm_;
  MemoryLedger& memory_;
};

/// Rank 0's judgement of both parts.
struct Verdict {
  bool ranks_agree = true, ledgers_hold = true;
  bool all_equal = true;    ///< every stage has the bits of the first
  bool as_required = true;  ///< those that must agree do
  bool like_plain = true;   ///< overlapped or recomputed or neither, the bits are the same
};

Verdict judge(const Part& bits, const Part& bytes, const Job& job, std::size_t ranks) {
  Verdict v;
  for (const Part* part : {&bits, &bytes}) {
    for (const Outcome& o : part->outcomes) {
      v.ranks_agree &= o.digest.agrees();
      v.ledgers_hold &= o.memory_holds() && o.traffic_holds();
    }
  }
  if (bits.plain) {
    v.ranks_agree &= bits.plain->digest.agrees();
    v.ledgers_hold &= bits.plain->memory_holds() && bits.plain->traffic_holds();
    v.like_plain = same_bits(*bits.plain, bits.outcomes[0]);
    // A non-blocking sum of the library's own may add in another order.
    v.as_required = v.like_plain || (job.overlap && job.reduce == ReduceMode::mpi && ranks > 1);
  }
  for (const Outcome& a : bits.outcomes) {
    v.all_equal &= same_bits(bits.outcomes[0], a);
    for (const Outcome& b : bits.outcomes) {
      v.as_required &= !must_agree(job, ranks, a.stage, b.stage) || same_bits(a, b);
    }
  }
  return v;
}

/// With --against it is the difference from the file that may be expected; stages must agree.
bool stages_should_part(const Options& options) {
  return options.expect_difference && options.against.empty();
}

bool passes(const Verdict& v, bool expect_difference) {
  return v.ranks_agree && v.ledgers_hold && v.as_required && v.all_equal != expect_difference;
}

std::string words(const Verdict& v, const Options& options, const Job& job, const Part& bits) {
  std::string text = passes(v, stages_should_part(options)) ? "holds: " : "FAILS: ";
  if (!v.ranks_agree) text += "ranks of one stage hold different bits; ";
  const Outcome& first = bits.outcomes[0];
  if (v.all_equal) {
    const std::string plain =
        fmt::format(", plain stage {} {}", first.stage, v.like_plain ? "too" : "with others");
    text += fmt::format("stages {} end with equal bits{}{}{}; ", fmt::join(options.stages, ", "),
                        bits.plain ? plain : "", first.steps == first.skipped ? " (no update)" : "",
                        stages_should_part(options) ? ", but should part" : "");
  } else {
    const auto other = std::find_if_not(bits.outcomes.begin(), bits.outcomes.end(),
                                        [&](const Outcome& o) { return same_bits(first, o); });
    std::string why = fmt::format(", {} adds in another order", name(job.reduce));
    if (bits.differences.empty()) why = " in its optimizer states";
    if (!v.as_required) why = ", which must not be";
    text += fmt::format("stage {} parts from stage {}{}; ", other->stage, first.stage, why);
  }
  return text + (v.ledgers_hold ? "stored and sent equal the formulas\n"
                                : "a LEDGER DIFFERS from its formula\n");
}

/// What was really sent, or that it is not known.
std::string wire_report(const Part& bytes, const Job& job, const std::string& file,
                        const WirePerStep& measured) {
  if (bytes.outcomes[0].reports.size() == 1) return {};
  if (file.empty()) {
    return "\nSent on the wire: not available without --wire FILE; ./run_labs.sh wire measures "
           "it\n";
  }
  return fmt::format(
      "\nSent on the wire per rank and step under --reduce {}, as the MPI counted it in runs of "
      "its "
      "own\n  ({}); ×: elements in Φ(N−1)/N; scalars apart\n{}",
      name(job.reduce), file, wire_table(bytes.outcomes, job, measured));
}

std::string report(const Part& bits, const Part& bytes, const Job& job, const Job& bytes_job) {
  const std::string mode(name(job.reduce)), bytes_mode(name(bytes_job.reduce));
  std::string text = fmt::format("\nBits, trained under --reduce {} with {}\n{}", mode,
                                 bits_hold_for(job), bits_table(bits.outcomes));
  for (const FirstDifference& d : bits.differences) text += describe(d, job);
  text += fmt::format(
      "\nStored, bytes on rank 0 after the last step (holds: every rank equals its ragged share "
      "exactly)\n{}",
      stored_table(bits.outcomes, job));
  text += fmt::format(
      "\nPeaks, bytes on rank 0 (activations of evaluation included; process: as the system counts "
      "it)\n{}",
      peak_table(bits.outcomes));
  text += fmt::format(
      "\nSent per rank and step under --reduce {} (mean of {} steps), ratio to stage {}\n"
      "  ×: elements in Φ(N−1)/N; payload: a collective counts once; ring: an all-reduce counts "
      "twice,\n"
      "  as its two halves (a model of the counted calls, not measured on the wire); scalars "
      "apart\n{}",
      bytes_mode, bytes.outcomes[0].steps, bytes.outcomes[0].stage,
      sent_table(bytes.outcomes, bytes_job));
  if (mode == "exact") {
    text +=
        "  8-byte sums are the price of equal bits under exact, not ZeRO's: bytes are shown under "
        "mpi\n";
  }
  return text;
}

nlohmann::json verify_json(const Part& bits, const Part& bytes, const Job& job,
                           const Job& bytes_job, const Verdict& verdict, const WirePerStep& wire) {
  nlohmann::json summary{{"agree", verdict.all_equal && verdict.ranks_agree},
                         {"plain_agrees", nullptr},
                         {"first_difference", nullptr},
                         {"wire", nullptr}};
  if (bits.plain) summary["plain_agrees"] = verdict.like_plain;
  for (const auto& [stage, per_rank] : wire) summary["wire"][std::to_string(stage)] = per_rank;
  for (const Outcome& o : bits.outcomes) {
    summary["stages"][std::to_string(o.stage)] = summary_json(o, job);
  }
  for (const Outcome& o : bytes.outcomes) {
    summary["bytes"][std::to_string(o.stage)] = summary_json(o, bytes_job);
  }
  if (!bits.differences.empty()) {
    const FirstDifference& d = bits.differences[0];
    summary["first_difference"] = {
        {"stage", d.stage}, {"step", d.step}, {"unit", d.unit}, {"index", d.index},
        {"a", d.a},         {"b", d.b},       {"ulps", d.ulps}, {"differing", d.differing}};
  }
  return summary;
}

}  // namespace

int verify_command(const Options& options, Communicator& comm) {
  if (options.against.size() == 2) return compare_traces(options, comm);
  MemoryLedger memory;
  const JobData data = open_job(options, comm, memory);
  const Job& job = data.job;
  const bool speaks = comm.rank() == 0 && !options.json_only();
  if (speaks) {
    fmt::print("{}{}", joined(describe(options.data, job, comm.size(), data.steps)),
               describe_libraries(job));
    std::fflush(stdout);
  }
  // Asked for one mode: that run shows both. Otherwise the bytes get a short run of their own under
  // mpi.
  Job bytes_job = job;
  bytes_job.reduce = options.reduce.value_or(ReduceMode::mpi);
  if (!options.reduce)
    bytes_job.loss_scale.fixed = 1;  // 16-bit sums overflow sooner; no step is to be skipped
  WirePerStep wire;
  together(comm, [&] {
    if (comm.rank() != 0 || options.wire.empty()) return;
    wire = read_wire_file(options.wire, wire_job(options.data, bytes_job, comm.size()));
  });
  Verification verification(options, data, comm, memory);
  DigestRecorder digests(options, data, options.stages[0], comm);
  const Part bits = verification.train(job, data.steps, true, &digests);
  const Part bytes =
      options.reduce
          ? bits
          : verification.train(bytes_job, std::min(steps_for_bytes, data.steps), false, nullptr);
  bool good = true;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    const Verdict verdict = judge(bits, bytes, job, comm.size());
    good = passes(verdict, stages_should_part(options));
    if (speaks)
      fmt::print("{}{}\n{}", report(bits, bytes, job, bytes_job),
                 wire_report(bytes, bytes_job, options.wire, wire),
                 words(verdict, options, job, bits));
    nlohmann::json summary = verify_json(bits, bytes, job, bytes_job, verdict, wire);
    if (const auto& comparison = digests.comparison()) {
      good &= comparison->first.has_value() == options.expect_difference;
      if (speaks) fmt::print("{}", comparison->text(options.expect_difference));
      summary["against"] = comparison->json();
    }
    if (!options.json.empty()) write_file(options.json, summary.dump(2) + "\n");
  });
  return comm.maximum(good ? 0 : 1) == 0 ? 0 : 1;
}

}  // namespace zerolab
