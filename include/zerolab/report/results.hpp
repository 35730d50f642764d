#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zerolab {

/// Steps on simulated clusters, in Results.
inline constexpr const char* network_file = "network.json";

/// A folder of measured results, as ./run_labs.sh leaves it:
///   doctor.json               the machine                      doctor --json
///   verify-N.json             stages 0 to 3 on N ranks         verify --json
///   timeline-S.json           one step of stage S              train --timeline
///   timeline-S-overlapped.json  of its overlapped twin
///   network.json              steps on simulated clusters      labs/simulate_network.sh
///   exercise-ID.json          the documents' exercises         plan --json
///   experiment-NAME.json      what no run of verify shows      ask --results
///   verdicts.jsonl            {name, holds, seconds, log} a run of run_labs.sh; log: what it
///   printed
/// Any of them may be missing; then what it would show is called not measured.
class Results {
 public:
  /// Throws Error when there is no such folder.
  explicit Results(std::string folder);
  /// Without a folder: what was put(), and the files that `measure` makes when one of them is first
  /// asked for; null: it could not.
  using Measure = std::function<nlohmann::json(const std::string& file)>;
  explicit Results(std::set<std::string> measurable = {}, Measure measure = {})
      : measurable_(std::move(measurable)), measure_(std::move(measure)) {}

  /// For messages.
  std::string folder() const { return folder_.value_or("measured here"); }
  /// As it would be read from a file.
  void put(const std::string& file, const nlohmann::json& content);
  /// Whether a file is at hand without being read or measured now.
  bool known(const std::string& file) const { return parsed_.contains(file); }
  /// A file of one JSON value; nullptr when there is none. Throws Error naming a file that cannot
  /// be read or is not JSON.
  const nlohmann::json* json(const std::string& file);
  /// All that json() was asked for since the last call of this, there or not.
  std::set<std::string> take_asked() { return std::exchange(asked_, {}); }
  /// A file of a JSON value a line; empty when there is none.
  std::vector<nlohmann::json> lines(const std::string& file) const;
  /// A whole file; none when there is none. Throws Error naming a file that cannot be read.
  std::optional<std::string> text(const std::string& file) const;
  /// Rank counts N for which there is a verify-N.json, ascending.
  std::vector<std::size_t> verified_ranks() const;

 private:
  std::optional<std::string> folder_;
  std::set<std::string> measurable_, asked_;
  Measure measure_;
  std::map<std::string, nlohmann::json> parsed_;
};

}  // namespace zerolab
