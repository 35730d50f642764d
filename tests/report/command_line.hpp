#pragma once

#include <utility>
#include <vector>

#include "zerolab/report/options.hpp"

namespace zerolab {

using Words = std::vector<const char*>;

/// What the program makes of these words.
inline CommandLine parse(Words words) {
  words.insert(words.begin(), "zerolab");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

}  // namespace zerolab
