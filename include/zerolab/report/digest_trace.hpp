#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "zerolab/report/job_data.hpp"
#include "zerolab/stages/state_digest.hpp"

namespace zerolab {

// A digest trace: digests of the parameters before the first step and after each, unit by unit, at
// most 64 ranges a unit. Saved as lines of JSON (README, "Where two runs part"); two of them show
// where two runs of one job part, on whatever machines they ran. Rank 0's business.

inline constexpr const char* trace_format_key = "zerolab_digest_trace";
inline constexpr int trace_format = 1;

/// The first line. `job` is what must be equal for traces to be compared, `run` what may differ.
struct TraceHeader {
  nlohmann::json job, run;
  nlohmann::json line() const;
};
TraceHeader trace_header(const Options& options, const JobData& data, int stage, std::size_t ranks);

/// Digests of one unit's ranges.
using RangeDigests = std::vector<std::uint64_t>;

/// A line after the first.
nlohmann::json trace_line(std::size_t step, std::size_t unit, const RangeDigests& digests);

struct DigestTrace {
  std::string file;
  TraceHeader header;
  NetworkShape shape;
  std::size_t steps = 0;
  std::vector<RangeDigests> digests;  ///< [step · units + unit], step 0 before training

  const RangeDigests& at(std::size_t step, std::size_t unit) const {
    return digests[step * shape.units() + unit];
  }
};

/// Reads a saved trace, every line of it. Throws Error naming file and line.
DigestTrace read_trace(const std::string& file);

/// Throws Error naming the fields, if any, in which two traces are of different jobs.
void require_same_job(const TraceHeader& mine, const std::string& my_name,
                      const DigestTrace& theirs);

/// Where two traces part first.
struct Parting {
  std::size_t step, unit;
  std::size_t first, last;    ///< elements of the unit: its first range that differs
  std::size_t differing, of;  ///< ranges of the unit
  std::size_t elements;       ///< of the unit
};

/// None when the digests are equal.
std::optional<Parting> parting(const NetworkShape& shape, std::size_t step, std::size_t unit,
                               const RangeDigests& a, const RangeDigests& b);

}  // namespace zerolab
