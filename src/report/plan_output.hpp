#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "zerolab/report/plan_options.hpp"

// What plan prints and writes: text in lines of at most 100 columns, JSON in exact integers.

namespace zerolab {

/// One line of plan time: bytes, by stage and convention or as given.
struct TimedBytes {
  std::optional<int> stage;
  std::string counted;  ///< "payload", "wire", "payload, wire" where they are equal, or "given"
  Fraction bytes;
  Timing timing;
};

/// All that is counted in the same directions.
struct TimeCase {
  std::optional<Directions> directions;  ///< none: a given volume, of which nothing was said
  std::vector<TimedBytes> lines;
};
std::vector<TimeCase> time_cases(const PlanOptions& options);

struct PlanOutput {
  std::string text;
  nlohmann::json json;
};
/// All of it, for whatever is asked.
PlanOutput plan_output(const PlanOptions& options);

std::string memory_text(const PlanOptions& options, const std::vector<StageMemory>& stages);
std::string traffic_text(const PlanOptions& options, const std::vector<StageTraffic>& stages);
std::string time_text(const PlanOptions& options, const std::vector<TimeCase>& cases);
std::string fit_text(const PlanOptions& options, const Fit& fit);
std::string remedies_text(const PlanOptions& options, const Fit& fit);

nlohmann::json memory_json(const PlanOptions& options, const std::vector<StageMemory>& stages);
nlohmann::json traffic_json(const PlanOptions& options, const std::vector<StageTraffic>& stages);
nlohmann::json time_json(const PlanOptions& options, const std::vector<TimeCase>& cases);
nlohmann::json fit_json(const PlanOptions& options, const Fit& fit);

/// Whether a layout's traffic is that of our stages.
inline bool sends_as_we_do(const PlanOptions& o) {
  return o.model.layout == StateLayout::zerolab || o.model.layout == StateLayout::no_master;
}
/// The model in words for joined().
std::vector<std::string> describe(const PlanOptions& options, bool with_state);
/// Rounded up where it is not whole, in groups of three.
std::string bytes_text(const Fraction& bytes);
/// "1 rank", "8 ranks".
std::string ranks_of(Whole number);
/// A line that is broken behind commas and semicolons where it is longer than 100 columns.
std::string wrapped(const std::string& line);
/// Four digits, with an exponent from a million on and below 1/10000.
std::string multiple(const Fraction& times);
/// "59.29 %"; "-" for none.
std::string percent(const std::optional<Fraction>& share, int places = 2);

}  // namespace zerolab
