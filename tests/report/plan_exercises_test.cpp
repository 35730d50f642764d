// The documents' exercises 1.1 to 5.3 as exact integers and fractions, each against a closed form
// worked out here: 16Φ = 4Φ of parameters and gradients + 12Φ of fp32 state.
#include <gtest/gtest.h>

#include <numeric>

#include "zerolab/report/plan.hpp"

namespace zerolab {
namespace {

constexpr Whole billion = 1'000'000'000;

PlannedModel model_of(Whole parameters) {
  PlannedModel model;
  model.parameters = parameters;
  return model;
}

StageMemory memory(Whole parameters, Whole ranks, std::size_t stage) {
  return plan_memory(model_of(parameters), ranks)[stage];
}

void expect_fraction(const Fraction& found, Whole numerator, Whole denominator) {
  EXPECT_TRUE(found == Fraction(numerator, denominator))
      << text(found) << " against " << text(Fraction(numerator, denominator));
}

TEST(Exercises, E11TheStateOfAdamIsThreeTimesFourBytes) {
  const StageMemory all = memory(7 * billion, 1, 0);
  EXPECT_TRUE(all.optimizer_bytes() == 12 * 7 * billion);
  ASSERT_EQ(all.lines.size(), 5U);
  const std::array parts{Category::master, Category::momentum, Category::variance};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all.lines[2 + i].category, parts[i]);
    EXPECT_TRUE(all.lines[2 + i].bytes == 4 * 7 * billion);
  }
}

TEST(Exercises, E21ToE23SevenBillionOnEightRanks) {
  EXPECT_TRUE(memory(7 * billion, 8, 0).bytes == 112 * billion);
  EXPECT_TRUE(memory(7 * billion, 8, 1).bytes == 38'500'000'000);
  EXPECT_TRUE(memory(7 * billion, 8, 2).bytes == 26'250'000'000);
  EXPECT_TRUE(memory(7 * billion, 8, 3).bytes == 14 * billion);
}

TEST(Exercises, E31AndE51ReductionsInLowestTerms) {
  const Job job;
  for (Whole n = 1; n <= 3000; ++n) {
    // 16/(4 + 12/N) = 4N/(N+3): its terms may share 3 and 4 only, since N and N+3 share 1 or 3.
    const auto g = static_cast<std::size_t>(n);
    const std::size_t common = std::gcd(4 * g, g + 3);
    const Fraction one = reduction(state_bytes(job, 1), n);
    EXPECT_TRUE(one.numerator() == 4 * n / common && one.denominator() == (n + 3) / common)
        << text(one);
    expect_fraction(reduction(state_bytes(job, 2), n), 8 * n, n + 7);
    expect_fraction(reduction(state_bytes(job, 3), n), n, 1);
    expect_fraction(reduction(state_bytes(job, 0), n), 1, 1);
    for (std::size_t a = 0; a <= 16; ++a) {  // any a + b = 16
      expect_fraction(reduction({a, 16 - a}, n), 16 * n, a * n + (16 - a));
    }
  }
  EXPECT_EQ(reduction_formula(state_bytes(job, 0)), "1");
  EXPECT_EQ(reduction_formula(state_bytes(job, 1)), "4N/(N+3)");
  EXPECT_EQ(reduction_formula(state_bytes(job, 2)), "8N/(N+7)");
  EXPECT_EQ(reduction_formula(state_bytes(job, 3)), "N");
  EXPECT_EQ(reduction_formula({6, 10}), "8N/(3N+5)");
}

TEST(Exercises, E51CeilingsAndNoneWhereNothingIsReplicated) {
  const Job job;
  expect_fraction(ceiling(state_bytes(job, 0)).value(), 1, 1);
  expect_fraction(ceiling(state_bytes(job, 1)).value(), 4, 1);
  expect_fraction(ceiling(state_bytes(job, 2)).value(), 8, 1);
  EXPECT_FALSE(ceiling(state_bytes(job, 3)));
  for (std::size_t a = 1; a <= 16; ++a) {
    const Fraction limit = *ceiling({a, 16 - a});
    expect_fraction(limit, 16, a);
    // Never reached, and come as near as one likes: 16/a - 16N/(aN+b) = 16b/(a(aN+b)).
    for (const Whole n : {Whole{1}, Whole{64}, billion}) {
      expect_fraction(limit - reduction({a, 16 - a}, n), 16 * (16 - a), a * (a * n + 16 - a));
    }
  }
}

TEST(Exercises, E32ThreeTimesInOneConventionOneAndAHalfInTheOther) {
  const auto stages = plan_traffic(model_of(175 * billion), 64);
  const std::array<std::array<Whole, 2>, 4> payload{{{1, 1}, {2, 1}, {2, 1}, {3, 1}}};
  const std::array<std::array<Whole, 2>, 4> wire{{{1, 1}, {3, 2}, {1, 1}, {3, 2}}};
  for (std::size_t s = 0; s < 4; ++s) {
    expect_fraction(stages[s].payload_ratio.value(), payload[s][0], payload[s][1]);
    expect_fraction(stages[s].wire_ratio.value(), wire[s][0], wire[s][1]);
  }
}

TEST(Exercises, E33TheModelOf175Billion) {
  EXPECT_TRUE(memory(175 * billion, 64, 3).bytes == 43'750'000'000);
  const auto stages = plan_traffic(model_of(175 * billion), 64);
  expect_fraction(stages[3].payload, 1'033'593'750'000, 1);
  expect_fraction(Fraction(2) * stages[3].payload, 2'067'187'500'000, 1);
  expect_fraction(stages[3].payload, 6 * 175 * billion * 63, 64);
  expect_fraction(stages[3].wire, 1'033'593'750'000, 1);
}

TEST(Exercises, E41NothingFits) {
  const Fit fit = plan_fit(model_of(40 * billion), 8, 80 * billion, 20 * billion);
  const std::array<Whole, 4> state{640, 220, 150, 80};
  for (std::size_t s = 0; s < 4; ++s) {
    EXPECT_TRUE(fit.stages[s].state == state[s] * billion);
    EXPECT_TRUE(fit.stages[s].total == (state[s] + 20) * billion);
    EXPECT_TRUE(fit.stages[s].difference == (state[s] - 60) * billion);
    EXPECT_FALSE(fit.stages[s].fits);
  }
  EXPECT_FALSE(fit.recommended);
  EXPECT_EQ(fit.order, (std::vector{0, 2, 1, 3}));
  ASSERT_TRUE(fit.remedies);
  EXPECT_TRUE(fit.remedies->leanest_stage == 3 && fit.remedies->activations_at_most == Whole{0});
  // 640/N <= 60: N >= 10.67.
  EXPECT_TRUE(fit.stages[3].min_ranks == Whole{11} && fit.stages[3].min_power_of_two == Whole{16});
  // Stage 3 without 12Φ/N: 4Φ/N = 20, and 60 on the host.
  const Remedies::Offload& offload = fit.remedies->offload[3];
  EXPECT_TRUE(offload.fits && offload.left == 20 * billion && offload.host == 60 * billion &&
              offload.total == 40 * billion);
  // 16Φ/(8M) <= 60: M >= 1.33.
  const Remedies::Split& split = fit.remedies->split[3];
  EXPECT_TRUE(split.parts == Whole{2} && split.ranks == 16 && split.total == 60 * billion);
}

TEST(Exercises, E42SixteenRanksWithCheckpointing) {
  const StageFit three = plan_fit(model_of(40 * billion), 8, 80 * billion, 5 * billion).stages[3];
  expect_fraction(three.bound.value(), 640, 75);  // 8.53
  EXPECT_TRUE(three.min_ranks == Whole{9} && three.min_power_of_two == Whole{16});
  const Fit there = plan_fit(model_of(40 * billion), 16, 80 * billion, 5 * billion);
  EXPECT_TRUE(there.stages[3].total == 45 * billion && there.recommended == 3);
}

TEST(Exercises, E52EfficiencyAndTheBandwidthForAnother) {
  const Timing timing = plan_time(2060 * billion, 300 * billion, 10, Fraction(4, 5));
  expect_fraction(timing.seconds, 2060, 300);
  expect_fraction(timing.none.efficiency.value(), 10 * 300, 10 * 300 + 2060);
  EXPECT_EQ(rounded(timing.seconds, 2), "6.87");
  EXPECT_EQ(rounded(*timing.none.efficiency * Fraction(100), 1), "59.3");
  expect_fraction(timing.none.bandwidth.value(), 824 * billion, 1);  // 2.06 TB in 2.5 s
  EXPECT_EQ(rounded(*timing.none.bandwidth / Fraction(300 * billion), 2), "2.75");
  // Hidden behind 10 s of computation it costs nothing, and may take 12.5 s.
  expect_fraction(timing.full.efficiency.value(), 1, 1);
  expect_fraction(timing.full.bandwidth.value(), 2060 * billion * 10, 125);
}

TEST(Exercises, E53StageThreeIsSlowerThanStageZero) {
  const auto stages = plan_traffic(model_of(175 * billion), 64);
  expect_fraction(stages[0].payload, 344'531'250'000, 1);
  const auto both = [&](std::size_t stage) {
    return plan_time(Fraction(2) * stages[stage].payload, 300 * billion, 10, {});
  };
  expect_fraction(both(0).seconds, 2 * 2 * 175 * 63, 64 * 300);
  EXPECT_EQ(rounded(*both(0).none.efficiency * Fraction(100), 1), "81.3");
  EXPECT_EQ(rounded(*both(3).none.efficiency * Fraction(100), 1),
            "59.2");  // of 2.0672, not 2.06 TB
  expect_fraction(both(3).seconds / both(0).seconds, 3, 1);
  EXPECT_FALSE(both(0).none.bandwidth);
  // What the source reads off a time that is cut to hundredths.
  const Fraction by_hand = cut(both(0).seconds, 2);
  expect_fraction(by_hand, 229, 100);
  EXPECT_EQ(rounded(Fraction(1000) / (Fraction(10) + by_hand), 1), "81.4");
}

}  // namespace
}  // namespace zerolab
