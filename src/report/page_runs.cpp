// The verdict, and what it rests on: the runs of run_labs.sh, the machine.
#include <algorithm>

#include "page_sections.hpp"

namespace zerolab {

namespace {

using html::Cell;

std::string file_html(const std::string& file) {
  return html::element("code", html::escaped(file), " class=\"file\"");
}

std::string tally(std::size_t count, const std::string& of, const std::string& words,
                  const char* kind) {
  return fmt::format("<li class=\"{}\"><b>{}{}</b><span>{}</span></li>\n", kind, count, of, words);
}

std::size_t how_many(const std::vector<JudgedItem>& items, Status status) {
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(),
                    [&](const JudgedItem& judged) { return judged.finding.status() == status; }));
}

/// Machine facts in one line, all of them folded below it.
std::string machine_html(const Folder& folder) {
  if (folder.has("doctor.json")) {
    const Selection machine(folder.results, {"doctor.json", "machine"});
    const JsonField& all = machine.field();
    std::string line;
    for (const std::string label : {"MPI", "BLAS", "ranks"}) {
      if (!all.has(label)) continue;
      line += line.empty() ? "" : " · ";
      line += (label == "ranks" ? "ranks: " : "") + all[label].text();
    }
    const bool right = Selection(folder.results, {"doctor.json", "all_right"}).field().truth();
    return html::element("p", html::escaped(line) + (right ? ""
                                                           : " · <strong>doctor: WRONG, "
                                                             "training would be wrong here"
                                                             "</strong>")) +
           "\n" + html::sources({{"doctor.json", "machine"}, {"doctor.json", "all_right"}});
  }
  if (folder.runs.empty()) return "<p>Machine: not in the folder.</p>\n";
  const VerifyRun& run = folder.runs.back();
  return html::element("p",
                       html::escaped(run.at("stages.0.mpi").field().text() + " · OpenBLAS kernel " +
                                     run.at("stages.0.blas_kernel").field().text())) +
         "\n" + html::sources({{run.file, "stages.0.{mpi,blas_kernel}"}});
}

/// What does not hold, at the top, where it cannot be missed.
std::string alarms(const Verdict& verdict) {
  std::string list;
  const auto add = [&](const std::string& words, const std::string& place) {
    list += fmt::format("{}<a href=\"#{}\">{}</a>", list.empty() ? "" : "; ", place, words);
  };
  for (const RunVerdict& run : verdict.runs.runs) {
    if (!run.holds) add(html::escaped(run.name), "runs");
  }
  for (const Fault& fault : verdict.doctor.faults) add(fault.words, fault.place);
  for (const Fault& fault : verdict.tables.faults) add(fault.words, fault.place);
  for (const JudgedItem& judged : verdict.items) {
    if (judged.finding.status() == Status::fails) add(judged.item.id, judged.item.id);
  }
  if (list.empty()) return "";
  return "<div class=\"alarm\" role=\"note\"><p><strong>Does not hold:</strong> " + list +
         "</p></div>\n";
}

std::string hints_html(const Folder& folder) {
  std::string list;
  const Selection hints(folder.results, {"doctor.json", "hints[*]"});
  for (const JsonField& hint : hints.fields()) {
    list += html::element("li", html::escaped(hint.text()));
  }
  return list.empty() ? "" : html::element("ul", list, " class=\"small\"") + "\n";
}

std::string doctor_html(const Folder& folder) {
  if (!folder.has("doctor.json")) return "";
  html::Table machine{"The machine", {"", ""}, {}},
      tests{"Self-tests", {"call", "right on ranks"}, {}};
  const Selection about(folder.results, {"doctor.json", "machine"});
  const nlohmann::json& labels = folder.results.json("doctor.json")->at("machine");
  about.field().require_kind(labels.is_object(), "an object");
  for (const auto& [label, value] : labels.items()) {
    machine.rows.push_back({Cell::text(label), Cell::text(about.field()[label].text())});
  }
  const Selection all(folder.results, {"doctor.json", "self_tests[*]"});
  for (const JsonField& test : all.fields()) {
    const std::uint64_t right = test["right"].whole(), ranks = test["ranks"].whole();
    tests.rows.push_back({Cell::text(test["what"].text()),
                          Cell::judged(fmt::format("{} of {}", right, ranks), right == ranks,
                                       "doctor.json: self_tests[*]")});
  }
  return html::folded("The machine and its self-tests",
                      machine.html() + html::sources({{"doctor.json", "machine"}}) + tests.html() +
                          html::sources({{"doctor.json", "self_tests"}}) + hints_html(folder),
                      "doctor");
}

}  // namespace

namespace {

std::string runs_tally(const std::vector<RunVerdict>& runs) {
  if (runs.empty()) return "<li><b>–</b><span>runs: none in the folder</span></li>\n";
  const auto held = static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [](const RunVerdict& run) { return run.holds; }));
  return tally(held, fmt::format(" of {}", runs.size()), "runs hold",
               held == runs.size() ? "good" : "bad");
}

std::string table_tally(const TableVerdict& verdict, const char* words) {
  if (verdict.judged == 0 && verdict.faults.empty()) return "";
  return tally(verdict.held, fmt::format(" of {}", verdict.judged), words,
               verdict.faults.empty() ? "good" : "bad");
}

}  // namespace

std::string verdict_section(const Folder& folder, const Verdict& verdict) {
  const auto& items = verdict.items;
  const std::size_t fails = how_many(items, Status::fails);
  const auto calculated = std::count_if(items.begin(), items.end(), [](const JudgedItem& judged) {
    return judged.finding.status() == Status::holds && judged.finding.only_calculated();
  });
  std::string text = heading(1, "verdict", "Verdict");
  text += "<ul class=\"tally\">\n" + runs_tally(verdict.runs.runs);
  text += table_tally(verdict.doctor, "self-tests right");
  text += table_tally(verdict.tables, "judged cells of verify's tables hold");
  text += tally(
      how_many(items, Status::holds), fmt::format(" of {}", items.size()),
      fmt::format("items: the right answer is confirmed, in {} by calculation alone", calculated),
      "good");
  text += tally(fails, "", "items contradicted", fails == 0 ? "" : "bad");
  text += tally(how_many(items, Status::not_measured), "", "items not measured in this run", "");
  text += "</ul>\n" + alarms(verdict) + machine_html(folder) + doctor_html(folder);
  return text;
}

std::string runs_section(const Folder& folder, const RunVerdicts& verdicts) {
  std::string text = heading(2, "runs", "Runs");
  if (!folder.results.text(verdicts_file)) {
    return text +
           "<p>Not in this folder: verdicts.jsonl, which ./run_labs.sh writes as it goes.</p>\n";
  }
  html::Table table{"Each run of ./run_labs.sh, judged by its exit code",
                    {"run", "verdict", "seconds", "log"},
                    {}};
  for (const RunVerdict& run : verdicts.runs) {
    const std::string from = fmt::format("{}, line {}: ", verdicts_file, run.line);
    Cell verdict{html::badge(run.holds), " class=\"words\""};
    Cell log{run.log.empty() ? "not in the folder" : file_html(run.log), " class=\"words\""};
    Cell name = Cell::text(run.name);
    table.rows.push_back({std::move(name), std::move(verdict),
                          Cell::number(fmt::format("{:g}", run.seconds), from + "seconds"),
                          std::move(log)});
  }
  for (const std::string& words : verdicts.skipped) {
    text += html::element("p", fmt::format("Skipped: in {}, {}.", verdicts_file, words),
                          " class=\"note\"") +
            "\n";
  }
  return text + table.html() + html::sources({{verdicts_file, "{name,holds,seconds,log}"}});
}

}  // namespace zerolab
