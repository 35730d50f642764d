#pragma once

#include <string>
#include <vector>

#include "zerolab/report/first_difference.hpp"
#include "zerolab/report/wire_file.hpp"

namespace zerolab {

// What verify prints, from the outcomes of the stages in turn. Rank 0 only.

std::string bits_table(const std::vector<Outcome>& outcomes);
std::string stored_table(const std::vector<Outcome>& outcomes, const Job& job);
std::string peak_table(const std::vector<Outcome>& outcomes);
std::string sent_table(const std::vector<Outcome>& outcomes, const Job& job);
/// Empty where nothing is sent. Stages that were not measured are shown as not available.
std::string wire_table(const std::vector<Outcome>& outcomes, const Job& job,
                       const WirePerStep& measured);
std::string describe(const FirstDifference& difference, const Job& job);

}  // namespace zerolab
