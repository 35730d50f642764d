#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "zerolab/report/cost_model.hpp"

namespace zerolab {

using nlohmann::json;

// Results made for tests of what shows them.

inline constexpr std::size_t phi = 156, steps = 3;

inline Job odd_job() {  // units of 98, 40 and 18 elements: no shard is even at N = 3
  Job job;
  job.shape.widths = {13, 7, 5, 3};
  job.reduce = ReduceMode::mpi;
  return job;
}

inline json lines(const MemoryTable& table) {
  json tree;
  for (std::size_t c = 0; c < categories; ++c) {
    tree[std::string(name(static_cast<Category>(c)))] = {{"now", table[c].now},
                                                         {"peak", table[c].peak + 1}};
  }
  return tree;
}

inline json lines(const TrafficTable& table) {
  json tree;
  for (std::size_t c = 0; c < collectives; ++c) {
    tree[std::string(name(static_cast<Collective>(c)))] = {
        {"payload_bytes", table[c].payload_bytes}, {"ring_bytes", table[c].ring_bytes}};
  }
  return tree;
}

/// What verify writes, from the cost model, which other tests hold against the ledgers. The part
/// that a figure must not read differs.
inline json verify_json(std::size_t ranks) {
  const Job job = odd_job();
  json file{{"wire", nullptr}};
  for (int stage = 0; stage < 4; ++stage) {
    const Run run{job, stage, ranks, steps, 0, 1000, 100, 256, 7777};
    json summary{{"ranks", ranks}, {"parameters", phi}, {"precision", "fp16"}};
    json bits = summary, bytes = summary;
    bits["steps"] = 99;
    bits["reduce"] = "exact";
    bytes["steps"] = steps;
    bytes["reduce"] = "mpi";
    for (std::size_t r = 0; r < ranks; ++r) {
      bits["memory"]["per_rank"].push_back(lines(memory_formula(run, r)));
      bytes["traffic"]["per_rank"].push_back(lines(traffic_formula(run, r)));
      bytes["traffic"]["per_rank"].back()["other"]["payload_bytes"] = 12345;
    }
    file["stages"][std::to_string(stage)] = bits;
    file["bytes"][std::to_string(stage)] = bytes;
  }
  return file;
}

inline json timeline_json(int stage, bool overlap) {
  json held;
  for (std::size_t c = 0; c < categories; ++c) {
    held[std::string(name(static_cast<Category>(c)))] = c < 5 ? 1'000'000 : 0;
  }
  const auto change = [](const char* category, int bytes) {
    return json{{"at", 0.001}, {"category", category}, {"change", bytes}};
  };
  const auto span = [](const char* what, json unit, double begin, double end) {
    return json{{"what", what}, {"unit", unit}, {"blocking", true}, {"begin", begin}, {"end", end}};
  };
  const auto mark = [](std::size_t after, const char* words) {
    return json{{"at", 0.001}, {"after", after}, {"unit", 4}, {"words", words}};
  };
  return {{"zerolab_timeline", 1},
          {"stage", stage},
          {"overlap", overlap},
          {"ranks", 2},
          {"rank", 0},
          {"parameters", phi},
          {"reduce", "mpi"},
          {"simulated", false},
          {"seconds", 0.004},
          {"held", held},
          {"memory",
           {change("parameters", 500'000), change("parameters", -500'000),
            change("parameters", 500'000), change("gradients", 250'000),
            change("gradients", -250'000), change("parameters", -500'000)}},
          {"spans", {span("allgather", nullptr, 0, 0.001), span("forward", 4, 0.001, 0.002)}},
          {"marks",
           {mark(1, "all-gather 8 elements, holds 3 → 8"), mark(1, "forward"), mark(1, "release 5"),
            mark(3, "all-gather 8 elements, holds 3 → 8"), mark(4, "backward"),
            mark(4, "release gradient 5"), mark(5, "release 5")}}};
}

/// A folder of results made for one test.
class ResultsFolder {
 public:
  ResultsFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "zerolab-XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr, "no folder {}", name);
    path_ = name;
  }
  ~ResultsFolder() { std::filesystem::remove_all(path_); }
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  std::string path() const { return path_.string(); }
  void write(const std::string& file, const nlohmann::json& value) const {
    std::ofstream(path_ / file) << value;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace zerolab
