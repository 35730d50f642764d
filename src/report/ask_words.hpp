#pragma once

#include <string>

#include "zerolab/report/ask.hpp"

namespace zerolab {

// What the texts of ask share. Lines have at most 100 columns.

/// The words in lines, the first after `first` blanks, the others after `others`.
std::string paragraph(const std::string& words, std::size_t first, std::size_t others);
/// At most so many columns: where that cuts, whole words and an ellipsis.
std::string fitted(const std::string& text, std::size_t room);

/// Why what is simulated was not run, and how to run it.
std::string not_run(const Place& place);
std::string how_to_run(const Place& place, const char* id);
/// Whether one rank was too few.
bool wants_ranks(const Answer& answer);
inline constexpr const char* more_ranks_needed = "needs two ranks or more";

}  // namespace zerolab
