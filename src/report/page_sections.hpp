#pragma once

#include "folder.hpp"
#include "page_html.hpp"

namespace zerolab {

/// Where a number of the page comes from: file and path of keys.
inline std::string from(const VerifyRun& run, const std::string& path) {
  return run.file + ": " + path;
}

inline constexpr const char* verdicts_file = "verdicts.jsonl";

/// A run of run_labs.sh, as verdicts.jsonl has it.
struct RunVerdict {
  std::string name;
  std::string log;  ///< a file of the folder; empty: not there
  bool holds;
  double seconds;
  std::size_t line;
};
struct RunVerdicts {
  std::vector<RunVerdict> runs;
  std::vector<std::string> skipped;  ///< lines without a verdict, in words
};
RunVerdicts run_verdicts(const Folder& folder);

/// What does not hold (HTML), and where on the page it stands (an id).
struct Fault {
  std::string words, place;
};

/// Numbers that are judged, those of them that hold, and the faults.
struct TableVerdict {
  std::size_t judged = 0, held = 0;
  std::vector<Fault> faults;
};
TableVerdict table_verdict(const Folder& folder);   ///< all cells of verify's tables
TableVerdict doctor_verdict(const Folder& folder);  ///< self-tests

/// All that the page judges.
struct Verdict {
  RunVerdicts runs;
  std::vector<JudgedItem> items;
  TableVerdict tables, doctor;

  /// How much of what does not hold: "1 run, 2 items"; empty when all that is judged holds.
  std::string failing() const;
};
Verdict verdict_of(const Folder& folder);

// The page's sections, each HTML from its heading on.
std::string verdict_section(const Folder& folder, const Verdict& verdict);
std::string runs_section(const Folder& folder, const RunVerdicts& verdicts);
std::string verify_section(const Folder& folder);
std::string figures_section(const Folder& folder);
std::string items_section(const Folder& folder, const std::vector<JudgedItem>& items);
std::string reading_section();

/// A section's heading: <h2 id=…>.
std::string heading(int number, const char* id, const char* words);

// The tables of all runs of verify.
html::Table memory_overview(const Folder& folder);
html::Table run_overview(const Folder& folder);

// The tables of one verify-N.json.
html::Table bits_table(const VerifyRun& run);
html::Table stored_table(const VerifyRun& run);
html::Table peak_table(const VerifyRun& run);
html::Table sent_table(const VerifyRun& run);
/// Every counted line of every rank equals its formula in the file: of stored and sent.
bool stored_holds(const VerifyRun& run, int stage);
bool sent_holds(const VerifyRun& run, int stage);

}  // namespace zerolab
