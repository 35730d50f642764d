#pragma once

#include <map>

#include "results_folder.hpp"

namespace zerolab {

// A whole folder of results in which everything is right, from the cost model, which other tests
// hold against the ledgers, and for plan from the documents' own numbers.

inline json whole_lines(const MemoryTable& table) {
  json tree;
  for (std::size_t c = 0; c < categories; ++c) {
    tree[std::string(name(static_cast<Category>(c)))] = {{"now", table[c].now},
                                                         {"peak", table[c].peak}};
  }
  return tree;
}

inline json whole_lines(const TrafficTable& table) {
  json tree;
  for (std::size_t c = 0; c < collectives; ++c) {
    tree[std::string(name(static_cast<Collective>(c)))] = {
        {"calls", table[c].calls},
        {"elements", table[c].elements},
        {"payload_bytes", table[c].payload_bytes},
        {"ring_bytes", table[c].ring_bytes}};
  }
  return tree;
}

inline json whole_summary(int stage, std::size_t ranks, const char* reduce, const Job& job) {
  const Run run{job, stage, ranks, steps, 0, 1000, 100, 256, 7777};
  json summary{{"stage", stage},        {"seed", 1},
               {"ranks", ranks},        {"parameters", job.shape.parameters()},
               {"precision", "fp16"},   {"reduce", reduce},
               {"steps", steps},        {"skipped_steps", 0},
               {"loss", 0.125},         {"test_correct", 90},
               {"test_samples", 100},   {"mpi", "Some MPI 1.0"},
               {"blas_kernel", "Some"}, {"digest_agrees", true}};
  summary["digest"] = {{"parameters", "00000000000000aa"},
                       {"master", "00000000000000bb"},
                       {"moments", "00000000000000cc"}};
  for (std::size_t r = 0; r < ranks; ++r) {
    json held = whole_lines(memory_formula(run, r));
    held["peak_total"] = 0;  // all peaks at once
    for (const auto& line : memory_formula(run, r)) {
      held["peak_total"] = held["peak_total"].get<std::uint64_t>() + line.peak;
    }
    held["rss_peak"] = nullptr;
    summary["memory"]["per_rank"].push_back(held);
    summary["memory"]["formula"].push_back(whole_lines(memory_formula(run, r)));
    summary["traffic"]["per_rank"].push_back(whole_lines(traffic_formula(run, r)));
    summary["traffic"]["formula"].push_back(whole_lines(traffic_formula(run, r)));
  }
  return summary;
}

inline json whole_verify_json(std::size_t ranks, const Job& job = odd_job()) {
  json file{{"agree", true}, {"wire", nullptr}};
  for (int stage = 0; stage < 4; ++stage) {
    file["stages"][std::to_string(stage)] = whole_summary(stage, ranks, "exact", job);
    file["bytes"][std::to_string(stage)] = whole_summary(stage, ranks, "mpi", job);
  }
  return file;
}

/// Of 2 ranks, whose rings send a byte each in a call and two in an all-reduce; and nothing alone.
inline json whole_wire_json() {
  json file{{"ranks", 2}, {"payload_bytes", 2}, {"not_available", nullptr}};
  file["allreduce"] = {{"sent", {2, 2}}, {"ring", {2, 2}}};
  for (const char* half : {"reduce_scatter", "allgather"}) {
    file[half] = {{"sent", {1, 1}}, {"ring", {1, 1}}};
  }
  file["alone"] = std::vector<std::vector<std::uint64_t>>(4, {0, 0});
  return file;
}

inline json fraction_json(std::uint64_t a, std::uint64_t b) {
  return {{"numerator", a},
          {"denominator", b},
          {"decimal", static_cast<double>(a) / static_cast<double>(b)}};
}

/// What plan writes, as far as the page reads it: file without ending, and content.
inline std::map<std::string, json> plan_answers() {
  const std::uint64_t giga = 1'000'000'000;
  const auto memory = [](std::vector<std::uint64_t> bytes) {
    json stages = json::array();
    for (const std::uint64_t b : bytes) {
      stages.push_back({{"stage", stages.size()}, {"bytes_per_rank", b}});
    }
    return json{{"stages", stages}};
  };
  std::map<std::string, json> answers;
  answers["exercise-2.1"] = memory({112 * giga, 112 * giga, 112 * giga, 112 * giga});
  answers["exercise-2.2"] = memory({112 * giga, 38'500'000'000, 26'250'000'000, 14 * giga});
  answers["exercise-2.3"] = answers["exercise-2.2"];
  answers["exercise-3.3"] = memory({2800 * giga, 0, 0, 43'750'000'000});
  answers["exercise-3.3-2"]["stages"] = {{{"stage", 3},
                                          {"volume_bytes", 1'033'593'750'000},
                                          {"volume_bytes_both_directions", 2'067'187'500'000}}};
  json& fit = answers["exercise-4.1"];
  for (const std::uint64_t gigabytes : {660U, 240U, 170U, 100U}) {
    fit["stages"].push_back({{"stage", fit["stages"].size()},
                             {"total_bytes", gigabytes * giga},
                             {"fits", false},
                             {"min_ranks", nullptr}});
  }
  // 640/N ≤ 60; 4Φ = 160, 160, 80 + 10, 20 beside 20; 640, 220, 150, 80 over M ≤ 60.
  fit["stages"][3]["min_ranks"] = 11;
  fit["stages"][3]["min_ranks_power_of_two"] = 16;
  fit["remedies"]["activations_at_most"] = 0;
  for (const std::uint64_t gigabytes : {180U, 180U, 110U, 40U}) {
    fit["remedies"]["offload"].push_back(
        {{"total_bytes", gigabytes * giga}, {"fits", gigabytes <= 80}});
  }
  for (const int parts : {11, 4, 3, 2}) fit["remedies"]["split"].push_back({{"parts", parts}});
  json four = {{"stage", 3},
               {"total_bytes", 85 * giga},
               {"min_ranks_bound", fraction_json(128, 15)},
               {"min_ranks_power_of_two", 16}};
  answers["exercise-4.2"] = {{"inputs", {{"ranks", 8}}},
                             {"stages", {{{"stage", 0}}, {{"stage", 1}}, {{"stage", 2}}, four}}};
  four["total_bytes"] = 45 * giga;
  answers["exercise-4.2-2"] = {{"inputs", {{"ranks", 16}}},
                               {"stages", {{{"stage", 0}}, {{"stage", 1}}, {{"stage", 2}}, four}}};
  const json efficiency{{"efficiency", fraction_json(150, 253)},
                        {"bandwidth_for_target", 824 * giga},
                        {"bandwidth_ratio", fraction_json(206, 75)}};
  answers["exercise-5.2"]["cases"] = {{{"directions", "as given"},
                                       {"stages",
                                        {{{"stage", nullptr},
                                          {"counted", "given"},
                                          {"seconds", fraction_json(103, 15)},
                                          {"no_overlap", efficiency}}}}}};
  const auto timed = [](int stage, std::uint64_t seconds, std::uint64_t whole) {
    return json{{"stage", stage},
                {"counted", "payload"},
                {"seconds", fraction_json(seconds, 64)},
                {"no_overlap", {{"efficiency", fraction_json(640, whole)}}}};
  };
  answers["exercise-5.3"]["cases"] = {
      {{"directions", "both"}, {"stages", {timed(0, 147, 787), timed(3, 441, 1081)}}}};
  return answers;
}

inline json whole_doctor_json() {
  json doctor{{"machine", {{"MPI", "Some MPI 1.0"}, {"BLAS", "Some BLAS"}, {"ranks", "2"}}},
              {"hints", {"a hint"}},
              {"all_right", true}};
  for (const char* what : {"MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Allgather(v)",
                           "MPI_Reduce_scatter, counts of 0", "MPI_Allgatherv, counts of 0"}) {
    doctor["self_tests"].push_back({{"what", what}, {"right", 2}, {"ranks", 2}});
  }
  return doctor;
}

/// Every file of it by name.
inline std::map<std::string, json> whole_folder() {
  std::map<std::string, json> files;
  for (const std::size_t n : {1U, 2U, 3U, 4U, 8U}) {
    files[fmt::format("verify-{}.json", n)] = whole_verify_json(n);
  }
  for (const auto& [answer, content] : plan_answers()) files[answer + ".json"] = content;
  files["doctor.json"] = whole_doctor_json();
  files["experiment-wire.json"] = whole_wire_json();
  files["verdicts.jsonl"] = {{"name", "verify digits, 4 ranks"},
                             {"holds", true},
                             {"seconds", 12},
                             {"log", "verify-digits-4-ranks.txt"}};
  files["verify-digits-4-ranks.txt"] = "what verify printed";
  return files;
}

inline void write(const ResultsFolder& folder, const std::map<std::string, json>& files) {
  for (const auto& [file, content] : files) folder.write(file, content);
}

}  // namespace zerolab
