// The documents' items: each is decided by what is in the folder, and the other way round as soon
// as a number there is another.
#include "zerolab/report/items.hpp"

#include <gtest/gtest.h>

#include <set>

#include "page_folder.hpp"
#include "report/folder.hpp"

namespace zerolab {
namespace {

std::map<std::string, JudgedItem> judged(const std::map<std::string, json>& files) {
  const ResultsFolder folder;
  write(folder, files);
  Results results(folder.path());
  std::map<std::string, JudgedItem> items;
  for (JudgedItem& item : judged_items(results)) items.emplace(item.item.id, std::move(item));
  return items;
}

std::size_t count(const std::map<std::string, JudgedItem>& items, Status status) {
  std::size_t found = 0;
  for (const auto& [id, item] : items) found += item.finding.status() == status ? 1 : 0;
  return found;
}

TEST(Items, AreThirteenThirtyThreeAndSeven) {
  std::map<Group, std::size_t> groups;
  std::set<std::string> ids;
  for (const Item& item : all_items()) {
    ++groups[item.group];
    ids.insert(item.id);
    EXPECT_NE(*item.asks, '\0') << item.id;
    EXPECT_NE(*item.right, '\0') << item.id;
  }
  EXPECT_EQ(ids.size(), 13U + 33U + 7U);
  EXPECT_EQ(groups[Group::exercise], 13U);
  EXPECT_EQ(groups[Group::true_or_false], 10U);
  EXPECT_EQ(groups[Group::spot_the_error], 9U);
  EXPECT_EQ(groups[Group::why], 8U);
  EXPECT_EQ(groups[Group::edge_case], 6U);
  EXPECT_EQ(groups[Group::self_test], 7U);
}

TEST(Items, AnEmptyFolderDecidesNothing) {
  const auto items = judged({});
  EXPECT_EQ(count(items, Status::not_measured), items.size());
  for (const auto& [id, item] : items) EXPECT_FALSE(item.finding.open.empty()) << id;
}

TEST(Items, RightResultsHoldExceptWhatNeedsAnExperimentOfItsOwn) {
  const auto items = judged(whole_folder());
  const std::set<std::string> apart{"TF1", "TF4", "SE4", "SE9", "WY4",
                                    "WY6", "WY7", "EC3", "EC5", "EC6"};
  for (const auto& [id, item] : items) {
    EXPECT_EQ(item.finding.status(), apart.contains(id) ? Status::not_measured : Status::holds)
        << id;
  }
  for (const char* id : {"3.3", "4.1", "4.2", "5.2", "5.3"}) {
    EXPECT_TRUE(items.at(id).finding.only_calculated()) << id;
  }
  EXPECT_FALSE(items.at("2.1").finding.only_calculated());
}

struct Doctored {
  const char *id, *file, *place;
};

/// One number more, a digest or a verdict turned round.
json other(const json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_string()) return "another";
  return value.get<std::uint64_t>() + 2;
}

TEST(Items, OneWrongNumberAndTheItemFails) {
  const std::vector<Doctored> faults{
      {"1.1", "verify-4.json", "/stages/0/memory/per_rank/3/variance/now"},
      {"1.2", "verify-3.json", "/stages/2/memory/per_rank/1/gradients/now"},
      {"2.1", "verify-2.json", "/stages/0/memory/per_rank/1/master/now"},
      {"2.1", "exercise-2.1.json", "/stages/0/bytes_per_rank"},
      {"2.2", "verify-8.json", "/stages/3/memory/per_rank/7/parameters/now"},
      {"2.2", "exercise-2.2.json", "/stages/3/bytes_per_rank"},
      {"2.3", "verify-8.json", "/stages/2/memory/per_rank/0/gradients/now"},
      {"2.3", "exercise-2.3.json", "/stages/1/bytes_per_rank"},
      {"3.1", "verify-3.json", "/stages/1/memory/per_rank/2/momentum/now"},
      {"3.2", "verify-4.json", "/bytes/3/traffic/per_rank/0/allgather/payload_bytes"},
      {"3.2", "verify-2.json", "/bytes/0/traffic/per_rank/1/allreduce/ring_bytes"},
      {"3.3", "exercise-3.3.json", "/stages/3/bytes_per_rank"},
      {"3.3", "exercise-3.3-2.json", "/stages/0/volume_bytes"},
      {"4.1", "exercise-4.1.json", "/stages/3/fits"},
      {"4.1", "exercise-4.1.json", "/stages/3/min_ranks"},
      {"4.1", "exercise-4.1.json", "/stages/3/min_ranks_power_of_two"},
      {"4.1", "exercise-4.1.json", "/remedies/activations_at_most"},
      {"4.1", "exercise-4.1.json", "/remedies/offload/2/fits"},
      {"4.1", "exercise-4.1.json", "/remedies/offload/3/total_bytes"},
      {"4.1", "exercise-4.1.json", "/remedies/split/1/parts"},
      {"4.2", "exercise-4.2.json", "/stages/3/min_ranks_power_of_two"},
      {"4.2", "exercise-4.2-2.json", "/stages/3/total_bytes"},
      {"5.1", "verify-8.json", "/stages/3/memory/per_rank/1/gradients/now"},
      {"5.2", "exercise-5.2.json", "/cases/0/stages/0/no_overlap/efficiency/denominator"},
      {"5.2", "exercise-5.2.json", "/cases/0/stages/0/no_overlap/bandwidth_for_target"},
      {"5.3", "exercise-5.3.json", "/cases/0/stages/1/seconds/numerator"},
      {"TF2", "verify-4.json", "/bytes/3/traffic/per_rank/2/allgather/elements"},
      {"TF3", "verify-8.json", "/stages/2/digest/parameters"},
      {"TF3", "verify-3.json", "/stages/3/digest_agrees"},
      {"TF3", "verify-2.json", "/agree"},
      {"TF5", "verify-4.json", "/stages/1/digest/moments"},
      {"TF6", "verify-2.json", "/stages/3/memory/per_rank/0/variance/now"},
      {"TF7", "verify-3.json", "/bytes/2/traffic/per_rank/1/allreduce/payload_bytes"},
      {"TF8", "verify-4.json", "/stages/3/memory/per_rank/1/parameters/peak"},
      {"TF9", "verify-8.json", "/stages/3/memory/per_rank/0/master/now"},
      {"TF10", "verify-4.json", "/stages/3/memory/per_rank/0/master/now"},
      {"SE1", "verify-4.json", "/stages/1/memory/per_rank/2/gradients/now"},
      {"SE2", "verify-4.json", "/bytes/3/traffic/per_rank/2/allgather/calls"},
      {"SE3", "verify-4.json", "/stages/0/memory/per_rank/2/master/now"},
      {"SE5", "verify-8.json", "/stages/0/memory/per_rank/7/parameters/now"},
      {"SE6", "verify-4.json", "/bytes/2/traffic/per_rank/3/reduce_scatter/payload_bytes"},
      {"SE6", "experiment-wire.json", "/reduce_scatter/sent/0"},
      {"SE7", "verify-4.json", "/stages/2/memory/per_rank/1/activations/peak"},
      {"SE8", "verify-8.json", "/bytes/3/traffic/per_rank/1/allgather/ring_bytes"},
      {"WY1", "verify-3.json", "/stages/2/memory/per_rank/0/gradients/now"},
      {"WY2", "verify-2.json", "/bytes/0/traffic/per_rank/0/allgather/payload_bytes"},
      {"WY3", "verify-8.json", "/stages/0/memory/per_rank/0/variance/now"},
      {"WY5", "verify-8.json", "/stages/3/memory/per_rank/0/parameters/now"},
      {"WY8", "verify-1.json", "/stages/0/memory/per_rank/0/master/now"},
      {"EC1", "verify-1.json", "/stages/1/memory/per_rank/0/master/now"},
      {"EC1", "experiment-wire.json", "/alone/3/1"},
      {"EC2", "verify-4.json", "/stages/3/memory/per_rank/3/gradients/now"},
      {"EC3", "verify-4.json", "/stages/3/memory/per_rank/3/activations/peak"},
      {"EC4", "verify-3.json", "/stages/1/digest/master"},
      {"EC4", "doctor.json", "/self_tests/3/right"},
      {"S1", "verify-4.json", "/stages/1/memory/per_rank/0/momentum/now"},
      {"S2", "verify-4.json", "/stages/2/memory/per_rank/0/momentum/now"},
      {"S3", "verify-4.json", "/stages/3/memory/per_rank/0/momentum/now"},
      {"S4", "verify-4.json", "/bytes/3/traffic/per_rank/0/reduce_scatter/calls"},
      {"S5", "verify-4.json", "/stages/1/memory/per_rank/0/gradients/now"},
      {"S6", "verify-4.json", "/stages/0/memory/per_rank/0/gradients/now"},
      {"S7", "verify-8.json", "/stages/3/memory/per_rank/7/activations/peak"},
  };
  const auto right = whole_folder();
  for (const auto& [id, file, place] : faults) {
    auto wrong = right;
    json& value = wrong.at(file)[json::json_pointer(place)];
    ASSERT_FALSE(value.is_null()) << file << place;
    value = other(value);
    EXPECT_EQ(judged(wrong).at(id).finding.status(), Status::fails) << id << ": " << file << place;
  }
}

TEST(Items, WireBytesAreShownAndNotJudged) {
  auto files = whole_folder();
  const auto values = [&files] {
    const auto items = judged(files);
    std::vector<Value> all = items.at("3.2").finding.evidence.back().values;
    EXPECT_EQ(items.at("3.2").finding.status(), Status::holds);
    return all;
  };
  EXPECT_TRUE(values().back().holds.has_value());
  files["verify-2.json"]["wire"] = {{"0", {100, 100}}, {"3", {140, 140}}};
  ASSERT_EQ(values().size(), 1U);
  EXPECT_FALSE(values()[0].holds.has_value());
  EXPECT_EQ(values()[0].number.substr(0, 4), "1.4 ");
}

std::map<std::string, json> only(std::initializer_list<const char*> names) {
  std::map<std::string, json> files;
  for (const char* name : names) files[name] = whole_folder().at(name);
  return files;
}

TEST(Items, WhatOneRankCannotShowIsOpen) {
  const auto items = judged(only({"verify-1.json"}));
  for (const char* id :
       {"SE1", "SE2", "SE5", "SE7", "SE8", "TF3", "TF6", "TF7", "TF8", "TF9", "TF10",
        "EC2", "EC3", "S1",  "S2",  "S3",  "S4",  "S6",  "S7",  "WY2", "WY5"}) {
    EXPECT_EQ(items.at(id).finding.status(), Status::not_measured) << id;
    EXPECT_FALSE(items.at(id).finding.open.empty()) << id;
  }
  EXPECT_EQ(items.at("EC1").finding.status(), Status::holds);
}

TEST(Items, WhatOneRankSendsIsJudgedWhereItIsCounted) {
  auto files = only({"verify-1.json"});
  json& there = files["verify-1.json"]["bytes"]["3"]["traffic"]["per_rank"][0]["allgather"];
  there["ring_bytes"] = 8;  // 0 by definition: nothing to judge
  EXPECT_EQ(judged(files).at("EC1").finding.status(), Status::holds);
  EXPECT_EQ(judged(files).at("EC1").finding.evidence.back().how, "ring model");
  files["experiment-wire.json"] = whole_wire_json();
  EXPECT_EQ(judged(files).at("EC1").finding.evidence.back().how, "measured");
}

TEST(Items, GrowthWithNNeedsTwoNumbersOfRanks) {
  auto files = only({"verify-4.json"});
  for (const char* id : {"SE8", "EC2"}) {
    EXPECT_EQ(judged(files).at(id).finding.status(), Status::not_measured) << id;
  }
  files["verify-2.json"] = whole_verify_json(2);
  for (const char* id : {"SE8", "EC2"}) {
    EXPECT_EQ(judged(files).at(id).finding.status(), Status::holds) << id;
  }
}

TEST(Items, CeilingsAreThePlannersOrOpen) {
  auto files = only({"verify-4.json"});
  for (const char* id : {"S1", "S2", "S3"}) {
    ASSERT_EQ(judged(files).at(id).finding.open.size(), 1U) << id;
    EXPECT_NE(judged(files).at(id).finding.open[0].find("ceiling"), std::string::npos);
  }
  const auto planned = [&](const json& first, const json& second, const json& third) {
    json& stages = files["exercise-5.1.json"]["stages"] = json::array();
    int stage = 0;
    for (const json& ceiling : {fraction_json(1, 1), first, second, third}) {
      stages.push_back({{"stage", stage++}, {"ceiling", ceiling}});
    }
    return judged(files);
  };
  const auto right = planned(fraction_json(4, 1), fraction_json(8, 1), nullptr);
  const auto wrong = planned(fraction_json(8, 1), nullptr, fraction_json(0, 1));
  for (const char* id : {"S1", "S2", "S3"}) {
    EXPECT_EQ(right.at(id).finding.status(), Status::holds) << id;
    EXPECT_TRUE(right.at(id).finding.open.empty()) << id;
    EXPECT_EQ(wrong.at(id).finding.status(), Status::fails) << id;
  }
}

TEST(Items, CollectivesNeedAllSelfTestsOnTwoRanks) {
  const auto status = [](auto change) {
    auto files = whole_folder();
    change(files);
    return judged(files).at("1.2").finding.status();
  };
  EXPECT_EQ(status([](auto&) {}), Status::holds);
  EXPECT_EQ(status([](auto& files) { files.erase("doctor.json"); }), Status::not_measured);
  EXPECT_EQ(status([](auto& files) { files["doctor.json"]["self_tests"].erase(1); }),
            Status::not_measured);
  EXPECT_EQ(status([](auto& files) {
              for (json& test : files["doctor.json"]["self_tests"])
                test["right"] = test["ranks"] = 1;
            }),
            Status::not_measured);
  EXPECT_EQ(status([](auto& files) { files["doctor.json"]["self_tests"][2]["right"] = 1; }),
            Status::fails);
}

TEST(Items, TheNumberShownIsTheNumberJudged) {
  auto files = whole_folder();
  files["exercise-5.2.json"]["cases"][0]["stages"][0]["seconds"]["decimal"] = 1.5;
  const auto items = judged(files);
  EXPECT_EQ(items.at("5.2").finding.evidence[0].values[0].number, "6.867 s");
}

TEST(Items, AStageIsRecommendedThatFits) {
  const auto status = [](const json& recommended, bool first_fits) {
    std::map<std::string, json> files;
    json& plan = files["exercise-EC5.json"] = {{"recommended_stage", recommended}};
    for (int stage = 0; stage < 4; ++stage) {
      plan["stages"].push_back({{"stage", stage}, {"fits", stage > 0 || first_fits}});
    }
    return judged(files).at("EC5").finding.status();
  };
  EXPECT_EQ(status(0, true), Status::holds);
  EXPECT_EQ(status(1, false), Status::holds);
  EXPECT_EQ(status(0, false), Status::fails);
  EXPECT_EQ(status(2, true), Status::fails);
  EXPECT_EQ(status(-1, true), Status::fails);
  EXPECT_EQ(status(nullptr, true), Status::fails);
}

TEST(Items, HalvesOnTheWireAreJudgedOnlyWhereBothAreRings) {
  const auto last = [](std::uint64_t all_reduce, std::uint64_t halves) {
    auto files = whole_folder();
    files["verify-2.json"]["wire"] = {{"0", {all_reduce, all_reduce}}, {"2", {halves, halves}}};
    return judged(files).at("SE6").finding.evidence.back().values.back().holds;
  };
  const std::uint64_t ring = 2 * 2 * phi / 2;  // of 2 ranks: 2·2Φ·(N−1)/N
  EXPECT_EQ(last(ring, ring), std::optional(true));
  EXPECT_EQ(last(ring, ring + 1), std::nullopt);
  EXPECT_EQ(last(ring + 9, ring), std::nullopt);
}

TEST(Items, RunsOfOtherJobsAreNotCompared) {
  Job batch = odd_job(), widths = odd_job(), order = odd_job();
  batch.batch = 2 * batch.batch;
  widths.shape.widths = {20, 9, 4};
  order.shape.widths = {77, 2};  // Φ is the same, in one unit
  ASSERT_EQ(order.shape.parameters(), phi);
  for (const Job& job : {batch, widths, order}) {
    auto files = whole_folder();
    files["verify-8.json"] = whole_verify_json(8, job);
    const auto items = judged(files);
    for (const char* id : {"TF8", "TF9", "SE7", "S7", "WY2", "SE8", "EC2", "2.2"}) {
      EXPECT_EQ(items.at(id).finding.status(), Status::holds) << id;
    }
  }
}

TEST(Items, FilesOfAnotherJobAreRefused) {
  const auto refusal = [](const char* place, const json& value) {
    std::map<std::string, json> files{{"verify-2.json", whole_verify_json(2)}};
    files["verify-2.json"][json::json_pointer(place)] = value;
    try {
      judged(files);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const std::vector<std::pair<const char*, json>> faults{
      {"/stages/1/reduce", "mpi"},
      {"/bytes/3/reduce", "exact"},
      {"/stages/3/stage", 0},
      {"/stages/2/seed", 2},
      {"/stages/1/steps", 4},
      {"/stages/2/skipped_steps", steps},
      {"/bytes/1/skipped_steps", steps},
      {"/bytes/2/precision", "fp32"},
      {"/bytes/0/blas_kernel", "Other"},
      {"/bytes/3/digest_agrees", false},
      {"/bytes/2/steps", std::uint64_t{1} << 41},
      {"/stages/0/ranks", (std::uint64_t{1} << 20) + 1},
      {"/stages/0/parameters", 1'000'000'000'000'001},
      {"/stages/3/memory/per_rank/0/parameters/now", std::uint64_t{1} << 63},
      {"/stages/2/ranks", 3},
      {"/bytes/1/parameters", 5},
      {"/bytes/0/steps", 0},
      {"/stages/0/memory/per_rank", json::array()},
      {"/stages/0/memory/formula/0/variance/now", 0},
      {"/bytes/3/traffic/formula/1/allgather/payload_bytes", 1}};
  for (const auto& [place, value] : faults) {
    const std::string words = refusal(place, value);
    EXPECT_NE(words.find("verify-2.json: "), std::string::npos) << place << ": " << words;
    std::string key = std::string(place).substr(1, std::string(place).find('/', 1) - 1);
    EXPECT_NE(words.find(key), std::string::npos) << place << ": " << words;
  }
}

/// Rank 0 holds everything and the others nothing, in counts and, if asked, in the formula too.
json all_on_rank_0(json file, const std::string& stage, const char* list) {
  json& ranks = file["stages"][stage]["memory"][list];
  for (const char* state : {"parameters", "gradients", "master", "momentum", "variance"}) {
    std::uint64_t sum = 0;
    for (json& rank : ranks) {
      sum += rank[state]["now"].get<std::uint64_t>();
      rank[state]["now"] = 0;
    }
    ranks[0][state]["now"] = sum;
  }
  return file;
}

TEST(Items, TheRightSumOnOneRankIsNotSharding) {
  for (const char* stage : {"2", "3"}) {
    auto files = whole_folder();
    for (const char* file : {"verify-2.json", "verify-4.json", "verify-8.json"}) {
      files[file] = all_on_rank_0(files[file], stage, "per_rank");
    }
    const auto items = judged(files);
    const std::vector<const char*> second{"1.2", "WY1", "S5", "2.3", "5.1", "S2"},
        third{"2.2", "TF9", "5.1", "S3", "S5", "TF6", "TF10", "EC2", "EC4", "SE8", "WY5", "TF8"};
    for (const char* id : *stage == '2' ? second : third) {
      EXPECT_EQ(items.at(id).finding.status(), Status::fails) << id;
    }
    files["verify-4.json"] = all_on_rank_0(files["verify-4.json"], stage, "formula");
    EXPECT_THROW(judged(files), Error) << stage;
  }
}

/// Of 2 ranks whose rings send 8 bytes in an all-reduce and 4 in each of its halves.
json counted_calls(const std::vector<std::uint64_t>& whole,
                   const std::vector<std::uint64_t>& scattered,
                   const std::vector<std::uint64_t>& gathered) {
  json file = whole_wire_json();
  file["allreduce"] = {{"sent", whole}, {"ring", {8U, 8U}}};
  file["reduce_scatter"] = {{"sent", scattered}, {"ring", {4U, 4U}}};
  file["allgather"] = {{"sent", gathered}, {"ring", {4U, 4U}}};
  return file;
}

Finding by_counted_calls(const char* id, const json& calls) {
  auto files = whole_folder();
  files["experiment-wire.json"] = calls;
  return judged(files).at(id).finding;
}

TEST(Items, CallsAreJudgedByCountedBytes) {
  const auto status = [](const json& calls) { return by_counted_calls("SE6", calls).status(); };
  EXPECT_EQ(status(counted_calls({8, 8}, {4, 4}, {4, 4})), Status::holds);
  EXPECT_TRUE(by_counted_calls("SE6", counted_calls({8, 8}, {4, 4}, {4, 4})).open.empty());
  EXPECT_EQ(status(counted_calls({8, 8}, {9, 8}, {4, 4})), Status::fails) << "more than the whole";
  json rings = counted_calls({8, 8}, {4, 4}, {5, 5});
  rings["allgather"]["ring"] = {5, 5};
  for (const char* id : {"SE6", "3.2"}) {
    EXPECT_EQ(by_counted_calls(id, rings).status(), Status::fails) << id;
  }
  json fault = counted_calls({0, 0}, {0, 0}, {0, 0});
  fault["not_available"] = "no counter";
  for (const char* id : {"SE6", "3.2"}) {
    ASSERT_EQ(by_counted_calls(id, fault).open.size(), 1U) << id;
    EXPECT_NE(by_counted_calls(id, fault).open[0].find("no counter"), std::string::npos) << id;
  }
}

/// What is said of calls against each other, by the first value of an evidence that has the words.
std::optional<bool> judged_by(const Finding& finding, const char* words) {
  for (const Evidence& one : finding.evidence) {
    if (one.what.find(words) != std::string::npos) return one.values[0].holds;
  }
  throw Error(words);
}

TEST(Items, CallsAreComparedOnlyWhereAllAreRings) {
  const std::vector<std::pair<const char*, const char*>> comparisons{
      {"SE6", "a reduce-scatter and an all-gather over"},
      {"3.2", "two all-gathers and a reduce-scatter over"}};
  for (const auto& [id, words] : comparisons) {
    const auto of = [&](const json& calls) {
      return judged_by(by_counted_calls(id, calls), words);
    };
    EXPECT_EQ(of(counted_calls({8, 8}, {4, 4}, {4, 4})), std::optional(true)) << id;
    for (const json& no_ring :
         {counted_calls({8, 9}, {4, 4}, {4, 4}), counted_calls({8, 8}, {4, 5}, {4, 4}),
          counted_calls({8, 8}, {4, 4}, {4, 5})}) {
      EXPECT_EQ(of(no_ring), std::nullopt) << id << no_ring;
      EXPECT_EQ(by_counted_calls(id, no_ring).status(), Status::holds) << id << no_ring;
    }
  }
}

TEST(Items, WithoutAllBytesSeenTheItemIsOpen) {
  for (const json& unseen :
       {counted_calls({0, 0}, {4, 4}, {4, 4}), counted_calls({8, 8}, {0, 0}, {4, 4}),
        counted_calls({8, 8}, {4, 4}, {4, 3})}) {
    const Finding finding = by_counted_calls("SE6", unseen);
    EXPECT_EQ(finding.status(), Status::not_measured) << unseen;
    ASSERT_FALSE(finding.open.empty());
    EXPECT_NE(finding.open.back().find("not all bytes were seen"), std::string::npos);
    EXPECT_EQ(by_counted_calls("3.2", unseen).open, finding.open);
  }
}

TEST(Items, EveryLineOfALedgerMakesItselfFelt) {
  const auto faults = [](const char* file, const char* place, const json& value) {
    auto files = whole_folder();
    if (file != nullptr) files[file][json::json_pointer(place)] = value;
    const ResultsFolder there;
    write(there, files);
    Results results(there.path());
    const Folder folder = open_folder(results);
    return ledger_faults(folder);
  };
  using Faults = std::vector<std::string>;
  EXPECT_EQ(faults(nullptr, "", 0), Faults{});
  EXPECT_EQ(faults("verify-4.json", "/stages/3/memory/per_rank/1/buffers/peak", 1),
            Faults{"verify-4.json stages.3.memory.per_rank[1].buffers.peak"});
  EXPECT_EQ(faults("verify-2.json", "/bytes/0/memory/per_rank/0/data/now", 1),
            Faults{"verify-2.json bytes.0.memory.per_rank[0].data.now"});
  EXPECT_EQ(faults("verify-8.json", "/stages/1/traffic/per_rank/7/scalars/calls", 1),
            Faults{"verify-8.json stages.1.traffic.per_rank[7].scalars.calls"});
  EXPECT_EQ(faults("verify-3.json", "/bytes/2/traffic/per_rank/2/alltoall/elements", 1),
            Faults{"verify-3.json bytes.2.traffic.per_rank[2].alltoall.elements"});
}

}  // namespace
}  // namespace zerolab
