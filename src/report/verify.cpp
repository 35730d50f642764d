// verify: stages in turn on the same job; bits, stored and sent against the formulas.
#include <algorithm>

#include "verification.hpp"
#include "verify_tables.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

/// With --against it is the difference from the file that may be expected; stages must agree.
bool stages_should_part(const Options& options) {
  return options.expect_difference && options.against.empty();
}

bool passes(const StageVerdict& v, bool expect_difference) {
  return v.ranks_agree && v.ledgers_hold && v.as_required && v.all_equal != expect_difference;
}

std::string words(const StageVerdict& v, const Options& options, const Verification& trained) {
  const auto& [job, bytes_job, bits, bytes] = trained;
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

std::string report(const Verification& trained) {
  const auto& [job, bytes_job, bits, bytes] = trained;
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
  const Job bytes_job = job_for_bytes(options, job);
  WirePerStep wire;
  together(comm, [&] {
    if (comm.rank() != 0 || options.wire.empty()) return;
    wire = read_wire_file(options.wire, wire_job(options.data, bytes_job, comm.size()));
  });
  DigestRecorder digests(options, data, options.stages[0], comm);
  const Verification trained = train_stages(options, data, comm, memory, &digests);
  bool good = true;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    const StageVerdict verdict = judge(trained, comm.size());
    good = passes(verdict, stages_should_part(options));
    if (speaks)
      fmt::print("{}{}\n{}", report(trained),
                 wire_report(trained.bytes, bytes_job, options.wire, wire),
                 words(verdict, options, trained));
    nlohmann::json summary = verify_json(trained, verdict, wire);
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
