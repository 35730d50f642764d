#include "zerolab/report/wire_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "parsed_json.hpp"
#include "zerolab/comm/wire_dump.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

namespace {

using nlohmann::json;

/// In words that an error message can show.
std::string shown(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

json parsed(const std::string& file) {
  std::ifstream in(file);
  require(in.good(), "{}: cannot be read", file);
  json tree = parsed_json(in, file);
  require(tree.is_object() && tree.contains("job") && tree.contains("stages"),
          "{}: is no wire file; ./run_labs.sh wire writes one", file);
  return tree;
}

bool is_bytes(const json& value, std::size_t ranks) {
  return value.is_array() && value.size() == ranks &&
         std::all_of(value.begin(), value.end(), [](const json& bytes) {
           return bytes.is_number_unsigned() && bytes.get<std::uint64_t>() < std::uint64_t{1} << 50;
         });
}

/// Every stage has runs, and every run its length and a count for each rank or the name of a trace.
bool is_whole(const json& tree, std::size_t ranks) {
  static const std::set<std::string> numbers{"0", "1", "2", "3"};
  if (!tree.at("stages").is_object()) return false;
  for (const auto& [stage, entry] : tree.at("stages").items()) {
    if (!numbers.contains(stage) || !entry.is_object() || !entry.contains("runs")) return false;
    if (!entry.at("runs").is_array() || entry.at("runs").empty()) return false;
    for (const json& run : entry.at("runs")) {
      const bool counted =
          run.is_object() &&
          (run.contains("bytes_per_rank") ? is_bytes(run.at("bytes_per_rank"), ranks)
                                          : run.contains("trace") && run.at("trace").is_string());
      if (!counted || !run.contains("steps") || !run.at("steps").is_number_unsigned()) return false;
    }
    if (entry.contains("bytes_per_rank_per_step") &&
        !is_bytes(entry.at("bytes_per_rank_per_step"), ranks))
      return false;
  }
  return true;
}

void require_same_job(const std::string& file, const json& measured, const json& job) {
  for (const auto& [field, value] : job.items()) {
    require(measured.contains(field), "{}: is no wire file: {} is missing", file, field);
    require(measured.at(field) == value, "{}: measured with {} = {}, this job has {}", file, field,
            shown(measured.at(field)), shown(value));
  }
}

/// A file that is there, of this job and without a gap.
json parsed(const std::string& file, const json& job) {
  json tree = parsed(file);
  require(tree.at("job").is_object(), "{}: is no wire file: job is not an object", file);
  require_same_job(file, tree.at("job"), job);
  require(is_whole(tree, job.at("ranks")), "{}: is no wire file: its stages are damaged", file);
  return tree;
}

/// The file's content, or that of an empty one.
json opened(const std::string& file, const json& job) {
  std::error_code none;
  const bool anew = std::filesystem::file_size(file, none) == 0 || none;
  return anew ? json{{"job", job}, {"stages", json::object()}} : parsed(file, job);
}

using Bytes = std::vector<std::uint64_t>;

/// What `runs` of one stage differ by, per step.
json per_step(const std::string& file, const json& runs) {
  const auto &shorter = runs.front(), &longer = runs.back();
  const auto steps = longer.at("steps").get<std::size_t>() - shorter.at("steps").get<std::size_t>();
  const Bytes a = shorter.at("bytes_per_rank"), b = longer.at("bytes_per_rank");
  Bytes bytes;
  for (std::size_t r = 0; r < a.size(); ++r) {
    require(b[r] >= a[r] && (b[r] - a[r]) % steps == 0,
            "{}: rank {} sent {} and {} bytes in runs that differ by {} steps: not the same in "
            "every step",
            file, r, a[r], b[r], steps);
    bytes.push_back((b[r] - a[r]) / steps);
  }
  return bytes;
}

/// Runs that were entered by their trace get the bytes it shows; a stage with two runs or more gets
/// what they differ by. Whether a trace was read.
bool settle(const std::string& file, json& tree) {
  bool traces_read = false;
  for (auto& [stage, entry] : tree.at("stages").items()) {
    bool counted = true;
    for (json& run : entry.at("runs")) {
      if (run.contains("trace") && std::filesystem::exists(run.at("trace").get<std::string>())) {
        const WireBytes wire = read_smpi_trace(run.at("trace"), tree.at("job").at("ranks"));
        require(!wire.per_rank.empty(), "{}: {}", file, wire.reason);
        run["bytes_per_rank"] = wire.per_rank;
        run.erase("trace");
        traces_read = true;
      }
      counted &= run.contains("bytes_per_rank");
    }
    if (counted && entry.at("runs").size() > 1)
      entry["bytes_per_rank_per_step"] = per_step(file, entry.at("runs"));
  }
  return traces_read;
}

}  // namespace

json wire_job(const std::string& data, const Job& job, std::size_t ranks) {
  return {{"mpi", mpi_library()},
          {"ranks", ranks},
          {"data", data},
          {"widths", job.shape.widths},
          {"precision", name(job.precision)},
          {"reduce", name(job.reduce)},
          {"k", job.rounds(ranks)},
          {"checkpoint_activations", job.activation_segments},
          {"overlap", job.overlap},
          {"chunk_elements", job.chunk_elements}};
}

void check_wire_file(const std::string& file, const json& job) {
  check_writable(file);
  opened(file, job);
}

void add_wire_run(const std::string& file, const json& job, int stage, std::size_t steps,
                  const Bytes& bytes_per_rank, const std::string& trace) {
  json tree = opened(file, job);
  settle(file, tree);
  json& entry = tree.at("stages")[std::to_string(stage)];
  std::map<std::size_t, json> by_steps;
  if (entry.is_object())
    for (const json& run : entry.at("runs")) by_steps[run.at("steps")] = run;
  by_steps[steps] = trace.empty() ? json{{"steps", steps}, {"bytes_per_rank", bytes_per_rank}}
                                  : json{{"steps", steps}, {"trace", trace}};
  entry = {{"runs", json::array()}};
  for (const auto& [length, run] : by_steps) entry["runs"].push_back(run);
  if (trace.empty()) settle(file, tree);
  write_file(file, tree.dump(1) + "\n");
}

WirePerStep read_wire_file(const std::string& file, const json& job) {
  json tree = parsed(file, job);
  if (settle(file, tree)) write_file(file, tree.dump(1) + "\n");  // done with the traces
  WirePerStep stages;
  for (const auto& [stage, entry] : tree.at("stages").items()) {
    if (entry.contains("bytes_per_rank_per_step"))
      stages[std::stoi(stage)] = entry.at("bytes_per_rank_per_step").get<Bytes>();
  }
  return stages;
}

}  // namespace zerolab
