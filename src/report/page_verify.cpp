// Stages against one another and against the formulas: all runs of verify at a glance, then each.
#include "page_sections.hpp"

namespace zerolab {

namespace {

using html::Cell;
using html::Table;

constexpr const char* formulas[] = {"16Φ", "4Φ + 12Φ/N", "2Φ + 14Φ/N", "16Φ/N"};

std::string files_of(const Folder& folder) {
  std::vector<std::uint64_t> ranks;
  for (const VerifyRun& run : folder.runs) ranks.push_back(run.ranks);
  return verify_files(ranks);
}

}  // namespace

Table memory_overview(const Folder& folder) {
  Table table{"Model state of a rank: bytes for each parameter, mean of the ranks",
              {"stage", "formula"},
              {}};
  for (const VerifyRun& run : folder.runs)
    table.headings.push_back(fmt::format("N\u00A0=\u00A0{}", run.ranks));
  for (int stage = 0; stage < stage_count; ++stage) {
    const std::string s = std::to_string(stage);
    std::vector<Cell> row{Cell::text(s), Cell::number(formulas[stage], "formula")};
    for (const VerifyRun& run : folder.runs) {
      const std::uint64_t sum = run.at(state(s)).sum();
      row.push_back(Cell::judged(times(sum, run.ranks * run.parameters),
                                 sum == right_state(run, stage),
                                 fmt::format("{}: sum of {} over NΦ", run.file, state(s))));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

std::string ratio(const VerifyRun& run, const char* kind) {
  return times(run.at(sent("3", kind)).sum(), run.at(sent("0", kind)).sum());
}

Cell wire_ratio(const VerifyRun& run) {
  const JsonField wire = run.at("wire").field();
  if (wire.is_null() || !wire.has("0") || !wire.has("3")) return {"not measured", ""};
  return Cell::number(times(run.at("wire.3[*]").sum(), run.at("wire.0[*]").sum()),
                      run.file + ": wire.{3,0}[*]");
}

bool ledgers_hold(const VerifyRun& run) {
  bool hold = true;
  for (int stage = 0; stage < stage_count; ++stage) {
    hold &= stored_holds(run, stage) && sent_holds(run, stage);
  }
  return hold;
}

}  // namespace

Table run_overview(const Folder& folder) {
  Table table{
      "Each run: bits of its four stages, ledgers against formulas, bytes of stage 3 over "
      "stage 0",
      {"N", "Φ", "steps", "digest of the parameters", "stages and ranks equal",
       "ledgers equal formulas", "payload", "ring model", "wire"},
      {}};
  for (const VerifyRun& run : folder.runs) {
    const std::string file = run.file + ": ";
    const std::uint64_t p3 = run.at(sent("3", "payload_bytes")).sum(),
                        p0 = run.at(sent("0", "payload_bytes")).sum(),
                        r3 = run.at(sent("3", "ring_bytes")).sum(),
                        r0 = run.at(sent("0", "ring_bytes")).sum();
    std::vector<Cell> row{
        Cell::text(std::to_string(run.ranks)),
        Cell::number(thin(run.parameters), file + "stages.0.parameters"),
        Cell::number(thin(run.at("stages.0.steps").whole()), file + "stages.0.steps"),
        Cell::bits(digest_of(run, 0), file + "stages.0.digest.parameters"),
        Cell::yes(same_bits(run), file + "stages.{0,1,2,3}.digest.{parameters,master,moments}"),
        Cell::yes(ledgers_hold(run), file + "{stages,bytes}.{0,1,2,3}")};
    if (run.ranks == 1) {
      row.insert(row.end(), {Cell{"nothing is sent", ""}, Cell{}, Cell{}});
    } else {
      row.push_back(Cell::judged(ratio(run, "payload_bytes"), p3 == 3 * p0,
                                 file + "sums of " + sent("{3,0}", "payload_bytes")));
      row.push_back(Cell::judged(ratio(run, "ring_bytes"), 2 * r3 == 3 * r0,
                                 file + "sums of " + sent("{3,0}", "ring_bytes")));
      row.push_back(wire_ratio(run));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

std::string details(const VerifyRun& run) {
  const std::string all = "{0,1,2,3}";
  std::string text = bits_table(run).html();
  text += html::sources(
      {{run.file,
        "stages.{0,1,2,3}.{digest,digest_agrees,steps,skipped_steps,loss,test_correct,"
        "test_samples}"}});
  text += stored_table(run).html() + html::sources({{run.file, state(all)}});
  text += peak_table(run).html();
  text += html::sources({{run.file,
                          "stages.{0,1,2,3}.memory.per_rank[0].{parameters,gradients,"
                          "accumulator,activations,buffers,data}.peak"},
                         {run.file, "stages.{0,1,2,3}.memory.per_rank[0].{peak_total,rss_peak}"}});
  if (run.ranks == 1) {
    text += "<p>Nothing is sent: payload × (N−1)/N and the ring model are 0 at N = 1.</p>\n";
  } else {
    text += sent_table(run).html();
    text += html::sources({{run.file, sent(all, "{elements,payload_bytes,ring_bytes}")}});
  }
  const std::string log =
      fmt::format("verify-digits-{}-rank{}.txt", run.ranks, run.ranks == 1 ? "" : "s");
  if (const auto printed = run.results.text(log)) {
    text += html::folded(fmt::format("What verify printed, <code class=\"file\">{}</code>", log),
                         html::element("pre", html::escaped(*printed)));
  }
  return html::folded(fmt::format("N = {}: bits, stored, peaks, sent", run.ranks), text,
                      fmt::format("N{}", run.ranks));
}

}  // namespace

std::string verify_section(const Folder& folder) {
  std::string text = heading(3, "verify", "Four stages, the same job");
  if (folder.runs.empty()) {
    return text + "<p>Not measured in this run: no verify-N.json is in the folder.</p>\n";
  }
  text +=
      "<p>Each run trains stages 0 to 3 in turn: what they end with under exact sums, bit by bit; "
      "what each rank stores; and, in a few steps under the MPI's own sums, what it sends. "
      "Runs with another N have another global batch, so their digests are not to be "
      "compared.</p>\n";
  text += memory_overview(folder).html();
  text += html::sources({{files_of(folder), state("{0,1,2,3}")}});
  text += run_overview(folder).html();
  text += html::sources({{files_of(folder), "stages.{0,1,2,3}.digest"},
                         {files_of(folder), "stages.{0,1,2,3}.memory.{per_rank,formula}"},
                         {files_of(folder), sent("{3,0}", "{payload_bytes,ring_bytes}")},
                         {files_of(folder), "wire"}});
  text +=
      "<p class=\"note\">3 and 1.5 are both right. In payload every collective counts once; in the "
      "ring model an all-reduce is a reduce-scatter and an all-gather, so stage 0 sends twice its "
      "payload. The ring model is worked out from the counted calls and not measured.</p>\n";
  for (const VerifyRun& run : folder.runs) text += details(run);
  return text;
}

}  // namespace zerolab
