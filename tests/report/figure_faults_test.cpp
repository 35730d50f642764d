// Result files that are missing or broken: named by file and key.
#include "zerolab/report/figures.hpp"

#include <gtest/gtest.h>

#include "figure_refusal.hpp"

namespace zerolab {
namespace {

TEST(Figures, MissingFilesAreNamed) {
  const ResultsFolder folder;
  Results results(folder.path());
  using Words = std::vector<std::string>;
  EXPECT_EQ(figure_facts("memory", results).missing, Words{"not measured: no verify-8.json"});
  EXPECT_EQ(figure_facts("volume", results).missing.size(), 5U);
  EXPECT_EQ(figure_facts("trace", results).missing,
            (Words{"not measured: no timeline-0.json", "not measured: no timeline-1.json",
                   "not measured: no timeline-2.json", "not measured: no timeline-3.json"}));
  EXPECT_EQ(figure_facts("overlap", results).missing.size(), 7U);
  for (const char* name : {"trace", "overlap"}) EXPECT_TRUE(make_figure(name, results).svg.empty());
  json without = verify_json(2);
  without["stages"].erase("0");
  without["bytes"].erase("0");
  folder.write("verify-2.json", without);
  Results more(folder.path());
  const Figure reduction = figure_facts("reduction", more);
  EXPECT_EQ(reduction.missing[0], "not measured: no stage 0 in verify-2.json");
  EXPECT_EQ(reduction.sources, Words{"verify-2.json"});
  EXPECT_TRUE(reduction.points.empty());
  EXPECT_THROW(figure_facts("memory ", results), Error);
}

void expect_every_key_is_needed(const std::string& figure, const std::string& file,
                                const json& content, const std::vector<std::string>& pointers) {
  for (const std::string& pointer : pointers) {
    const json::json_pointer place(pointer);
    ASSERT_TRUE(content.contains(place)) << pointer;
    json missing = content, wrong = content;
    missing[place.parent_pointer()].erase(place.back());
    wrong[place] = json::object();
    for (const json& broken : {missing, wrong}) {
      const std::string words = refusal(figure, file, broken);
      EXPECT_NE(words.find("/" + file + ": "), std::string::npos) << pointer << ": " << words;
      EXPECT_NE(words.find(place.back()), std::string::npos) << pointer << ": " << words;
    }
  }
}

TEST(Figures, BrokenVerifyFilesAreNamedByFileAndKey) {
  const json file = verify_json(3);
  EXPECT_EQ(refusal("volume", "verify-3.json", file), "none");
  const std::string rank = "/per_rank/1/";
  expect_every_key_is_needed(
      "volume", "verify-3.json", file,
      {"/stages/0/parameters", "/stages/1/parameters", "/stages/0/ranks", "/stages/0/precision",
       "/stages/2/memory/per_rank", "/stages/2/memory" + rank + "momentum",
       "/stages/2/memory" + rank + "variance/now", "/bytes/3/steps", "/bytes/3/reduce",
       "/bytes/3/traffic", "/bytes/3/traffic" + rank + "allgather/payload_bytes",
       "/bytes/3/traffic" + rank + "allreduce/ring_bytes"});
  json other = file;
  other["stages"]["2"]["ranks"] = 4;
  EXPECT_NE(refusal("volume", "verify-3.json", other).find("stages.2.ranks is not 3"),
            std::string::npos);
  other = file;
  other["stages"]["2"]["memory"]["per_rank"].erase(1);
  EXPECT_NE(refusal("volume", "verify-3.json", other).find("not a list of 3 ranks"),
            std::string::npos);
  for (const char* key : {"stages", "wire"}) {
    other = file;
    other.erase(key);
    EXPECT_NE(
        refusal("volume", "verify-3.json", other).find(fmt::format("the key {} is missing", key)),
        std::string::npos);
  }
}

TEST(Figures, BrokenTimelinesAreNamedByFileAndKey) {
  const json file = timeline_json(3, false);
  for (const char* figure : {"trace", "overlap"}) {
    EXPECT_EQ(refusal(figure, "timeline-3.json", file), "none");
    expect_every_key_is_needed(figure, "timeline-3.json", file,
                               {"/zerolab_timeline",
                                "/stage",
                                "/overlap",
                                "/ranks",
                                "/parameters",
                                "/reduce",
                                "/simulated",
                                "/seconds",
                                "/held",
                                "/held/buffers",
                                "/memory",
                                "/memory/1/category",
                                "/memory/1/change",
                                "/spans",
                                "/spans/1/what",
                                "/spans/1/unit",
                                "/spans/1/begin",
                                "/spans/1/end",
                                "/marks",
                                "/marks/2/after",
                                "/marks/2/unit",
                                "/marks/2/words"});
    json other = file;
    other["marks"][2]["after"] = 7;  // of six changes
    EXPECT_NE(refusal(figure, "timeline-3.json", other).find("marks[2].after"), std::string::npos);
    other = file;
    other["memory"][1]["change"] = -1'500'001;  // of 1 500 000 bytes
    EXPECT_NE(refusal(figure, "timeline-3.json", other).find("memory[1].change is not at most"),
              std::string::npos);
    other = file;
    other["memory"][0]["category"] = "params";
    EXPECT_NE(refusal(figure, "timeline-3.json", other).find("memory[0].category"),
              std::string::npos);
  }
  EXPECT_NE(refusal("overlap", "timeline-3-overlapped.json", file).find("overlap is not that of"),
            std::string::npos);
}

}  // namespace
}  // namespace zerolab
