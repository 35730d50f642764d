#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "zerolab/nn/dataset.hpp"
#include "zerolab/partition/checkpoint_file.hpp"
#include "zerolab/stages/stage.hpp"

namespace zerolab {

/// What a checkpoint tells beside the states it holds.
struct SavedRun {
  nlohmann::json job;  ///< resumable_job
  nlohmann::json run;  ///< run_json of the run that saved it
  ResumePoint at;
  std::size_t samples = 0;  ///< trained so far

  std::string text() const;  ///< the description in the file
};

/// Throws Error naming file and key for a description that no run can have written.
SavedRun saved_run(const CheckpointReader& checkpoint);

/// All that must be equal for a run to go on from a checkpoint.
nlohmann::json resumable_job(const Job& job, const Dataset& data);

/// Its fields that --allow lets differ; widths are the one that cannot.
std::set<std::string> allowable();

/// What differs and is allowed to, field by field in words. Throws Error naming the fields that are
/// not.
std::vector<std::string> require_resumable(const nlohmann::json& job, const SavedRun& saved,
                                           const std::string& path,
                                           const std::set<std::string>& allowed);

}  // namespace zerolab
