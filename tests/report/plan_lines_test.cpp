// What plan prints: lines of at most 100 columns whatever the numbers, and words that are true of
// other systems' layouts, of one rank and of tiny times.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "zerolab/report/commands.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/quantity.hpp"

namespace zerolab {
namespace {

/// What `plan WORDS` prints; throws Error where 128 bits do not hold a result.
std::string printed(const std::string& words) {
  std::vector<std::string> list{"zerolab", "plan"};
  std::istringstream stream(words);
  for (std::string word; stream >> word;) list.push_back(word);
  std::vector<const char*> arguments;
  for (const std::string& word : list) arguments.push_back(word.c_str());
  const CommandLine line = parse_command_line(static_cast<int>(arguments.size()), arguments.data());
  EXPECT_EQ(line.text, "") << words;
  testing::internal::CaptureStdout();
  try {
    plan_command(line.plan);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  return testing::internal::GetCapturedStdout();
}

std::size_t count_of(const std::string& what, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

void expect_lines_fit(const std::string& words) {
  std::istringstream lines(printed(words));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(shown_width(line), 100U) << "plan " << words << "\n" << line;
  }
}

class Extremes {
 public:
  std::uint64_t upto(std::uint64_t limit) { return random_() % limit + 1; }
  /// A number of up to 18 digits or 10^18 itself, any count of digits as likely.
  std::string number() {
    std::uint64_t limit = 1;
    for (std::uint64_t i = upto(19) - 1; i > 0; --i) limit *= 10;
    return std::to_string(upto(4) == 1 ? limit : upto(limit));
  }
  std::string seconds() {
    return upto(2) == 1 ? number() : number() + std::array{"s", "ms", "us", "ns"}[upto(4) - 1];
  }
  std::string share() {
    return upto(2) == 1 ? std::to_string(upto(100)) + "%"
                        : "0." + std::string(upto(14) - 1, upto(2) == 1 ? '9' : '0') + "7";
  }
  std::string model() { return " --params " + number() + " --ranks " + number(); }
  std::string accumulate() {
    return " --accumulate " + std::to_string(upto(2) == 1 ? 1U << 20U : upto(1U << 20U));
  }
  std::string layout() {
    return std::string(" --layout ") + std::array{"zerolab", "fp32-gradients", "no-master",
                                                  "megatron", "deepspeed"}[upto(5) - 1];
  }
  std::string any_command() {
    switch (upto(4)) {
      case 1:
        return "memory" + model() + layout();
      case 2:
        return "traffic" + model() + accumulate();
      case 3:
        return "time" + (upto(2) == 1 ? " --volume " + number() : model() + accumulate()) +
               " --bandwidth " + number() + " --compute " + seconds() + " --target " + share();
      default:
        return "fit" + model() + layout() + accumulate() + " --memory " + number() +
               " --activations " + number();
    }
  }

 private:
  std::mt19937_64 random_{42};
};

TEST(PlanLines, FitWhateverTheNumbers) {
  expect_lines_fit("traffic --params 471504930768969767 --ranks 339249098158 --accumulate 1048576");
  expect_lines_fit(
      "time --volume 767 --bandwidth 750686842831563730 --compute 336779310 --target 38%");
  expect_lines_fit("fit --params 499999999999999930 --ranks 1 --memory 1e18");
  Extremes extremes;
  int shown = 0;
  for (int i = 0; i < 2000; ++i) {
    try {
      expect_lines_fit(extremes.any_command());
      ++shown;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("128 bits"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(shown, 1000);
}

TEST(PlanLines, AModelIsOneUnitAndSaysSo) {
  const std::string model = " --params 17226 --ranks 3";
  for (const std::string& command :
       {"memory" + model, "traffic" + model, "fit --memory 1GB" + model,
        "time --bandwidth 1GB/s --compute 1" + model}) {
    EXPECT_EQ(printed(command).find("Φ = 17 226, as one unit · N = 3"), 0U) << command;
  }
  for (const char* command : {"memory", "traffic", "time", "fit"}) {
    const std::array words{"zerolab", "plan", command, "--help"};
    EXPECT_EQ(count_of("up to (units − 1) elements more", parse_command_line(4, words.data()).text),
              1U)
        << command;
  }
}

TEST(PlanLines, UnitsCutByThemselvesAddAtMostUnitsMinusOne) {
  const auto fullest = [](const std::vector<Whole>& units, Whole ranks) {
    Whole sum = 0;
    for (const Whole unit : units) sum += divided_up(unit, ranks);
    return sum;
  };
  const auto as_one = [](const std::vector<Whole>& units, Whole ranks) {
    Whole phi = 0;
    for (const Whole unit : units) phi += unit;
    return plan_memory({phi, {}, {}, {}}, ranks)[3].bytes / 16;  // 16 bytes of each element
  };
  // 64-128-64-10: (64+1)·128, (128+1)·64 and (64+1)·10 elements.
  const std::vector<Whole> network{8320, 8256, 650};
  EXPECT_TRUE(as_one(network, 3) == 5742 && fullest(network, 3) == 5743);
  Extremes extremes;
  int reached = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Whole> units;
    for (std::uint64_t u = extremes.upto(6); u > 0; --u) units.push_back(extremes.upto(40));
    const Whole ranks = extremes.upto(50), one = as_one(units, ranks);
    const Whole all = fullest(units, ranks);
    EXPECT_TRUE(one <= all && all <= one + units.size() - 1);
    if (units.size() > 1 && all == one + units.size() - 1) ++reached;
  }
  EXPECT_GT(reached, 0) << "it may be that many";
}

TEST(PlanLines, OtherSystemsAreNotComparedByOurTraffic) {
  for (const char* layout : {"megatron", "deepspeed"}) {
    const std::string words =
        fmt::format("fit --params 7B --ranks 8 --memory 80GB --layout {}", layout);
    const std::string text = printed(words);
    EXPECT_EQ(count_of("least traffic", text), 0U) << text;
    EXPECT_EQ(count_of("is the lowest that fits (by stage, ", text), 1U) << text;
    EXPECT_EQ(count_of("  -      -       -      -\n", text), 2U) << text;
    const auto tree = nlohmann::json::parse(printed(words + " --json -"));
    EXPECT_TRUE(tree.at("stages_by_traffic").is_null());
    // Megatron's 18Φ = 126 GB are too much, and DeepSpeed's lowest stage holds 2·7 + 18·7/8 GB.
    EXPECT_EQ(tree.at("recommended_stage"), std::string(layout) == "megatron" ? 1 : 2);
    for (const auto& stage : tree.at("stages")) {
      for (const char* convention : {"volume", "ring"}) {
        for (const char* key : {"_times", "_ratio", "_bytes", "_bytes_exact",
                                "_bytes_both_directions", "_bytes_both_directions_exact"}) {
          EXPECT_TRUE(stage.at(std::string(convention) + key).is_null()) << convention << key;
        }
      }
    }
  }
  const std::string variant =
      printed("fit --params 7B --ranks 8 --memory 80GB --layout fp32-gradients");
  EXPECT_EQ(count_of("least traffic (by elements the order is 0, 2, 1, 3", variant), 1U) << variant;
}

TEST(PlanLines, OneRankSendsNothingAndHasNoRatio) {
  const std::string words = "traffic --params 7 --ranks 1";
  const std::string text = printed(words);
  EXPECT_EQ(count_of("0           -\n", text), 8U) << text;
  const auto tree = nlohmann::json::parse(printed(words + " --json -"));
  for (const auto& stage : tree.at("stages")) {
    EXPECT_TRUE(stage.at("volume_ratio").is_null() && stage.at("ring_ratio").is_null());
    EXPECT_EQ(stage.at("ring_bytes"), 0);
  }
  const std::string fit = printed("fit --params 40B --memory 80GB --activations 20GB --ranks 1");
  EXPECT_EQ(count_of("each on 1 rank\n", fit), 1U) << fit;
}

TEST(PlanLines, NotesOnCutSecondsOnceAndNotOfZero) {
  // Some bytes, a millionth of a second each: nothing that is cut by hand.
  EXPECT_EQ(count_of("with c cut to", printed("time --params 4 --ranks 4 --bandwidth 1MB/s "
                                              "--compute 1000")),
            0U);
  // Stage 0's wire in one direction is its payload in both: 688.5 GB, 2.295 s cut to 2.29 s, and
  // 10/12.295 = 81.33 %, where 10/12.29 = 81.37 %.
  const std::string text =
      printed("time --params 344.25B --ranks 2 --bandwidth 300GB/s --compute 10 --stage 0");
  EXPECT_EQ(count_of("with c cut to 2.29 s instead of 2.295 s", text), 1U) << text;
}

TEST(PlanLines, NumbersOfAnyLengthAreTooLargeOrTooFineNotUnreadable) {
  const auto fault = [](Quantity quantity, const std::string& text) {
    return read_quantity(quantity, text).fault;
  };
  const std::string many(41, '7');
  for (const std::string& text : {many, std::string("1e999"), std::string("1e1000"),
                                  "0." + many + "e60", std::string("1e99999999999999999999")}) {
    for (const Quantity quantity : {Quantity::count, Quantity::bytes, Quantity::seconds}) {
      EXPECT_EQ(count_of("is above 10^18", fault(quantity, text)), 1U) << fault(quantity, text);
    }
  }
  EXPECT_EQ(count_of("is too fine", fault(Quantity::seconds, "1e-1000")), 1U);
  EXPECT_EQ(count_of("is too fine", fault(Quantity::seconds, "0." + many)), 1U);
  EXPECT_EQ(count_of("has more than 38 digits", fault(Quantity::count, "7." + many)), 1U);
  EXPECT_EQ(count_of("is not whole", fault(Quantity::count, "1e-1000")), 1U);
  EXPECT_TRUE(value_of(Quantity::count, "0e1000").zero());
  EXPECT_TRUE(value_of(Quantity::count, "7e0000009") == Fraction(7'000'000'000));
}

}  // namespace
}  // namespace zerolab
