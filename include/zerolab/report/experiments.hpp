#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "zerolab/comm/communicator.hpp"

namespace zerolab {

/// Trains small jobs on all ranks together and says what was measured, for the items that no run of
/// verify decides. Seconds on 2 cores with up to 8 ranks.
struct Experiment {
  const char* file;                               ///< experiment-NAME.json
  nlohmann::json (*measure)(Communicator& comm);  ///< the file's content on rank 0, null elsewhere
};

std::span<const Experiment> experiments();

}  // namespace zerolab
