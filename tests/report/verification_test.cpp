// What verify concludes from what it has measured: which stages must agree (README, order rule),
// and what one wrong digest or byte does to the verdict.
#include "verification.hpp"

#include <gtest/gtest.h>

namespace zerolab {
namespace {

Outcome right_outcome(int stage) {
  Outcome outcome;
  outcome.stage = stage;
  outcome.digest = {1, 2, 3, {}};
  outcome.step_digests = {4, 5};
  outcome.reports.resize(2);
  outcome.memory_formula.resize(2);
  outcome.traffic_formula.resize(2);
  return outcome;
}

Verification right_verification(ReduceMode reduce = ReduceMode::exact, std::size_t accumulate = 1) {
  Verification all;
  all.job.reduce = reduce;
  all.job.accumulate = accumulate;
  all.bytes_job.reduce = ReduceMode::mpi;
  for (int stage = 0; stage < 4; ++stage) {
    all.bits.outcomes.push_back(right_outcome(stage));
    all.bytes.outcomes.push_back(right_outcome(stage));
  }
  return all;
}

TEST(Verification, HoldsWhereAllIsRight) {
  const StageVerdict verdict = judge(right_verification(), 3);
  EXPECT_TRUE(verdict.ranks_agree && verdict.ledgers_hold && verdict.all_equal);
  EXPECT_TRUE(verdict.as_required && verdict.like_plain);
}

// Stages 0 and 1 add whole gradients, 2 and 3 shards: the order may differ, except where it does
// not matter.
TEST(Verification, StagesMustAgreeWhereTheyAddInOneOrder) {
  struct Case {
    ReduceMode reduce;
    std::size_t accumulate, ranks;
    bool all;  ///< all four must agree, or each pair
  };
  for (const Case& c :
       {Case{ReduceMode::exact, 1, 3, true}, Case{ReduceMode::exact, 4, 3, true},
        Case{ReduceMode::ordered, 1, 3, true}, Case{ReduceMode::ordered, 4, 3, false},
        Case{ReduceMode::ordered, 4, 1, true}, Case{ReduceMode::mpi, 1, 2, true},
        Case{ReduceMode::mpi, 4, 2, false}, Case{ReduceMode::mpi, 1, 3, false}}) {
    SCOPED_TRACE(fmt::format("mode {}, {} micro-batches, {} ranks", static_cast<int>(c.reduce),
                             c.accumulate, c.ranks));
    Verification pairs = right_verification(c.reduce, c.accumulate);
    for (const std::size_t stage : {2U, 3U}) pairs.bits.outcomes[stage].digest.parameters = 9;
    EXPECT_EQ(judge(pairs, c.ranks).as_required, !c.all);
    EXPECT_FALSE(judge(pairs, c.ranks).all_equal);
    for (std::size_t stage = 0; stage < 4; ++stage) {
      Verification one = right_verification(c.reduce, c.accumulate);
      one.bits.outcomes[stage].digest.parameters = 9;
      EXPECT_FALSE(judge(one, c.ranks).as_required) << stage;
    }
  }
}

TEST(Verification, EveryDigestCounts) {
  for (int what = 0; what < 4; ++what) {
    Verification all = right_verification();
    Outcome& outcome = all.bits.outcomes[3];
    if (what == 0) outcome.digest.parameters = 9;
    if (what == 1) outcome.digest.master = 9;
    if (what == 2) outcome.digest.moments = 9;
    if (what == 3) outcome.step_digests[0] = 9;  // the end is right again
    EXPECT_FALSE(judge(all, 3).all_equal) << what;
    EXPECT_FALSE(judge(all, 3).as_required) << what;
  }
}

TEST(Verification, ARankThatDeviatesIsSeenInEitherPart) {
  Verification bits = right_verification(), bytes = right_verification();
  bits.bits.outcomes[1].digest.deviating = {2};
  bytes.bytes.outcomes[1].digest.deviating = {2};
  EXPECT_FALSE(judge(bits, 3).ranks_agree);
  EXPECT_FALSE(judge(bytes, 3).ranks_agree);
}

TEST(Verification, AByteMoreInOneLedgerIsSeenInEitherPart) {
  for (const auto part : {&Verification::bits, &Verification::bytes}) {
    Verification stored = right_verification(), sent = right_verification();
    ++(stored.*part).outcomes[2].reports[1].memory[0].peak;
    ++(sent.*part).outcomes[2].reports[1].traffic[0].ring_bytes;
    EXPECT_FALSE(judge(stored, 3).ledgers_hold);
    EXPECT_FALSE(judge(sent, 3).ledgers_hold);
  }
}

TEST(Verification, OverlappedBitsAreThoseOfThePlainStageExceptUnderMpi) {
  for (const ReduceMode reduce : {ReduceMode::exact, ReduceMode::ordered, ReduceMode::mpi}) {
    Verification all = right_verification(reduce);
    all.job.overlap = true;
    all.bits.plain = right_outcome(0);
    EXPECT_TRUE(judge(all, 3).like_plain && judge(all, 3).as_required);
    all.bits.plain->digest.master = 9;
    EXPECT_FALSE(judge(all, 3).like_plain);
    EXPECT_EQ(judge(all, 3).as_required, reduce == ReduceMode::mpi);
  }
}

}  // namespace
}  // namespace zerolab
