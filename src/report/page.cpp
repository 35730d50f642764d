// report: one HTML page from a folder of results. Nothing is measured here, and no clock is read:
// the same folder gives the same page.
#include "zerolab/report/page.hpp"

#include <filesystem>
#include <set>

#include "page_file.hpp"
#include "page_sections.hpp"

namespace zerolab {

namespace {

namespace fs = std::filesystem;

std::string introduction(const Folder& folder) {
  std::string job = "no run of verify is in the folder";
  if (!folder.runs.empty()) {
    const VerifyRun& run = folder.runs.back();
    job = fmt::format("Φ = {}, {} and Adam, on {} to {} ranks", thin(run.parameters),
                      run.at("stages.0.precision").field().text(), folder.runs.front().ranks,
                      run.ranks);
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
