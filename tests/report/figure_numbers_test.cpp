// Result files whose numbers no run can have: named by file and key.
#include <gtest/gtest.h>

#include "figure_refusal.hpp"

namespace zerolab {
namespace {

/// With this value at that place it is refused, naming file and key.
void expect_refused(const std::string& figure, const std::string& file, json content,
                    const std::string& pointer, const json& value, const std::string& words) {
  content[json::json_pointer(pointer)] = value;
  const std::string said = refusal(figure, file, content);
  EXPECT_NE(said.find("/" + file + ": " + words), std::string::npos)
      << pointer << " = " << value << ": " << said;
}

TEST(Figures, NumbersOfVerifyFilesOutOfRangeAreNamed) {
  const std::uint64_t two_61 = std::uint64_t{1} << 61U, two_63 = std::uint64_t{1} << 63U;
  const auto refused = [](const std::string& pointer, const json& value, const std::string& words) {
    for (const char* figure : {"volume", "reduction"}) {
      expect_refused(figure, "verify-3.json", verify_json(3), pointer, value, words);
    }
  };
  for (const std::uint64_t parameters : {std::uint64_t{0}, two_61, two_63}) {
    json content = verify_json(3);  // of one mind about it
    for (const char* part : {"stages", "bytes"}) {
      for (json& stage : content[part]) stage["parameters"] = parameters;
    }
    expect_refused("volume", "verify-3.json", content, "/plain_agrees", true,
                   "stages.0.parameters is not from 1 to 10^15");
  }
  refused("/stages/0/ranks", 0, "stages.0.ranks is not 3");
  for (const std::uint64_t count : {std::uint64_t{0}, two_61}) {
    refused("/bytes/0/steps", count, "bytes.0.steps is not from 1 to 2^40");
  }
  // Within its bound, but 16 bytes · 10^15 parameters · 3 ranks · 2^40 steps are not.
  json content = verify_json(3);
  for (const char* part : {"stages", "bytes"}) {
    for (json& stage : content[part]) stage["parameters"] = 1'000'000'000'000'000;
  }
  expect_refused("volume", "verify-3.json", content, "/bytes/0/steps", std::uint64_t{1} << 40U,
                 "bytes.0.steps is not a number whose bytes");
  // Three times 2^63 wraps to 2^63, twice to 0.
  refused("/stages/2/memory/per_rank/1/master/now", two_63,
          "stages.2.memory.per_rank[1].master.now is not");
  refused("/bytes/3/traffic/per_rank/2/allgather/ring_bytes", two_63,
          "bytes.3.traffic.per_rank[2].allgather.ring_bytes is not");
  refused("/wire", json{{"0", {1, two_63, two_63}}}, "wire.0[1] is not");
  for (const json& wrong : {json("none"), json(7), json::array({1, 2, 3})}) {
    refused("/wire", wrong, "wire is not null or bytes by stage");
  }
}

TEST(Figures, VerifyFileWithoutStagesIsNamed) {
  for (const char* figure : {"memory", "volume", "reduction"}) {
    expect_refused(figure, "verify-8.json", verify_json(8), "/stages", json::object(),
                   "stages holds none of the stages");
  }
}

TEST(Figures, LinkToNoVerifyFileIsNamed) {
  const ResultsFolder folder;
  std::filesystem::create_symlink("nowhere.json", folder.path() + "/verify-5.json");
  Results results(folder.path());
  try {
    figure_facts("volume", results);
    ADD_FAILURE() << "not refused";
  } catch (const std::exception& error) {
    EXPECT_EQ(error.what(), folder.path() + "/verify-5.json is a link to no file");
  }
}

TEST(Figures, NumbersOfTimelinesOutOfRangeAreNamed) {
  const auto refused = [](const std::string& pointer, const json& value, const std::string& words) {
    for (const char* figure : {"trace", "overlap"}) {
      expect_refused(figure, "timeline-3.json", timeline_json(3, false), pointer, value, words);
    }
  };
  const std::uint64_t two_62 = std::uint64_t{1} << 62U, two_63 = std::uint64_t{1} << 63U;
  for (const json& held : {json(-1), json(two_62), json(two_63)}) {
    refused("/held/master", held, "held.master is not a number of bytes from 0 to 10^14");
  }
  for (const json& change : {json(two_62), json(two_63), json(-9'000'000'000'000'000'000)}) {
    refused("/memory/0/change", change, "memory[0].change is not a number of bytes");
  }
  refused("/memory/0/change", 100'000'000'000'000, "memory[0].change is not one after which");
  for (const std::uint64_t count : {std::uint64_t{0}, two_62}) {
    refused("/ranks", count, "ranks is not from 1 to 2^20");
    refused("/parameters", count, "parameters is not from 1 to 10^15");
  }
  refused("/rank", 2, "rank is not below ranks");
  for (const double seconds : {0.0, 1e308})
    refused("/seconds", seconds, "seconds is not from 10^-9");
  refused("/seconds", -0.004, "seconds is not a time");
  refused("/spans/1/begin", 0.0021, "spans[1].end is not at or after its begin");
  refused("/spans/1/end", 0.0041, "spans[1].end is not within the step's seconds");
  json rounded = timeline_json(3, false);
  rounded["spans"][1]["end"] = 0.0040000000001;
  EXPECT_EQ(refusal("overlap", "timeline-3.json", rounded), "none");
}

// One span of 1 ms computes in a step of 4, and another with recomputation, in whose place the peak
// now lies.
TEST(Figures, RecomputationIsComputation) {
  const ResultsFolder folder;
  json file = timeline_json(3, false);
  json span = file["spans"][1], mark = file["marks"][4];
  span.update({{"what", "recompute"}, {"begin", 0.002}, {"end", 0.003}});
  mark["words"] = "recompute";
  file["spans"].push_back(span);
  file["marks"].insert(file["marks"].begin() + 4, mark);
  folder.write("timeline-3.json", file);
  Results results(folder.path());
  EXPECT_EQ(figure_facts("overlap", results).alt, "Stage 3: 4.0 ms, 50 % computing. ");
  const std::string alt = figure_facts("trace", results).alt;
  EXPECT_NE(alt.find("recompute of unit 4, gathered"), std::string::npos) << alt;
}

// Every figure says what it shows to those who do not see it.
TEST(Figures, EachHasAnAlternativeText) {
  const ResultsFolder folder;
  folder.write("verify-8.json", verify_json(8));
  folder.write("timeline-3.json", timeline_json(3, false));
  Results results(folder.path());
  for (const std::string_view name : figure_names) {
    EXPECT_FALSE(figure_facts(name, results).alt.empty()) << name;
  }
  // One span of 1 ms computes, in a step of 4.
  EXPECT_EQ(figure_facts("overlap", results).alt, "Stage 3: 4.0 ms, 25 % computing. ");
}

}  // namespace
}  // namespace zerolab
