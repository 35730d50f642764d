// Each experiment, on the ranks of the test, decides its item; and the other way round as soon as
// one of the numbers that it measured is another.
#include "zerolab/report/experiments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "page_folder.hpp"
#include "report/experiment.hpp"
#include "report/folder.hpp"
#include "zerolab/report/ask.hpp"

namespace zerolab {
namespace {

using Place = json::json_pointer;

struct Experiments : testing::Test {
  Communicator comm{MPI_COMM_WORLD};
  bool first() const { return comm.rank() == 0; }

  /// Measured once in a program; all ranks together, null off rank 0.
  const json& measured(const std::string& file) {
    static std::map<std::string, json> all;
    for (const Experiment& one : experiments()) {
      if (one.file == file && !all.contains(file)) all[file] = one.measure(comm);
    }
    return all.at(file);
  }
};

Finding finding_of(const std::string& id, const std::string& file, const json& content) {
  const ResultsFolder folder;
  folder.write(file, content);
  Results results(folder.path());
  for (const Item& item : all_items()) {
    if (item.id == id) return item.find(open_folder(results));
  }
  throw Error("no item " + id);
}

struct Decides {
  const char *file, *id;
  std::size_t least_ranks;
};

const std::vector<Decides> decides{
    {"experiment-batches.json", "TF1", 2},      {"experiment-states.json", "SE4", 1},
    {"experiment-sums.json", "SE9", 2},         {"experiment-averaging.json", "WY4", 2},
    {"experiment-accumulation.json", "WY7", 2}, {"experiment-activations.json", "EC3", 2},
    {"experiment-empty-shards.json", "EC4", 3}, {"experiment-identical-batches.json", "EC6", 2}};

TEST_F(Experiments, DecideTheirItemsOnRanksEnough) {
  for (const auto& [file, id, least_ranks] : decides) {
    const json& content = measured(file);
    EXPECT_EQ(content.is_null(), !first()) << file;
    if (!first()) continue;
    const Finding finding = finding_of(id, file, content);
    const bool enough = comm.size() >= least_ranks;
    EXPECT_EQ(finding.status(), enough ? Status::holds : Status::not_measured) << id;
    const bool missing = std::any_of(
        finding.open.begin(), finding.open.end(),
        [file = file](const std::string& open) { return open.find(file) != std::string::npos; });
    EXPECT_EQ(missing, !enough) << id;
  }
}

TEST_F(Experiments, MeasurePartsOfItemsThatRunsDecide) {
  std::map<std::string, json> files;
  for (const char* file : {"experiment-variants.json", "experiment-states.json"}) {
    files[file] = measured(file);
  }
  if (!first()) return;
  for (const std::size_t n : {1U, 2U}) {
    files[fmt::format("verify-{}.json", n)] = whole_verify_json(n);
  }
  const ResultsFolder folder;
  write(folder, files);
  Results results(folder.path());
  for (const auto& [item, finding] : judged_items(results)) {
    if (!std::set<std::string>{"TF3", "TF8", "TF10", "WY8"}.contains(item.id)) continue;
    EXPECT_EQ(finding.status(), Status::holds) << item.id;
    const bool enough = comm.size() > 1 || std::string(item.id) == "WY8";
    EXPECT_EQ(finding.open.empty(), enough) << item.id;
    const Evidence& part = finding.evidence.back();
    EXPECT_TRUE(part.sources[0].file.starts_with("experiment-")) << item.id;
    const bool on_one_rank = std::set<std::string>{"TF10", "WY8"}.contains(item.id);  // SE4's
    EXPECT_EQ(part.values.back().holds.has_value(), comm.size() > 1 || on_one_rank) << item.id;
  }
}

TEST_F(Experiments, WhatDecidesIsShown) {
  const json &states = measured("experiment-states.json"),
             &averaging = measured("experiment-averaging.json");
  if (!first()) return;
  const Finding lost = finding_of("SE4", "experiment-states.json", states);
  for (const json& one : states["precisions"]) {
    const std::string rate = fmt::format("{:g}", one["learning_rate"].get<double>());
    EXPECT_NE(lost.evidence[0].what.find(rate), std::string::npos) << rate;
  }
  if (comm.size() == 1) return;
  const auto ratio = deciding(finding_of("WY4", "experiment-averaging.json", averaging));
  EXPECT_EQ(ratio->evidence.what.substr(0, 8), "variance");
  EXPECT_EQ(ratio->value.at, fmt::format("N = {}", comm.size()));
}

/// What is put into a file of right results.
struct Fault {
  const char *file, *id, *place;
  json value;
};

std::vector<Fault> faults_in_numbers(const json& averaging, const json& sums) {
  std::vector<Fault> faults;
  for (const char* way : {"/one_rank", "/all_ranks", "/without_replacement"}) {
    const double variance = averaging.at(Place(std::string(way) + "/variance")).get<double>();
    static std::map<std::string, std::string> places;
    places[way] = std::string(way) + "/variance";
    places[std::string(way) + "m"] = std::string(way) + "/mean";
    const char* file = "experiment-averaging.json";
    faults.push_back({file, "WY4", places[way].c_str(), variance * 2});
    faults.push_back({file, "WY4", places[way].c_str(), variance / 2});
    faults.push_back({file, "WY4", places[std::string(way) + "m"].c_str(), 10.0});
  }
  const char* file = "experiment-sums.json";
  const double step = sums.at(Place("/sgd/first_step/sum")).get<double>();
  faults.push_back({file, "SE9", "/sgd/first_step/sum", step * 1.001});
  faults.push_back({file, "SE9", "/sgd/first_step/sum", step * 0.999});
  faults.push_back({file, "SE9", "/adam/first_step/largest_difference", 0.6e-3});
  return faults;
}

const std::vector<Fault> faults{
    {"experiment-batches.json", "TF1", "/per_rank/1/3/samples/5", 0},
    {"experiment-batches.json", "TF1", "/per_rank/1/3/samples/5", 1'000'000},
    {"experiment-batches.json", "TF1", "/samples", 1437},
    {"experiment-batches.json", "TF1", "/per_rank/1/3/gradients", "another"},
    {"experiment-batches.json", "TF1", "/per_rank/0/0/parameters", "another"},
    {"experiment-states.json", "SE4", "/precisions/0/runs/1/lost_updates", 0},
    {"experiment-states.json", "SE4", "/precisions/1/runs/0/lost_updates", 1'000'000},
    {"experiment-states.json", "SE4", "/precisions/0/runs/0/out_of_reach_moved", 0},
    {"experiment-states.json", "SE4", "/precisions/1/runs/1/out_of_reach_moved", 1},
    {"experiment-states.json", "SE4", "/precisions/1/runs/1/out_of_reach", 0},
    {"experiment-states.json", "SE4", "/precisions/0/runs/0/last_loss", 3.0},
    {"experiment-states.json", "SE4", "/precisions/1/runs/1/last_loss", 1.0},
    {"experiment-states.json", "SE4", "/precisions/0/runs/2/zero_variances", 0},
    {"experiment-states.json", "SE4", "/precisions/1/runs/2/zero_variances", 1},
    {"experiment-accumulation.json", "WY7", "/parameters", 2411},
    {"experiment-accumulation.json", "WY7", "/steps", 3},
    {"experiment-accumulation.json", "WY7", "/stages/0/3/payload_bytes/1", 2},
    {"experiment-accumulation.json", "WY7", "/stages/1/1/payload_bytes/0", 2},
    {"experiment-accumulation.json", "WY7", "/stages/2/2/payload_bytes/1", 2},
    {"experiment-accumulation.json", "WY7", "/stages/3/0/payload_bytes/0", 2},
    {"experiment-accumulation.json", "WY7", "/stages/2/1/accumulate", 4},
    {"experiment-accumulation.json", "WY7", "/stages/3/3/activations/1", 2},
    {"experiment-activations.json", "EC3", "/stages/0/0/peak/1", 2},
    {"experiment-activations.json", "EC3", "/stages/3/2/peak/0", 2},
    {"experiment-activations.json", "EC3", "/stages/2/1/formula/1", 2},
    {"experiment-activations.json", "EC3", "/stages/0/1/segments", 0},
    {"experiment-activations.json", "EC3", "/units", 4},
    {"experiment-activations.json", "EC3", "/stages/1/3/digest/parameters", "another"},
    {"experiment-activations.json", "EC3", "/stages/2/0/digest/master", "another"},
    {"experiment-activations.json", "EC3", "/stages/3/2/digest/moments", "another"},
    {"experiment-activations.json", "EC3", "/stages/0/2/digest/agrees", false},
    {"experiment-activations.json", "EC3", "/stages/3/1/digest/updates", 0},
    {"experiment-identical-batches.json", "EC6", "/one_rank/updates", 0},
    {"experiment-identical-batches.json", "EC6", "/stages/1/updates", 0},
    {"experiment-identical-batches.json", "EC6", "/one_rank/moments", "another"},
    {"experiment-identical-batches.json", "EC6", "/stages/2/master", "another"},
    {"experiment-identical-batches.json", "EC6", "/stages/3/parameters", "another"},
    {"experiment-identical-batches.json", "EC6", "/stages/1/agrees", false},
    {"experiment-identical-batches.json", "EC6", "/variance/all_ranks", 0.1}};

const std::vector<Fault> faults_of_variants{
    {"experiment-variants.json", "TF3", "/library_order/stages/1/parameters", "another"},
    {"experiment-variants.json", "TF3", "/library_order/stages/3/moments", "another"},
    {"experiment-variants.json", "TF3", "/library_order/stages/2/agrees", false},
    {"experiment-variants.json", "TF3", "/library_order/stages/0/updates", 0},
    {"experiment-variants.json", "TF8", "/overlapped/peak/1", 2},
    {"experiment-variants.json", "TF8", "/overlapped/now/0", 2},
    {"experiment-variants.json", "TF8", "/units/1", 1},
    {"experiment-variants.json", "TF10", "/fp32/0/parameters/1", 2},
    {"experiment-variants.json", "TF10", "/fp32/1/gradients/0", 2},
    {"experiment-variants.json", "TF10", "/fp32/1/master/0", 2},
    {"experiment-variants.json", "TF10", "/fp32/1/variance/1", 2},
    {"experiment-variants.json", "TF10", "/fp32/1/stage", 0},
    {"experiment-states.json", "TF10", "/precisions/0/runs/1/lost_updates", 0},
    {"experiment-states.json", "WY8", "/precisions/1/runs/1/lost_updates", 0}};

const std::vector<Fault> faults_of_small_units{
    {"experiment-empty-shards.json", "EC4", "/shards/0/2", 2},
    {"experiment-empty-shards.json", "EC4", "/shards/2/2", 1},
    {"experiment-empty-shards.json", "EC4", "/moved/2", 0},
    {"experiment-empty-shards.json", "EC4", "/stages/1/moments", "another"},
    {"experiment-empty-shards.json", "EC4", "/stages/2/updates", 0},
    {"experiment-empty-shards.json", "EC4", "/stages/3/agrees", false}};

TEST_F(Experiments, OneWrongNumberAndTheItemFails) {
  const json& averaging = measured("experiment-averaging.json");
  const json& sums = measured("experiment-sums.json");
  for (const Decides& one : decides) measured(one.file);
  measured("experiment-variants.json");
  if (!first() || comm.size() == 1) return;
  std::vector<Fault> all = faults_in_numbers(averaging, sums);
  all.insert(all.end(), faults.begin(), faults.end());
  all.insert(all.end(), faults_of_variants.begin(), faults_of_variants.end());
  if (std::has_single_bit(comm.size())) {
    all.push_back({"experiment-sums.json", "SE9", "/digest/sum", "another"});
    all.push_back({"experiment-sums.json", "SE9", "/digest/mean", sums["digest"]["sum"]});
  }
  if (comm.size() > 2) {
    all.insert(all.end(), faults_of_small_units.begin(), faults_of_small_units.end());
  }
  for (const auto& [file, id, place, value] : all) {
    json wrong = measured(file);
    ASSERT_TRUE(wrong.contains(Place(place))) << file << place;
    ASSERT_NE(wrong[Place(place)], value) << file << place;
    wrong[Place(place)] = value;
    EXPECT_EQ(finding_of(id, file, wrong).status(), Status::fails) << file << place << value;
  }
}

TEST_F(Experiments, EveryRankHasASample) {
  EXPECT_EQ(experiment::share(128, 4), 32U);
  EXPECT_EQ(experiment::share(128, 129), 1U);
}

TEST_F(Experiments, ABrokenFileIsRefusedByName) {
  const json& batches = measured("experiment-batches.json");
  if (!first()) return;
  const auto refusal = [&](const json& broken) {
    try {
      finding_of("TF1", "experiment-batches.json", broken);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  json ranks = batches, shorter = batches, none = batches;
  ranks["ranks"] = comm.size() + 1;
  shorter["per_rank"].back().erase(0);
  shorter["per_rank"].push_back(json::array());
  shorter["ranks"] = comm.size() + 1;
  none["ranks"] = 0;
  for (const json& broken : {ranks, shorter, none, json::object()}) {
    EXPECT_NE(refusal(broken).find("experiment-batches.json: "), std::string::npos)
        << refusal(broken);
  }
}

}  // namespace
}  // namespace zerolab
