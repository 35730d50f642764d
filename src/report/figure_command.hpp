#pragma once

#include <CLI/CLI.hpp>

#include "zerolab/report/options.hpp"

namespace zerolab {

/// report figure NAME, below `report`.
void add_figure_command(CLI::App& report, ReportOptions& options);
/// Says the files written, what they show and what they lack.
int figure_command(const ReportOptions& options);

}  // namespace zerolab
