#pragma once

#include "folder.hpp"
#include "page_html.hpp"

namespace zerolab {

// The page's sections, each HTML from its heading on.
std::string verdict_section(const Folder& folder, const std::vector<JudgedItem>& items);
std::string runs_section(const Folder& folder);
std::string verify_section(const Folder& folder);
std::string figures_section(const Folder& folder);
std::string items_section(const Folder& folder, const std::vector<JudgedItem>& items);
std::string reading_section();

/// A section's heading: <h2 id=…>.
std::string heading(int number, const char* id, const char* words);

/// A run of run_labs.sh, as verdicts.jsonl has it.
struct RunVerdict {
  std::string name, log;
  bool holds;
  double seconds;
};
std::vector<RunVerdict> run_verdicts(const Folder& folder);

// The tables of one verify-N.json.
html::Table bits_table(const VerifyRun& run);
html::Table stored_table(const VerifyRun& run);
html::Table peak_table(const VerifyRun& run);
html::Table sent_table(const VerifyRun& run);
/// Every counted line of every rank equals its formula in the file: of stored and sent.
bool stored_holds(const VerifyRun& run, int stage);
bool sent_holds(const VerifyRun& run, int stage);

}  // namespace zerolab
