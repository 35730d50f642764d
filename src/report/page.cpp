// report: one HTML page from a folder of results. Nothing is measured here, and no clock is read:
// the same folder gives the same page.
#include "zerolab/report/page.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "page_sections.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view beginning = "<!DOCTYPE html>";

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

/// Refuses to write over what is not such a page.
void check_output(const fs::path& file) {
  std::error_code none;
  if (!fs::exists(file, none)) return;
  require(fs::is_regular_file(file, none), "--output {}: is no file", file.string());
  std::ifstream in(file, std::ios::binary);
  std::string start(beginning.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  require(in.gcount() == 0 || start == beginning,
          "--output {}: holds something else than a page, and is left alone", file.string());
}

/// Whole or not at all: written beside the file, then given its name.
void write_page(const fs::path& file, const std::string& text) {
  const fs::path part = file.string() + ".part";
  try {
    write_file(part.string(), text);
    fs::rename(part, file);
  } catch (const std::exception& error) {
    std::error_code none;
    fs::remove(part, none);
    throw Error(error.what());
  }
}

}  // namespace

std::string heading(int number, const char* id, const char* words) {
  return fmt::format("<h2 id=\"{}\"><span class=\"no\">{}</span>{}</h2>\n", id, number, words);
}

Page page(Results& results) {
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
  check_output(file);
  const Page made = page(results);
  write_page(fs::weakly_canonical(file), made.html);
  fmt::print("{}\n", file.string());
  if (made.failing.empty()) return 0;
  fmt::print("does not hold: {}; the page names each\n", made.failing);
  return 1;
}

}  // namespace zerolab
