#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace zerolab {

/// A folder of measured results, as ./run_labs.sh leaves it:
///   doctor.json               the machine                      doctor --json
///   verify-N.json             stages 0 to 3 on N ranks         verify --json
///   timeline-S.json           one step of stage S              train --timeline
///   timeline-S-overlapped.json  of its overlapped twin
///   exercise-ID.json          the documents' exercises         plan --json
///   verdicts.jsonl            {name, holds, seconds, log} a run of run_labs.sh; log: what it
///   printed
/// Any of them may be missing; then what it would show is called not measured.
class Results {
 public:
  /// Throws Error when there is no such folder.
  explicit Results(std::string folder);

  const std::string& folder() const { return folder_; }
  /// A file of one JSON value; nullptr when there is none. Throws Error naming a file that cannot
  /// be read or is not JSON.
  const nlohmann::json* json(const std::string& file);
  /// A file of a JSON value a line; empty when there is none.
  std::vector<nlohmann::json> lines(const std::string& file) const;
  /// A whole file; none when there is none. Throws Error naming a file that cannot be read.
  std::optional<std::string> text(const std::string& file) const;
  /// Rank counts N for which there is a verify-N.json, ascending.
  std::vector<std::size_t> verified_ranks() const;

 private:
  std::string folder_;
  std::map<std::string, nlohmann::json> parsed_;
};

}  // namespace zerolab
