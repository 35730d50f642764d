// What is said of a rank that was started otherwise than rank 0. How ranks find out:
// tests/program/unlike.sh.
#include "zerolab/report/ranks_alike.hpp"

#include <gtest/gtest.h>

namespace zerolab {
namespace {

using Texts = std::vector<std::string>;

Started of(const Texts& words) {
  return {"0.1.0", "0badcafe", words};
}

void expect_difference(const Texts& first, const Texts& other, const std::string& told) {
  EXPECT_EQ(difference(of(first), 2, of(other)),
            "rank 2 was started with other options than rank 0: " + told);
}

TEST(RanksAlike, SameProgramAndWordsAreNoDifference) {
  EXPECT_EQ(difference(of({}), 1, of({})), "");
  EXPECT_EQ(difference(of({"train", "--seed", "1"}), 1, of({"train", "--seed", "1"})), "");
}

TEST(RanksAlike, AValueIsToldWithItsOption) {
  expect_difference({"train", "--seed", "1"}, {"train", "--seed", "2"},
                    "'--seed 2' there, '--seed 1' on rank 0");
  expect_difference({"train", "--lr", "-1"}, {"train", "--lr", "-2"},
                    "'--lr -2' there, '--lr -1' on rank 0");
  expect_difference({"train", "--seed=1"}, {"train", "--seed=2"},
                    "'--seed=2' there, '--seed=1' on rank 0");
  expect_difference({"train", "--data", "csv:a b"}, {"train", "--data", ""},
                    "'--data ' there, '--data csv:a b' on rank 0");
}

TEST(RanksAlike, TheFirstOfSeveralDifferencesIsTold) {
  expect_difference({"train", "--seed", "1", "--batch", "3"},
                    {"train", "--seed", "2", "--batch", "4"},
                    "'--seed 2' there, '--seed 1' on rank 0");
}

TEST(RanksAlike, AWordMoreOrLess) {
  expect_difference({"train"}, {"train", "--quiet"}, "'--quiet' there, nothing on rank 0");
  expect_difference({"train", "--seed", "2"}, {"train"}, "nothing there, '--seed' on rank 0");
  expect_difference({}, {"--help"}, "'--help' there, nothing on rank 0");
}

TEST(RanksAlike, AnotherSubcommandOrOption) {
  expect_difference({"train"}, {"verify"}, "'verify' there, 'train' on rank 0");
  expect_difference({"train", "--quiet"}, {"train", "--trace"},
                    "'--trace' there, '--quiet' on rank 0");
  expect_difference({"train", "--quiet"}, {"train", "2"}, "'2' there, '--quiet' on rank 0");
}

TEST(RanksAlike, AnotherProgramIsToldBeforeItsWords) {
  const Started first = of({"train"});
  EXPECT_EQ(difference(first, 1, {"0.2.0", "0badcafe", {"verify"}}),
            "rank 1 runs another program than rank 0: version 0.2.0, checksum 0badcafe there, "
            "version 0.1.0, checksum 0badcafe on rank 0");
  EXPECT_EQ(difference(first, 3, {"0.1.0", "", {"train"}}),
            "rank 3 runs another program than rank 0: version 0.1.0, checksum not to be had there, "
            "version 0.1.0, checksum 0badcafe on rank 0");
}

TEST(RanksAlike, PackingKeepsEveryWord) {
  for (const Texts& words : {Texts{}, Texts{""}, Texts{"a", "", "b c", ""}, Texts{"train"}}) {
    for (const std::string checksum : {"", "0badcafe"}) {
      const Started back = unpacked(packed({"0.1.0", checksum, words}));
      EXPECT_EQ(back.version, "0.1.0");
      EXPECT_EQ(back.checksum, checksum);
      EXPECT_EQ(back.words, words);
    }
  }
  EXPECT_NE(packed(of({"a", "b"})), packed(of({"ab"})));
}

TEST(RanksAlike, TheProgramsNameIsNotAmongTheWords) {
  const char* const line[] = {"/some/where/zerolab", "train", "--quiet", nullptr};
  EXPECT_EQ(started(3, line).words, (Texts{"train", "--quiet"}));
  EXPECT_EQ(started(0, line + 3).words, Texts{});
#ifdef __linux__
  EXPECT_EQ(started(3, line).checksum.size(), 8U);
#endif
  EXPECT_EQ(started(3, line).checksum, started(1, line).checksum);
}

}  // namespace
}  // namespace zerolab
