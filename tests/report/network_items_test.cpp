// What simulated clusters decide: TF4, WY6, SE8, EC2's time, 5.2 and 5.3. Right numbers are worked
// out in network_folder.hpp; one number changed and the item is decided the other way.
#include <gtest/gtest.h>

#include <algorithm>

#include "network_folder.hpp"
#include "page_folder.hpp"
#include "zerolab/report/ask.hpp"

namespace zerolab {
namespace {

using Findings = std::map<std::string, Finding>;

Findings judged(const json& network, bool alone = false) {
  const ResultsFolder folder;
  auto files = alone ? std::map<std::string, json>() : whole_folder();
  if (!network.is_null()) files["network.json"] = network;
  write(folder, files);
  Results results(folder.path());
  Findings findings;
  for (const JudgedItem& item : judged_items(results)) findings[item.item.id] = item.finding;
  return findings;
}

const std::vector<const char*> simulated_items{"TF4", "WY6", "SE8", "EC2", "5.2", "5.3"};

TEST(SimulatedSteps, RightTimesHold) {
  for (const bool alone : {false, true}) {
    const Findings findings = judged(whole_network_json(), alone);
    for (const char* id : simulated_items) {
      EXPECT_EQ(findings.at(id).status(), Status::holds) << id;
      EXPECT_FALSE(findings.at(id).only_calculated()) << id;
      for (const std::string& open : findings.at(id).open) {
        EXPECT_EQ(open.find("SimGrid"), std::string::npos) << id << ": " << open;
      }
    }
  }
}

TEST(SimulatedSteps, WhereTimeDecidesItIsWhatALineShows) {
  for (const char* id : {"SE8", "EC2"}) {
    EXPECT_EQ(deciding(judged(whole_network_json()).at(id))->evidence.how, "simulated") << id;
  }
}

TEST(SimulatedSteps, WithoutTheFileItIsSaidWhatIsMissing) {
  const Findings findings = judged(nullptr);
  for (const char* id : simulated_items) {
    ASSERT_EQ(findings.at(id).open.size(), 1U) << id;
    EXPECT_NE(findings.at(id).open[0].find("not run: SimGrid missing"), std::string::npos) << id;
  }
  EXPECT_EQ(findings.at("TF4").status(), Status::not_measured);
  EXPECT_EQ(findings.at("5.2").status(), Status::holds);  // the planner's part
}

/// A job with more or less computation or communication than the formula allows, its sum right.
std::vector<json> doctored(const json& job) {
  std::vector<json> jobs;
  for (const char* part : {"compute_seconds", "communication_seconds"}) {
    for (const double factor : {0.5, 2.5}) {
      json wrong = job;
      const double before = job[part].get<double>(), now = factor * before + 1e-9;
      wrong[part] = now;
      wrong["step_seconds"] = job["step_seconds"].get<double>() + now - before;
      if (before != 0 || factor > 1) jobs.push_back(wrong);
    }
  }
  jobs.push_back(job);
  jobs.back()["step_seconds"] = 1.01 * job["step_seconds"].get<double>();
  return jobs;
}

TEST(SimulatedSteps, EachTimeOfEachJobDecides) {
  const json right = whole_network_json();
  const std::map<std::string, std::vector<const char*>> items{{"networks", {"TF4"}},
                                                              {"scaling", {"SE8"}},
                                                              {"limit", {"EC2"}},
                                                              {"exercise", {"5.2", "5.3"}},
                                                              {"overlap", {"5.2"}}};
  for (const auto& [list, ids] : items) {
    for (std::size_t j = 0; j < right.at(list).size(); ++j) {
      for (const json& job : doctored(right.at(list)[j])) {
        json wrong = right;
        wrong[list][j] = job;
        const Findings findings = judged(wrong, true);
        const bool fails = std::any_of(ids.begin(), ids.end(), [&](const char* id) {
          return findings.at(id).status() == Status::fails;
        });
        EXPECT_TRUE(fails) << list << "[" << j << "] " << job;
      }
    }
  }
}

struct DoctoredStep {
  const char *id, *place;
  json value;
};

TEST(SimulatedSteps, OneWrongNumberAndTheItemFails) {
  const std::vector<DoctoredStep> faults{
      {"TF4", "/networks/5/ring_bytes", 1},  // stage 3, ethernet
      {"WY6", "/networks/5/ring_bytes", 1},
      {"WY6", "/networks/4/bandwidth", 1e8},  // times of one network, promise of another
      {"WY6", "/networks/5/latency", 2e-6},
      {"WY6", "/networks/4/batch", 1},
      {"SE8", "/scaling/6/state_bytes", 1},
      {"SE8", "/scaling/6/ring_bytes", 1},
      {"SE8", "/scaling/3/ranks", 7},
      {"EC2", "/limit/6/ring_bytes", 1},
      {"EC2", "/limit/6/bandwidth", 448'000},
      {"5.2", "/exercise/0/ranks", 32},
      {"5.3", "/exercise/1/ring_bytes", 1},
      {"5.3", "/exercise/1/state_bytes", 1},
      {"5.3", "/exercise/0/ring_bytes", 1},
  };
  for (const auto& [id, place, value] : faults) {
    json wrong = whole_network_json();
    json& there = wrong[json::json_pointer(place)];
    ASSERT_FALSE(there.is_null()) << place;
    there = value;
    EXPECT_EQ(judged(wrong).at(id).status(), Status::fails) << id << ": " << place;
  }
}

TEST(SimulatedSteps, ClaimsAreJudgedAndNotOnlyFormulas) {
  const auto status = [](const char* id, auto change) {
    json file = whole_network_json();
    change(file);
    return judged(file).at(id).status();
  };
  const SimulatedJob slow{"ethernet-10g", 1.25e9, 20e-6, 1e12, 8, 3, 64, 1023, 2};
  // Every number as the formula, and yet: a step that only falls, a fast network that is the
  // slower.
  EXPECT_EQ(status("SE8",
                   [](json& file) {
                     for (int more = 0; more < 3; ++more) file["scaling"].erase(4);
                   }),
            Status::fails);
  EXPECT_EQ(
      status("SE8",
             [](json& file) {
               file["scaling"][6] =
                   SimulatedJob{"ethernet-10g", 1.25e9, 20e-6, 1e12, 64, 3, 512, 255, 2}.line();
             }),
      Status::fails);
  EXPECT_EQ(status("WY6",
                   [&](json& file) {
                     SimulatedJob swapped = slow;
                     swapped.platform = "nvlink-300g";
                     file["networks"][4] = swapped.line();
                   }),
            Status::fails);
  EXPECT_EQ(status("5.2",
                   [](json& file) {
                     for (json& job : file["exercise"]) {
                       job = SimulatedJob{"exercise", job["bandwidth"], 1.9e-6, 1e9,
                                          64,         job["stage"],     256,    511,
                                          2}
                                 .line();
                     }
                   }),
            Status::fails);  // not 10 s
}

TEST(SimulatedSteps, FilesOfAnotherKindAreRefused) {
  const std::vector<std::pair<const char*, json>> faults{{"/networks/0/reduce", "exact"},
                                                         {"/networks/0/precision", "fp32"},
                                                         {"/networks/0/stage", 4},
                                                         {"/networks/0/ranks", 0},
                                                         {"/networks/0/bandwidth", 0},
                                                         {"/networks/0/parameters", 12},
                                                         {"/networks/0/step_seconds", "fast"},
                                                         {"/networks", json::array()},
                                                         {"/scaling", json::array()},
                                                         {"/exercise/2/bandwidth", 448'512},
                                                         {"/overlap/1/overlap", false},
                                                         {"/overlap/2/overlap", false}};
  for (const auto& [place, value] : faults) {
    json wrong = whole_network_json();
    wrong[json::json_pointer(place)] = value;
    try {
      judged(wrong);
      ADD_FAILURE() << place << " is taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("network.json"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace zerolab
