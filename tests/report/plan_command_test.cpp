// plan from its command line to its JSON: keys as the README says, exact integers, and one line
// with the option's name for what makes no sense.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "zerolab/report/commands.hpp"

namespace zerolab {
namespace {

using nlohmann::json;

CommandLine parse_plan(Words words) {
  words.insert(words.begin(), "plan");
  return parse(std::move(words));
}

/// What --json - writes, and nothing else.
json output_of(Words words) {
  words.insert(words.end(), {"--json", "-"});
  const CommandLine line = parse_plan(words);
  EXPECT_EQ(line.text, "");
  testing::internal::CaptureStdout();
  const int code = plan_command(line.plan);
  const std::string written = testing::internal::GetCapturedStdout();
  EXPECT_EQ(code, 0);
  return json::parse(written);
}

TEST(PlanCommand, MemoryInExactIntegers) {
  const json tree = output_of({"memory", "--params", "7B", "--ranks", "8"});
  EXPECT_EQ(tree["inputs"]["parameters"], 7'000'000'000U);
  EXPECT_EQ(tree["inputs"]["ranks"], 8);
  const std::array<std::uint64_t, 4> bytes{112'000'000'000, 38'500'000'000, 26'250'000'000,
                                           14'000'000'000};
  const std::array<std::array<int, 2>, 4> factor{{{1, 1}, {32, 11}, {64, 15}, {8, 1}}};
  for (std::size_t s = 0; s < 4; ++s) {
    const json& stage = tree["stages"][s];
    EXPECT_EQ(stage["stage"], s);
    EXPECT_TRUE(stage["bytes_per_rank"].is_number_unsigned());
    EXPECT_EQ(stage["bytes_per_rank"], bytes[s]);
    EXPECT_EQ(stage["reduction"]["numerator"], factor[s][0]);
    EXPECT_EQ(stage["reduction"]["denominator"], factor[s][1]);
  }
  EXPECT_EQ(tree["stages"][0]["state"]["variance"], 28'000'000'000U);
  EXPECT_EQ(tree["stages"][1]["ceiling"]["numerator"], 4);
  EXPECT_TRUE(tree["stages"][3]["ceiling"].is_null());
}

TEST(PlanCommand, IntegersBeyond64BitsAreStringsOfTheirDigits) {
  const json tree = output_of({"memory", "--params", "1e18", "--ranks", "1e18"});
  EXPECT_EQ(tree["stages"][0]["bytes_per_rank"], 16'000'000'000'000'000'000U);
  EXPECT_EQ(tree["stages"][0]["bytes_all_ranks"], "16" + std::string(36, '0'));
}

TEST(PlanCommand, OptimizersAndPrecisions) {
  const auto bytes = [](Words more) {
    Words words{"memory", "--params", "1", "--ranks", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return output_of(words)["stages"][0]["optimizer_bytes"].get<int>();
  };
  EXPECT_EQ(bytes({}), 12);
  EXPECT_EQ(bytes({"--optimizer", "adamw", "--precision", "bf16"}), 12);
  EXPECT_EQ(bytes({"--optimizer", "sgd"}), 4);
  EXPECT_EQ(bytes({"--optimizer", "sgd", "--momentum"}), 8);
  EXPECT_EQ(bytes({"--optimizer", "sgd", "--momentum", "0.9"}), 8);
  EXPECT_EQ(bytes({"--optimizer", "sgd", "--momentum", "0"}), 4);
  EXPECT_EQ(bytes({"--precision", "fp32"}), 8);
}

TEST(PlanCommand, TrafficInBothConventions) {
  const json tree = output_of({"traffic", "--params", "175B", "--ranks", "64"});
  EXPECT_EQ(tree["stages"][3]["volume_bytes"], 1'033'593'750'000U);
  EXPECT_EQ(tree["stages"][3]["ring_bytes"], 1'033'593'750'000U);
  EXPECT_EQ(tree["stages"][0]["volume_bytes"], 344'531'250'000U);
  EXPECT_EQ(tree["stages"][0]["ring_bytes"], 689'062'500'000U);
  EXPECT_EQ(tree["stages"][3]["volume_bytes_both_directions"], 2'067'187'500'000U);
  // 2 · 10 · 2/3 bytes are 40/3: rounded up, and exactly.
  const json thirds = output_of({"traffic", "--params", "10", "--ranks", "3"});
  EXPECT_EQ(thirds["stages"][0]["volume_bytes"], 14);
  EXPECT_EQ(thirds["stages"][0]["volume_bytes_exact"], "40/3");
}

TEST(PlanCommand, TimeNamesWhatIsCounted) {
  const Words given{"time",      "--volume", "2.06TB",   "--bandwidth", "300GB/s",
                    "--compute", "10",       "--target", "80%"};
  const json stage = output_of(given)["cases"][0]["stages"][0];
  EXPECT_EQ(output_of(given)["cases"][0]["directions"], "as given");
  EXPECT_EQ(stage["no_overlap"]["bandwidth_for_target"], 824'000'000'000U);
  EXPECT_EQ(stage["seconds"]["numerator"], 103);
  EXPECT_EQ(stage["seconds"]["denominator"], 15);
  const Words model{"time",  "--params",  "175B", "--ranks", "64", "--bandwidth",
                    "300e9", "--compute", "10",   "--stage", "0"};
  const json both_ways = output_of(model)["cases"];
  ASSERT_EQ(both_ways.size(), 2U);
  EXPECT_EQ(both_ways[0]["directions"], "one");
  EXPECT_EQ(both_ways[1]["directions"], "both");
  EXPECT_EQ(both_ways[0]["stages"][0]["bytes"], 344'531'250'000U);
  EXPECT_EQ(both_ways[1]["stages"][0]["bytes"], 689'062'500'000U);
  EXPECT_EQ(both_ways[1]["stages"][1]["counted"], "wire");
  Words said = model;
  said.insert(said.end(), {"--directions", "both"});
  EXPECT_EQ(output_of(said)["cases"], json::array({both_ways[1]}));
}

TEST(PlanCommand, FitWithAndWithoutAnAnswer) {
  const json none = output_of(
      {"fit", "--params", "40e9", "--memory", "80e9", "--activations", "20e9", "--ranks", "8"});
  EXPECT_TRUE(none["recommended_stage"].is_null());
  EXPECT_TRUE(none["stages"][2]["min_ranks"].is_null());
  EXPECT_TRUE(none["stages"][2]["min_ranks_power_of_two"].is_null());
  EXPECT_EQ(none["stages"][3]["min_ranks"], 11);
  EXPECT_EQ(none["stages"][3]["min_ranks_power_of_two"], 16);
  EXPECT_EQ(none["stages"][3]["fits"], false);
  EXPECT_EQ(none["stages"][3]["missing_bytes"], 20'000'000'000U);
  const json small = output_of({"fit", "--params", "1B", "--memory", "80GB", "--ranks", "8"});
  EXPECT_EQ(small["recommended_stage"], 0) << "EC5";
  EXPECT_TRUE(small["remedies"].is_null());
  const json other = output_of(
      {"fit", "--params", "1B", "--memory", "80GB", "--ranks", "8", "--layout", "megatron"});
  EXPECT_TRUE(other["stages"][0]["volume_bytes"].is_null()) << "not ours to say";
}

void expect_refusal(const Words& words, const std::string& option, const std::string& why) {
  const CommandLine line = parse_plan(words);
  const std::string& text = line.text;
  const bool one_line = text.starts_with("zerolab: ") && text.find('\n') + 1 == text.size();
  std::string command;
  for (const char* word : words) command += std::string(" ") + word;
  EXPECT_TRUE(line.exit_code == 2 && line.command.empty() && one_line &&
              text.find(option) != std::string::npos && text.find(why) != std::string::npos)
      << "plan" << command << "\nends with " << line.exit_code << " and says: " << text;
}

TEST(PlanCommand, RefusesNonsenseByOptionAndReason) {
  const auto memory = [](const char* params, const char* ranks, const char* option,
                         const char* why) {
    expect_refusal({"memory", "--params", params, "--ranks", ranks}, option, why);
  };
  memory("7GB", "8", "--params", "this counts");
  memory("0.5", "8", "--params", "is not whole");
  memory("0", "8", "--params", "is nothing");
  memory("-7", "8", "--params", "is below zero");
  memory("", "8", "--params", "is not a number");
  memory("nan", "8", "--params", "is not a number");
  memory("1e19", "8", "--params", "above 10^18");
  memory("7B", "0", "--ranks", "is nothing");
  memory("7B", "8.5", "--ranks", "is not whole");
  const auto fit = [](const char* memory_of, const char* activations, const char* option,
                      const char* why) {
    expect_refusal({"fit", "--params", "7B", "--ranks", "8", "--memory", memory_of, "--activations",
                    activations},
                   option, why);
  };
  fit("0", "0", "--memory", "is nothing");
  fit("80G", "0", "--memory", "write bytes like 80e9, 80GB");
  fit("80Gb", "0", "--memory", "is in bits");
  fit("80GB", "0.3", "--activations", "is not a whole number of bytes");
  const auto time = [](const char* bandwidth, const char* compute, const char* target,
                       const char* option, const char* why) {
    expect_refusal({"time", "--volume", "1TB", "--bandwidth", bandwidth, "--compute", compute,
                    "--target", target},
                   option, why);
  };
  time("300GB", "10", "80%", "--bandwidth", "has no /s");
  time("300G", "10", "80%", "--bandwidth", "bytes or of bits");
  time("0", "10", "80%", "--bandwidth", "is nothing");
  time("300GB/s", "10GB", "80%", "--compute", "write seconds");
  time("300GB/s", "-1", "80%", "--compute", "is below zero");
  time("300GB/s", "10", "80", "--target", "above 1");
}

TEST(PlanCommand, RefusesWhatIsMissingOrDoesNotGoTogether) {
  expect_refusal({}, "plan", "memory, traffic, time, fit");
  expect_refusal({"memory", "--ranks", "8"}, "--params", "required");
  expect_refusal({"traffic", "--params", "7B"}, "--ranks", "required");
  expect_refusal({"fit", "--params", "7B", "--ranks", "8"}, "--memory", "required");
  expect_refusal({"time", "--volume", "1GB", "--compute", "1"}, "--bandwidth", "required");
  const Words time{"time", "--bandwidth", "1GB/s", "--compute", "1"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_refusal(time, "--volume", "--params and --ranks");
  expect_refusal(with(time, {"--params", "7B"}), "--params", "--ranks");
  expect_refusal(with(time, {"--volume", "1GB", "--params", "7B", "--ranks", "8"}), "--volume",
                 "excludes");
  expect_refusal(with(time, {"--volume", "1GB", "--stage", "3"}), "--stage", "excludes");
  expect_refusal(with(time, {"--volume", "1GB", "--accumulate", "3"}), "--accumulate", "--volume");
  expect_refusal(with(time, {"--volume", "1GB", "--directions", "up"}), "--directions", "up");
  const Words memory{"memory", "--params", "7B", "--ranks", "8"};
  expect_refusal(with(memory, {"--momentum"}), "--momentum", "sgd");
  expect_refusal(with(memory, {"--optimizer", "sgd", "--momentum", "1.5"}), "--momentum", "1.5");
  expect_refusal(with(memory, {"--layout", "megatron", "--precision", "fp16"}), "--precision",
                 "--layout megatron");
  expect_refusal(with(memory, {"--layout", "no-master", "--precision", "fp32"}), "--layout",
                 "16-bit");
  expect_refusal(with(memory, {"--largest-unit", "8B"}), "--largest-unit", "7000000000");
  expect_refusal(with(memory, {"--layout", "fsdp"}), "--layout", "fsdp");
  expect_refusal(with(memory, {"--memory", "80GB"}), "--memory", "not expected");
  expect_refusal(with(memory, {"--accumulate", "2"}), "--accumulate", "not expected");
}

}  // namespace
}  // namespace zerolab
