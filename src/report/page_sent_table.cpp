// What the ranks of one verify-N.json sent, as verify prints it; and whether ledgers equal
// formulas.
#include <algorithm>

#include "page_sections.hpp"
#include "zerolab/comm/traffic_ledger.hpp"
#include "zerolab/core/memory_ledger.hpp"
#include "zerolab/report/cost_model.hpp"

namespace zerolab {

namespace {

using html::Cell;
using html::Table;

constexpr int stages = 4;

/// "{a,b,c}" of the names of the first `count` of an enumeration.
template <class Name>
std::string all_names(std::size_t count) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    names += fmt::format("{}{}", i == 0 ? "{" : ",", name(static_cast<Name>(i)));
  }
  return names + "}";
}

bool equals_formula(const VerifyRun& run, const std::string& part, const std::string& lines) {
  return run.at(fmt::format("{}.per_rank[*].{}", part, lines)).wholes() ==
         run.at(fmt::format("{}.formula[*].{}", part, lines)).wholes();
}

/// Bytes of a step on the wire, mean and busiest rank; nothing without a measurement.
std::vector<Cell> wire_cells(const VerifyRun& run, const std::string& stage) {
  const Selection wire = run.at("wire");
  if (wire.field().is_null()) return {};
  if (!wire.field().has(stage)) return {Cell::text("not measured"), Cell::text("not measured")};
  const std::string path = fmt::format("wire.{}[*]", stage);
  const Selection bytes = run.at(path);
  const auto all = bytes.wholes();
  const std::uint64_t mean = all.empty() ? 0 : bytes.sum() / all.size();
  const std::uint64_t most = all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  return {Cell::number(thin(mean), "mean of " + from(run, path)),
          Cell::number(thin(most), "largest of " + from(run, path))};
}

}  // namespace

bool stored_holds(const VerifyRun& run, int stage) {
  const std::string lines = all_names<Category>(categories) + ".{now,peak}";
  return equals_formula(run, fmt::format("stages.{}.memory", stage), lines) &&
         equals_formula(run, fmt::format("bytes.{}.memory", stage), lines);
}

bool sent_holds(const VerifyRun& run, int stage) {
  const std::string lines = all_names<Collective>(static_cast<std::size_t>(Collective::other)) +
                            ".{calls,elements,payload_bytes,ring_bytes}";
  return equals_formula(run, fmt::format("stages.{}.traffic", stage), lines) &&
         equals_formula(run, fmt::format("bytes.{}.traffic", stage), lines);
}

Table sent_table(const VerifyRun& run) {
  Table table{
      fmt::format("Sent by a rank in a step under --reduce {}, mean of {} ranks and {} steps "
                  "(×: elements in Φ(N−1)/N)",
                  run.at("bytes.0.reduce").field().text(), run.ranks, run.steps),
      {"stage", "elements", "payload ×", "formula", "bytes", "to stage 0", "ring ×", "formula",
       "bytes", "to stage 0"},
      {}};
  const std::uint64_t n = run.ranks, count = n * run.steps;
  const bool has_wire = !run.at("wire").field().is_null();
  if (has_wire) table.headings.insert(table.headings.end(), {"wire, mean", "wire, busiest"});
  table.headings.emplace_back("holds");
  Job job;
  job.reduce = ReduceMode::mpi;
  const auto sum = [&](const std::string& stage, const char* what) {
    return run.at(sent(stage, what)).sum();
  };
  for (int stage = 0; stage < stages; ++stage) {
    const std::string s = std::to_string(stage);
    const auto origin = [&](const char* what) {
      return "from the sum of " + from(run, sent(s, what));
    };
    const std::uint64_t elements = sum(s, "elements"), payload = sum(s, "payload_bytes"),
                        ring = sum(s, "ring_bytes");
    const Volume right = volume(job, stage, run.ranks);
    std::vector<Cell> row{
        Cell::text(s),
        Cell::number(thin(elements / count), origin("elements")),
        Cell::number(times(elements, count * run.parameters), origin("elements")),
        Cell::number(std::to_string(right.payload), "formula"),
        Cell::number(thin(payload / count * (n - 1) / n), origin("payload_bytes")),
        Cell::number(times(payload, sum("0", "payload_bytes")), origin("payload_bytes")),
        Cell::number(times(ring, 2 * run.parameters * (n - 1) * run.steps), origin("ring_bytes")),
        Cell::number(std::to_string(right.wire), "formula"),
        Cell::number(thin(ring / count), origin("ring_bytes")),
        Cell::number(times(ring, sum("0", "ring_bytes")), origin("ring_bytes"))};
    for (Cell& cell : wire_cells(run, s)) row.push_back(std::move(cell));
    row.push_back(Cell::yes(sent_holds(run, stage),
                            from(run, fmt::format("bytes.{}.traffic.{{per_rank,formula}}", s))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace zerolab
