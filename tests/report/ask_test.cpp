// The question bank: what its command line takes, and that a verdict follows the numbers it is
// given.
#include "zerolab/report/ask.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "command_line.hpp"
#include "page_folder.hpp"
#include "report/folder.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {
namespace {

CommandLine parse_ask(Words words) {
  words.insert(words.begin(), "ask");
  return parse(std::move(words));
}

Item item(const std::string& id) {
  for (const Item& one : all_items()) {
    if (one.id == id) return one;
  }
  throw Error("no item " + id);
}

Results whole_results() {
  Results results;
  for (const auto& [file, content] : whole_folder()) results.put(file, content);
  return results;
}

constexpr Place here{4, false};

bool fits(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (shown_width(line) > 100) return false;
  }
  return true;
}

TEST(AskOptions, ItemsAreSpelledAsTheDocumentsDo) {
  const CommandLine line = parse_ask({"tf7", "5.2", "TF7", "s4"});
  EXPECT_EQ(line.command, "ask");
  EXPECT_TRUE(line.needs_ranks());
  std::vector<std::string> ids;
  for (const Item& one : chosen_items(line.ask)) ids.emplace_back(one.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"5.2", "TF7", "S4"}));
  EXPECT_EQ(chosen_items(parse_ask({"--all", "--check"}).ask).size(), all_items().size());
  EXPECT_FALSE(parse_ask({"--list"}).needs_ranks());
}

TEST(AskOptions, WhatIsNoQuestionIsRefused) {
  const std::vector<std::pair<std::vector<const char*>, const char*>> refused{
      {{"TF77"}, "'TF77' is no item"},
      {{}, "ask needs items"},
      {{"TF7", "--all"}, "ask needs items"},
      {{"--all", "--list"}, "ask needs items"},
      {{"--list", "--check"}, "ask --list"},
      {{"--list", "--answer"}, "ask --list"},
      {{"--list", "--json", "-"}, "ask --list"},
      {{"--list", "--results", "results"}, "ask --list"},
      {{"--list", "--network", "network.json"}, "ask --list"},
      {{"TF7", "--network", "-"}, "--network"}};
  for (const auto& [words, why] : refused) {
    const CommandLine line = parse_ask(words);
    EXPECT_EQ(line.exit_code, 2);
    EXPECT_EQ(line.command, "");
    EXPECT_NE(line.text.find(why), std::string::npos) << line.text;
  }
}

TEST(Ask, TheVerdictFollowsTheNumber) {
  Results results = whole_results();
  const Answer right = answer_to(item("TF7"), results, here);
  EXPECT_EQ(right.verdict, Answer::Verdict::confirmed);
  EXPECT_EQ(
      check_line(right),
      "TF7   confirmed    payload of the all-reduces of stage 2 of a rank and step, bytes: 0Φ "
      "(N = 8)\n");
  // 4 ranks, 3 steps: as many bytes as stage 0 all-reduces on one rank.
  json four = whole_verify_json(4);
  json& traffic = four["bytes"]["2"]["traffic"]["per_rank"][1]["allreduce"];
  traffic["payload_bytes"] = 4 * 2 * four["stages"]["0"]["parameters"].get<std::uint64_t>() * steps;
  results = whole_results();
  results.put("verify-4.json", four);
  const Answer wrong = answer_to(item("TF7"), results, here);
  EXPECT_EQ(wrong.verdict, Answer::Verdict::contradicted);
  EXPECT_EQ(
      check_line(wrong),
      "TF7   contradicted payload of the all-reduces of stage 2 of a rank and step, bytes: 2Φ "
      "(N = 4)\n");
  EXPECT_NE(answer_text(wrong).find("N = 4: 2Φ — DIFFERS"), std::string::npos);
  EXPECT_FALSE(all_confirmed({right, wrong}));
  EXPECT_TRUE(all_confirmed({right}));
}

TEST(Ask, WithoutResultsNothingIsConfirmed) {
  for (const Item& one : all_items()) {
    Results nothing;
    const Answer answer = answer_to(one, nothing, {1, false});
    EXPECT_NE(answer.verdict, Answer::Verdict::confirmed) << one.id;
    EXPECT_NE(answer.verdict, Answer::Verdict::contradicted) << one.id;
    EXPECT_EQ(all_confirmed({answer}), answer.verdict == Answer::Verdict::not_run) << one.id;
    EXPECT_EQ(answers_json({answer})["items"][0]["calculated"], false) << one.id;
    const std::string line = check_line(answer);
    const bool says_why = line.find("needs two ranks or more") != std::string::npos ||
                          line.find("not run: SimGrid missing") != std::string::npos;
    EXPECT_TRUE(says_why) << line;
  }
}

TEST(Ask, LinesFit100Columns) {
  Results results = whole_results();
  std::vector<Answer> answers;
  for (const Item& one : all_items()) {
    answers.push_back(answer_to(one, results, here));
    answers.back().prediction = std::string(150, 'x') + " and " + std::string(80, 'y');
    EXPECT_TRUE(fits(check_line(answers.back()))) << check_line(answers.back());
    answers.back().prediction = "a few words, " + std::string(80, 'y');
    EXPECT_TRUE(fits(question_text(one) + answer_text(answers.back())))
        << question_text(one) + answer_text(answers.back());
    EXPECT_NE(answer_text(answers.back()).find("Right: "), std::string::npos);
  }
  EXPECT_TRUE(fits(totals_text(answers))) << totals_text(answers);
  EXPECT_TRUE(fits(list_text(all_items())));
}

TEST(Ask, OnlyWhatAnItemReadsIsMeasured) {
  const auto measured = [](const std::string& id) {
    const auto files = whole_folder();
    std::set<std::string> names, asked;
    for (const auto& [file, content] : files) names.insert(file);
    Results results(names, [&](const std::string& file) {
      asked.insert(file);
      return files.at(file);
    });
    EXPECT_EQ(answer_to(item(id), results, here).verdict, Answer::Verdict::confirmed) << id;
    return asked;
  };
  using Files = std::set<std::string>;
  EXPECT_EQ(measured("2.1"), (Files{"exercise-2.1.json", "verify-1.json", "verify-2.json",
                                    "verify-3.json", "verify-4.json", "verify-8.json"}));
  EXPECT_EQ(measured("4.1"), Files{"exercise-4.1.json"});
  EXPECT_EQ(measured("TF7").count("doctor.json"), 0U);
  EXPECT_EQ(measured("1.2").count("doctor.json"), 1U);
}

Finding simulated(const Folder& folder) {
  const json* network = folder.results.json(network_file);
  if (network == nullptr) return {{}, {"a simulated network"}};
  return {{{"measured", "seconds", {{"N = 2", "1", network->at("fast") == true}}, {}}}, {}};
}

TEST(Ask, WhatIsSimulatedIsNotRunWithoutANetwork) {
  const Item one{"TF4", Group::true_or_false, "claim", "False.", "", simulated};
  EXPECT_TRUE(wants_network(one));
  EXPECT_FALSE(wants_network(item("TF7")));
  Results results;
  const Answer without = answer_to(one, results, here),
               elsewhere = answer_to(one, results, {4, true});
  EXPECT_EQ(check_line(without), "TF4   not run: SimGrid missing\n");
  EXPECT_EQ(check_line(elsewhere), "TF4   not run: no simulated network\n");
  EXPECT_TRUE(all_confirmed({without}));
  EXPECT_EQ(
      totals_text({without}),
      "1 item: 0 confirmed (0 by calculation alone), 0 contradicted, 0 not measured, 1 not run: "
      "SimGrid\n  missing (apt install libsimgrid-dev, ./run_labs.sh ask TF4)\n");
  results.put(network_file, {{"fast", true}});
  EXPECT_EQ(answer_to(one, results, here).verdict, Answer::Verdict::confirmed);
  results.put(network_file, {{"fast", false}});
  EXPECT_EQ(answer_to(one, results, here).verdict, Answer::Verdict::contradicted);
}

TEST(Ask, APredictionIsJudgedWhereItIsTrueOrFalse) {
  EXPECT_EQ(agrees(item("TF7"), "FALSE"), true);
  EXPECT_EQ(agrees(item("TF7"), "t"), false);
  EXPECT_EQ(agrees(item("TF9"), "True"), true);
  EXPECT_EQ(agrees(item("TF7"), "perhaps"), std::nullopt);
  EXPECT_EQ(agrees(item("SE3"), "false"), std::nullopt);
  Results results = whole_results();
  Answer answer = answer_to(item("TF7"), results, here);
  answer.prediction = "true";
  EXPECT_NE(answer_text(answer).find("You said: true, which does not agree"), std::string::npos);
}

TEST(Ask, JsonHasEveryVerdict) {
  Results results = whole_results();
  const json summary =
      answers_json({answer_to(item("TF7"), results, here), answer_to(item("4.1"), results, here)});
  EXPECT_EQ(summary["ranks"], 4);
  EXPECT_EQ(summary["totals"]["confirmed"], 2);
  EXPECT_EQ(summary["items"][0]["verdict"], "confirmed");
  EXPECT_EQ(summary["items"][0]["evidence"][0]["values"][0]["holds"], true);
  EXPECT_EQ(summary["items"][0]["calculated"], false);
  EXPECT_EQ(summary["items"][1]["calculated"], true);
}

}  // namespace
}  // namespace zerolab
