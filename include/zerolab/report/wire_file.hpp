#pragma once

#include <map>
#include <nlohmann/json.hpp>

#include "zerolab/report/options.hpp"

namespace zerolab {

// The wire file: what an MPI library sent per step, measured stage by stage in runs of their own.
// The MPI counts a whole run, start-up and evaluation included; two runs of unlike length differ by
// their steps alone.

/// The sums of norm, overflow and loss are the same small message in every step. Each run that
/// enters a wire file makes this many of them, so that they cancel too; it can have no more steps.
inline constexpr std::size_t wire_scalar_sums = 64;

/// What must be the same for bytes to be comparable: MPI library, N, and the job's words that
/// decide what is sent.
nlohmann::json wire_job(const std::string& data, const Job& job, std::size_t ranks);

/// Throws Error when the file cannot be written, or holds another job: the field is named.
void check_wire_file(const std::string& file, const nlohmann::json& job);

/// Enters a run into the file, which is made if need be; a simulated one by its `trace`, to be read
/// when the file is opened next. Throws Error when the file is of another job, naming the field.
void add_wire_run(const std::string& file, const nlohmann::json& job, int stage, std::size_t steps,
                  const std::vector<std::uint64_t>& bytes_per_rank, const std::string& trace);

/// Bytes per step of each rank, by stage. Throws Error when the file is of another job.
using WirePerStep = std::map<int, std::vector<std::uint64_t>>;
WirePerStep read_wire_file(const std::string& file, const nlohmann::json& job);

}  // namespace zerolab
