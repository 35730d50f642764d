// What does not hold, from the cells and the verdicts that the page itself shows.
#include <algorithm>

#include "page_sections.hpp"

namespace zerolab {

namespace {

/// One fault for a table with wrong cells, naming their rows.
void look_through(const html::Table& table, const std::string& words, const std::string& place,
                  TableVerdict& verdict) {
  std::string rows;
  for (const auto& row : table.rows) {
    bool wrong = false;
    for (const html::Cell& cell : row) {
      verdict.judged += cell.holds ? 1 : 0;
      verdict.held += cell.holds.value_or(false) ? 1 : 0;
      wrong |= !cell.holds.value_or(true);
    }
    if (wrong) rows += (rows.empty() ? "" : ", ") + row.at(0).html;
  }
  if (rows.empty()) return;
  verdict.faults.push_back({fmt::format("{}, {} {}", words, table.headings.at(0), rows), place});
}

}  // namespace

TableVerdict table_verdict(const Folder& folder) {
  TableVerdict verdict;
  if (folder.runs.empty()) return verdict;
  look_through(memory_overview(folder), "model state of all runs", "verify", verdict);
  look_through(run_overview(folder), "overview of all runs", "verify", verdict);
  for (const VerifyRun& run : folder.runs) {
    const auto look = [&](const html::Table& table, const char* what) {
      look_through(table, fmt::format("N = {}: {}", run.ranks, what), fmt::format("N{}", run.ranks),
                   verdict);
    };
    look(bits_table(run), "bits");
    look(stored_table(run), "stored");
    look(peak_table(run), "peaks");
    if (run.ranks > 1) look(sent_table(run), "sent");
  }
  // Tables show sums and rank 0; a ledger has a line for each rank, category and collective.
  constexpr std::size_t named = 20;
  const std::vector<std::string> lines = ledger_faults(folder);
  for (std::size_t i = 0; i < std::min(named, lines.size()); ++i) {
    verdict.faults.push_back({html::escaped(lines[i]) + " is not what its formula says", "verify"});
  }
  if (lines.size() > named) {
    verdict.faults.push_back(
        {fmt::format("and {} more lines of ledgers", lines.size() - named), "verify"});
  }
  return verdict;
}

TableVerdict doctor_verdict(const Folder& folder) {
  TableVerdict verdict;
  if (!folder.has("doctor.json")) return verdict;
  const Selection tests(folder.results, {"doctor.json", "self_tests[*]"});
  for (const JsonField& test : tests.fields()) {
    const std::uint64_t right = test["right"].whole(), ranks = test["ranks"].whole();
    ++verdict.judged;
    if (right == ranks && ranks > 0) {
      ++verdict.held;
    } else {
      verdict.faults.push_back({fmt::format("self-test {}: right on {} of {} ranks",
                                            html::escaped(test["what"].text()), right, ranks),
                                "doctor"});
    }
  }
  if (!Selection(folder.results, {"doctor.json", "all_right"}).field().truth()) {
    verdict.faults.push_back({"doctor: training would be wrong here", "doctor"});
  }
  return verdict;
}

std::string Verdict::failing() const {
  std::string words;
  const auto say = [&](std::ptrdiff_t count, const char* one, const char* several) {
    if (count == 0) return;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, count == 1 ? one : several);
  };
  say(std::count_if(runs.runs.begin(), runs.runs.end(), [](const auto& run) { return !run.holds; }),
      "run", "runs");
  say(std::count_if(items.begin(), items.end(),
                    [](const auto& item) { return item.finding.status() == Status::fails; }),
      "item", "items");
  say(std::ssize(tables.faults), "table or ledger line of verify",
      "tables and ledger lines of verify");
  say(std::ssize(doctor.faults), "finding of doctor", "findings of doctor");
  return words;
}

Verdict verdict_of(const Folder& folder) {
  return {run_verdicts(folder), judged_items(folder.results), table_verdict(folder),
          doctor_verdict(folder)};
}

}  // namespace zerolab
