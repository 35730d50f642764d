#pragma once

#include <string>

#include "zerolab/report/options.hpp"
#include "zerolab/report/results.hpp"

namespace zerolab {

struct Page {
  std::string html;
  std::string
      failing;  ///< how much does not hold: "1 run, 2 items"; empty: all that is judged holds
};

/// One self-contained HTML page of what a folder of results holds: verdicts, the tables of verify,
/// figures, the documents' items. Runs nothing and refers to nothing outside itself. Throws Error
/// naming file and key when a file is not as documented.
Page page(Results& results);

/// Writes the page, whole or not at all, and says where. 1 when something on it does not hold: a
/// run, an item, a cell of a table, a self-test. What is not measured is no failure.
int page_command(const ReportOptions& options);

}  // namespace zerolab
