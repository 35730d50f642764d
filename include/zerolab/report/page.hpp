#pragma once

#include <string>

#include "zerolab/report/options.hpp"
#include "zerolab/report/results.hpp"

namespace zerolab {

/// One self-contained HTML page of what a folder of results holds: verdicts, the tables of verify,
/// figures, the documents' items. Runs nothing and refers to nothing outside itself. Throws Error
/// naming file and key when a file is not as documented.
std::string page(Results& results);

/// Writes the page, whole or not at all, and says where.
int page_command(const ReportOptions& options);

}  // namespace zerolab
