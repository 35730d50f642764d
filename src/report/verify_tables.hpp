#pragma once

#include <string>
#include <vector>

#include "zerolab/report/first_difference.hpp"

namespace zerolab {

// What verify prints, from the outcomes of the stages in turn. Rank 0 only.

std::string bits_table(const std::vector<Outcome>& outcomes);
std::string stored_table(const std::vector<Outcome>& outcomes, const Job& job);
std::string peak_table(const std::vector<Outcome>& outcomes);
std::string sent_table(const std::vector<Outcome>& outcomes, const Job& job);
std::string describe(const FirstDifference& difference, const Job& job);

}  // namespace zerolab
