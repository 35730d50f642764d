// Command lines that make no sense are refused before anything runs, with one line that names the
// option at fault, exit code 2 and no command.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "command_line.hpp"

namespace zerolab {
namespace {

void expect_refusal(const Words& words, const std::string& named) {
  std::string command;
  for (const char* word : words) command += std::string(command.empty() ? "" : " ") + word;
  const CommandLine line = parse(words);
  const std::string& text = line.text;
  const bool refused = line.exit_code == 2 && line.command.empty();
  const bool one_line = text.starts_with("zerolab: ") && text.find('\n') + 1 == text.size();
  EXPECT_TRUE(refused && one_line && text.find(named) != std::string::npos)
      << command << "\nends with " << line.exit_code << " and says: " << text;
}
/// The same option with the same value, for both commands.
void expect_refusal_by_both(const Words& words, const std::string& named) {
  for (const char* command : {"train", "verify"}) {
    Words all = words;
    all.insert(all.begin(), command);
    expect_refusal(all, named);
  }
}

TEST(Refusals, CountsAreWholeNumbersFromOne) {
  for (const char* option :
       {"--batch", "--accumulate", "--virtual-shards", "--epochs", "--chunk-elements",
        "--loss-scale-growth-interval", "--max-skips", "--hidden"}) {
    for (const char* value : {"0", "-1", "1e3", "1.5", "99999999999999999999", "0x10", "010",
                              "seven", "nan", " ", "3x"}) {
      expect_refusal_by_both({option, value}, option);
    }
  }
  for (const char* value : {"-1", "1e3", "99999999999999999999", "2.0"}) {
    expect_refusal_by_both({"--steps", value}, "--steps");
    expect_refusal_by_both({"--seed", value}, "--seed");
    expect_refusal_by_both({"--checkpoint-activations", value}, "--checkpoint-activations");
  }
}

TEST(Refusals, VirtualShardsReplaceAccumulation) {
  expect_refusal_by_both({"--virtual-shards", "8", "--accumulate", "2"}, "--virtual-shards");
}

TEST(Refusals, StageOneHasNoOverlappedTwin) {
  expect_refusal({"train", "--overlap", "--stage", "1"}, "--overlap");
  expect_refusal({"verify", "--overlap", "--stages", "0,1"}, "--overlap");
}

TEST(Refusals, OverlappedTwinsRecomputeNothing) {
  expect_refusal_by_both({"--overlap", "--checkpoint-activations", "2"},
                         "--checkpoint-activations: the overlapped twins recompute nothing");
}

TEST(Refusals, HiddenWidthsAreAtLeastOne) {
  for (const char* value : {"", ",", "12,,3", "12,", ",12", "12,0", "0,12", "12,-3", "12;3"}) {
    expect_refusal_by_both({"--hidden", value}, "--hidden");
  }
}

TEST(Refusals, NumbersAreFiniteAndInBounds) {
  for (const char* option : {"--lr", "--weight-decay"}) {
    for (const char* value : {"nan", "inf", "-inf", "-1", "1e400", "fast", "", "0.1.2"}) {
      expect_refusal_by_both({option, value}, option);
    }
  }
  for (const char* value : {"1", "1.5", "-0.1", "nan", "inf"}) {
    expect_refusal_by_both({"--optimizer", "sgd", "--momentum", value}, "--momentum");
  }
  for (const char* value : {"0", "-1", "nan", "inf", "off"}) {
    expect_refusal_by_both({"--clip-norm", value}, "--clip-norm");
    expect_refusal_by_both({"--stall-limit", value}, "--stall-limit");
  }
  for (const char* value : {"3", "0.5", "33554432", "0", "-2", "nan", "inf", "static", ""}) {
    expect_refusal_by_both({"--loss-scale", value}, "--loss-scale");
  }
}

TEST(Refusals, ChoicesAreTheListedOnes) {
  expect_refusal_by_both({"--precision", "fp8"}, "--precision");
  expect_refusal_by_both({"--precision", "FP16"}, "--precision");
  expect_refusal_by_both({"--reduce", "fast"}, "--reduce");
  expect_refusal_by_both({"--gemm", "mkl"}, "--gemm");
  for (const char* option : {"--digests", "--against"}) {
    for (const char* value : {"-", ""}) expect_refusal_by_both({option, value}, option);
  }
  expect_refusal_by_both({"--optimizer", "lion"}, "--optimizer");
  for (const char* stage : {"4", "-1", "1.5", "two", "", "0,1"}) {
    expect_refusal({"train", "--stage", stage}, "--stage");
  }
  for (const char* stages : {"0,4", "0,0", "1,2,1", "", "0,,1", "all"}) {
    expect_refusal({"verify", "--stages", stages}, "--stages");
  }
}

TEST(Refusals, Checkpoints) {
  for (const char* option : {"--save-every", "--keep", "--time-limit"}) {
    expect_refusal({"train", option, "5"}, "--save");
    expect_refusal({"train", "--save", "d", option, "0"}, option);
    expect_refusal({"train", "--save", "d", option, "many"}, option);
  }
  expect_refusal({"train", "--save", ""}, "--save");
  expect_refusal({"train", "--resume", "-"}, "--resume");
  for (const char* name : {"widths", "layers", "", "lr,seed"})
    expect_refusal({"train", "--resume", "d", "--allow", name}, "--allow");
  expect_refusal({"train", "--resume", "d", "--digests", "f"}, "--digests");
  expect_refusal({"train", "--resume", "d", "--against", "f"}, "--against");
  expect_refusal({"train", "--save", "d", "--wire", "f"}, "--wire");
  expect_refusal({"verify", "--save", "d"}, "--save");
  expect_refusal({"checkpoint"}, "subcommand");
  expect_refusal({"checkpoint", "info"}, "checkpoint");
  expect_refusal({"checkpoint", "diff", "one"}, "checkpoint");
  expect_refusal({"checkpoint", "export", "one"}, "--output");
}

TEST(Refusals, WhatDoesNotGoTogetherIsRefused) {
  expect_refusal_by_both({"--momentum", "0.9"}, "--momentum");
  expect_refusal_by_both({"--optimizer", "adamw", "--momentum", "0.9"}, "--momentum");
  expect_refusal_by_both({"--steps", "3", "--epochs", "2"}, "--steps");
  expect_refusal_by_both({"--batch", "3", "--batch", "4"}, "--batch");
  expect_refusal_by_both({"--stage", "0", "--stages", "0"}, "--stage");
  expect_refusal({"train", "--stages", "0,1"}, "--stages");
  expect_refusal({"train", "--expect-difference"}, "--expect-difference");
  expect_refusal({"train", "--against", "a", "--against", "b"}, "--against");
  expect_refusal({"verify", "--against", "a", "--against", "b", "--against", "c"}, "--against");
  expect_refusal({"verify", "--against", "a", "--against", "b", "--digests", "c"}, "--digests");
  expect_refusal_by_both({"--against", "a", "--digests", "a"}, "--digests");
  expect_refusal_by_both({"--against", "a", "b"}, "b");
  expect_refusal({"verify", "--stage", "1"}, "--stage");
  expect_refusal({"verify", "--trace"}, "--trace");
}

/// A folder of links, apart from other runs of this test.
struct LinkedFiles : testing::Test {
  const std::string folder = testing::TempDir() + "zerolab_links_" + std::to_string(getpid()) + "/";
  const std::string to_be_made = folder + "made", link = folder + "link",
                    second_link = folder + "second", circle = folder + "circle";

  LinkedFiles() {
    std::filesystem::create_directory(folder);
    std::filesystem::create_symlink("made", link);
    std::filesystem::create_symlink(link, second_link);
    std::filesystem::create_symlink("circle", circle);
  }
  ~LinkedFiles() override { std::filesystem::remove_all(folder); }
};

TEST_F(LinkedFiles, ThatAreYetToBeMadeAreOneFile) {
  const std::string around =
      folder + "../" + std::filesystem::path(folder).parent_path().filename().string() + "/made";
  for (const std::string& other : {link, second_link, around}) {
    expect_refusal_by_both({"--json", to_be_made.c_str(), "--digests", other.c_str()},
                           "--json and --digests are the same file");
    expect_refusal_by_both({"--json", other.c_str(), "--digests", to_be_made.c_str()},
                           "--json and --digests are the same file");
  }
}

// The system's own refusal comes when they are opened, and says what is wrong with each.
TEST_F(LinkedFiles, ThatNeverCanBeMadeAreNotOneFile) {
  const std::string a = folder + std::string(300, 'a'), b = folder + std::string(300, 'b'),
                    below = circle + "/b";
  EXPECT_EQ(parse({"train", "--json", a.c_str(), "--metrics", b.c_str()}).text, "");
  EXPECT_EQ(parse({"train", "--json", circle.c_str(), "--metrics", below.c_str()}).text, "");
  expect_refusal_by_both({"--json", a.c_str(), "--digests", a.c_str()}, "the same file");
}

TEST_F(LinkedFiles, DataIsNotWrittenOver) {
  for (const std::string& data : {"csv:" + to_be_made, "idx:" + to_be_made + ",other",
                                  "idx:other," + to_be_made, "csv:" + link}) {
    expect_refusal_by_both({"--data", data.c_str(), "--json", to_be_made.c_str()},
                           "--json and --data are the same file");
  }
  for (const char* written : {"--json", "--metrics"})
    expect_refusal({"train", "--resume", link.c_str(), written, to_be_made.c_str()},
                   std::string(written) + " and --resume are the same file");
  EXPECT_EQ(parse({"train", "--data", "idx:a,a", "--json", "b"}).text, "") << "only read";
  EXPECT_EQ(parse({"train", "--data", "csv:/dev/null", "--json", "/dev/null"}).text, "");
  expect_refusal({"ask", "--all", "--network", "n.json", "--json", "./n.json"},
                 "--json and --network are the same file");
}

TEST(Refusals, WhatIsUnknownIsRefused) {
  expect_refusal_by_both({"--bacth", "3"}, "--bacth");
  expect_refusal_by_both({"--batch"}, "--batch");
  expect_refusal_by_both({"digits"}, "digits");
  expect_refusal({"doctor", "--batch", "3"}, "--batch");
  expect_refusal({}, "subcommand");
  expect_refusal({"trian"}, "trian");
  expect_refusal({"train", "verify"}, "verify");
  expect_refusal({"--batch", "3"}, "subcommand");
}

}  // namespace
}  // namespace zerolab
