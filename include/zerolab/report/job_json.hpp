#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "zerolab/nn/dataset.hpp"
#include "zerolab/partition/job.hpp"

namespace zerolab {

/// What decides a job's bits beside its batches and its data, as files keep it.
nlohmann::json job_json(const Job& job);

/// What changes no bits, or is none of the job's doing: who ran it, with which libraries.
nlohmann::json run_json(const std::string& data, const Job& job, int stage, std::size_t ranks);

/// The values that a data set holds, in short.
std::string data_checksum(const Dataset& data);

/// A value under a key in words; "not given" where there is none.
std::string shown(const nlohmann::json& object, const std::string& key);

/// Keys under which two objects differ, in alphabetical order.
std::vector<std::string> differing_keys(const nlohmann::json& a, const nlohmann::json& b);

}  // namespace zerolab
