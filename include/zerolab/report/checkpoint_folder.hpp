#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zerolab {

inline constexpr std::string_view checkpoint_end = ".zerolab";  ///< of a file's name

/// A folder's checkpoints by their steps, and files that were not completed.
struct CheckpointFolder {
  std::map<std::size_t, std::string> complete;
  std::vector<std::string> partial;
};
CheckpointFolder look_into(const std::string& folder);
std::string checkpoint_file(const std::string& folder, std::size_t step);

/// The newest checkpoint of a folder, or the file that is named; `ignored` gets what was passed
/// over. Throws Error when there is none.
std::string newest_checkpoint(const std::string& name, std::vector<std::string>& ignored);

}  // namespace zerolab
