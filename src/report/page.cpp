// report: one HTML page from a folder of results. Nothing is measured here, and no clock is read:
// the same folder gives the same page.
#include "zerolab/report/page.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "page_file.hpp"
#include "page_sections.hpp"

namespace zerolab {

namespace {

namespace fs = std::filesystem;

/// What the runs have, each once: "a", "a and b", "a, b and c".
template <class Text>
std::string each_once(const Folder& folder, const Text& text) {
  std::vector<std::string> found;
  for (const VerifyRun& run : folder.runs) {
    if (std::find(found.begin(), found.end(), text(run)) == found.end()) found.push_back(text(run));
  }
  const std::string last = found.back();
  found.pop_back();
  return found.empty() ? last : fmt::format("{} and {}", fmt::join(found, ", "), last);
}

std::string introduction(const Folder& folder) {
  std::string job = "no run of verify is in the folder";
  if (!folder.runs.empty()) {
    job = fmt::format(
        "Φ = {}, {}, Adam, on {} rank{}",
        each_once(folder, [](const VerifyRun& run) { return thin(run.parameters); }),
        each_once(folder,
                  [](const VerifyRun& run) { return run.at("stages.0.precision").field().text(); }),
        each_once(folder, [](const VerifyRun& run) { return std::to_string(run.ranks); }),
        folder.runs.back().ranks == 1 ? "" : "s");
  }
  return "<header>\n<h1>ZeRO stages 0\u2060–\u20603, measured</h1>\n" +
         html::element("p", "zerolab report · " + html::escaped(job), " class=\"lead\"") +
         "\n<nav aria-label=\"Sections\"><a href=\"#verdict\">Verdict</a><a href=\"#runs\">Runs</a>"
         "<a href=\"#verify\">Stages</a><a href=\"#figures\">Figures</a><a "
         "href=\"#items\">Items</a>"
         "<a href=\"#reading\">How to read</a></nav>\n</header>\n";
}

/// A file that nothing on the page needs may be broken too, and is named.
void require_json(Results& results) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(results.folder())) {
    if (entry.path().extension() == ".json") names.insert(entry.path().filename().string());
  }
  for (const std::string& name : names) results.json(name);
}

}  // namespace

std::string heading(int number, const char* id, const char* words) {
  return fmt::format("<h2 id=\"{}\"><span class=\"no\">{}</span>{}</h2>\n", id, number, words);
}

Page page(Results& results) {
  require_json(results);
  const Folder folder = open_folder(results);
  const Verdict verdict = verdict_of(folder);
  std::string text = html::document(
      "ZeRO stages 0–3, measured",
      introduction(folder) + "<main>\n" + verdict_section(folder, verdict) +
          runs_section(folder, verdict.runs) + verify_section(folder) + figures_section(folder) +
          items_section(folder, verdict.items) + reading_section() + "</main>\n");
  return {std::move(text), verdict.failing()};
}

int page_command(const ReportOptions& options) {
  const fs::path file =
      options.output.empty() ? fs::path(options.results) / "report.html" : fs::path(options.output);
  Results results(options.results);
  check_page_file(file);
  const Page made = page(results);
  write_page_file(file, made.html);
  fmt::print("{}\n", file.string());
  if (made.failing.empty()) return 0;
  fmt::print("does not hold: {}; the page names each\n", made.failing);
  return 1;
}

}  // namespace zerolab
