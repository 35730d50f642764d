#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "zerolab/core/require.hpp"

namespace zerolab {

/// JSON of a file, discarded where it is none. Throws Error that begins with `name` for values
/// nested deeper than any of ours: to copy or to tell one takes stack for each level.
template <class Input>
nlohmann::json parsed_json(Input&& input, const std::string& name) {
  constexpr int most = 32;
  bool deep = false;
  nlohmann::json value = nlohmann::json::parse(
      std::forward<Input>(input),
      [&deep](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
        deep |= depth > most;
        return !deep;
      },
      false);
  require(!deep, "{}: JSON nested more than {} deep", name, most);
  return value;
}

}  // namespace zerolab
