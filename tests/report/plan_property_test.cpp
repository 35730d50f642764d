// What must hold for any model: smallest numbers of ranks and of parts against brute force, sums
// over ranks against what single ranks hold, targets that are reached exactly.
#include <gtest/gtest.h>

#include <random>

#include "zerolab/core/shards.hpp"
#include "zerolab/report/plan.hpp"

namespace zerolab {
namespace {

constexpr Whole giga = 1'000'000'000, most = giga * giga;

class Draw {
 public:
  std::uint64_t upto(std::uint64_t limit) { return random_() % limit + 1; }
  /// Of any size up to 10^18, small ones as often as large ones.
  Whole any() { return upto(std::uint64_t{1} << upto(59)); }
  Job job() {
    Job job;
    job.precision = std::array{NumberType::fp16, NumberType::bf16, NumberType::fp32}[upto(3) - 1];
    job.optimizer.kind =
        std::array{OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd}[upto(3) - 1];
    if (job.optimizer.kind == OptimizerKind::sgd && upto(2) == 1) job.optimizer.momentum = 0.9;
    job.accumulate = upto(4);
    return job;
  }
  PlannedModel model(Whole parameters) {
    PlannedModel model{parameters, job(), {}, {}};
    if (model.job.precision != NumberType::fp32) {
      model.layout =
          std::array{StateLayout::zerolab, StateLayout::fp32_gradients, StateLayout::no_master,
                     StateLayout::megatron, StateLayout::deepspeed}[upto(5) - 1];
    }
    if (upto(2) == 1) model.largest_unit = divided_up(parameters, upto(40));
    return model;
  }

 private:
  std::mt19937_64 random_{20240501};
};

bool fits(const PlannedModel& model, Whole ranks, Whole memory, Whole activations, int stage) {
  for (const StageFit& s : plan_fit(model, ranks, memory, activations).stages) {
    if (s.stage == stage) return s.fits;
  }
  return false;
}

TEST(PlanProperties, BytesAreTheSumOverRanks) {
  Draw draw;
  for (int i = 0; i < 300; ++i) {
    const std::size_t phi = draw.upto(400), n = draw.upto(60);  // Φ < N as well
    const Job job = draw.job();
    for (const StageMemory& stage : plan_memory({phi, job, {}, {}}, n)) {
      Whole all = 0, fullest = 0, least = ~Whole{0};
      for (std::size_t rank = 0; rank < n; ++rank) {
        Whole here = 0;
        for (const State& state : model_states(job, stage.stage)) {
          here += Whole{state.bytes} * placed(state.placement, phi, n, rank);
        }
        all += here;
        fullest = std::max(fullest, here);
        least = std::min(least, here);
      }
      EXPECT_TRUE(stage.bytes == fullest && stage.bytes_of_all == all) << phi << " on " << n;
      EXPECT_TRUE(phi % n == 0 || stage.bytes_elsewhere == least) << phi << " on " << n;
      EXPECT_TRUE(bytes_on_fullest(state_bytes(job, stage.stage), phi, n) == fullest);
    }
  }
}

TEST(PlanProperties, TheSmallestNumberOfRanksFitsAndOneLessDoesNot) {
  Draw draw;
  int found = 0, none = 0;
  for (int i = 0; i < 4000; ++i) {
    const PlannedModel model = draw.model(draw.any());
    const Whole memory = draw.any(), activations = draw.upto(3) == 1 ? memory / draw.upto(9) : 0;
    for (const StageFit& s : plan_fit(model, draw.any(), memory, activations).stages) {
      const auto here = [&](Whole n) { return fits(model, n, memory, activations, s.stage); };
      if (!s.min_ranks) {
        EXPECT_FALSE(here(most)) << "stage " << s.stage;
        ++none;
        continue;
      }
      ++found;
      EXPECT_TRUE(here(*s.min_ranks)) << "stage " << s.stage << ", N = " << digits(*s.min_ranks);
      EXPECT_FALSE(*s.min_ranks > 1 && here(*s.min_ranks - 1)) << "stage " << s.stage;
      const Whole power = s.min_power_of_two.value();
      EXPECT_TRUE((power & (power - 1)) == 0 && power >= *s.min_ranks && power / 2 < *s.min_ranks);
      EXPECT_TRUE(!s.bound || Fraction(*s.min_ranks) >= *s.bound);
    }
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(none, 1000);
}

TEST(PlanProperties, SmallModelsAgainstTryingAllRanks) {
  Draw draw;
  for (int i = 0; i < 300; ++i) {
    const PlannedModel model = draw.model(draw.upto(60));
    const Whole memory = draw.upto(900), activations = draw.upto(30) - 1;
    for (const StageFit& s : plan_fit(model, 3, memory, activations).stages) {
      std::optional<Whole> first;
      for (Whole n = 1; n <= 61 && !first; ++n) {  // from N = Φ on nothing changes
        if (fits(model, n, memory, activations, s.stage)) first = n;
      }
      EXPECT_TRUE(first == s.min_ranks) << "stage " << s.stage;
    }
  }
}

TEST(PlanProperties, TheSmallestSplitFitsAndOnePartLessDoesNot) {
  Draw draw;
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const PlannedModel model = draw.model(i % 2 == 0 ? draw.upto(1000) : draw.any());
    const Whole ranks = draw.upto(70), memory = draw.any(), activations = draw.any() / 4;
    const Fit fit = plan_fit(model, ranks, memory, activations);
    ASSERT_EQ(fit.remedies.has_value(), !fit.recommended.has_value());
    if (!fit.remedies) continue;
    for (std::size_t s = 0; s < fit.stages.size(); ++s) {
      const Remedies::Split& split = fit.remedies->split[s];
      const auto total = [&](Whole parts) {
        return bytes_on_fullest(fit.stages[s].per_element, divided_up(model.parameters, parts),
                                ranks) +
               fit.stages[s].buffer + activations;
      };
      if (!split.parts) {
        EXPECT_TRUE(total(model.parameters) > memory) << "one parameter each";
        continue;
      }
      ++found;
      EXPECT_TRUE(total(*split.parts) <= memory && total(*split.parts) == split.total);
      EXPECT_TRUE(*split.parts > 1 && total(*split.parts - 1) > memory);
      EXPECT_TRUE(split.ranks == *split.parts * ranks);
    }
    const Remedies& r = *fit.remedies;
    if (r.activations_at_most) {
      EXPECT_TRUE(plan_fit(model, ranks, memory, *r.activations_at_most).recommended.has_value());
      EXPECT_FALSE(plan_fit(model, ranks, memory, *r.activations_at_most + 1).recommended);
    } else {
      EXPECT_FALSE(plan_fit(model, ranks, memory, 0).recommended);
    }
  }
  EXPECT_GT(found, 100);
}

TEST(PlanProperties, CallsMakeTheVolumes) {
  Draw draw;
  for (int i = 0; i < 200; ++i) {
    const PlannedModel model = draw.model(draw.any() / 1000 + 1);
    const Whole n = draw.any();
    const auto stages = plan_traffic(model, n);
    for (const StageTraffic& s : stages) {
      const std::size_t once = s.calls.all_reduce + s.calls.reduce_scatter + s.calls.all_gather;
      EXPECT_EQ(s.times.payload, once);
      EXPECT_EQ(s.times.wire, once + s.calls.all_reduce);
      EXPECT_TRUE(s.payload * Fraction(n) == Fraction(model.parameters) * Fraction(n - 1) *
                                                 Fraction(once * width(model.job.precision)));
    }
    EXPECT_EQ(stages[0].calls.all_reduce, 1U) << "one sum a step however many micro-batches";
    EXPECT_EQ(stages[2].calls.reduce_scatter, model.job.accumulate);
    EXPECT_EQ(stages[3].calls.all_gather, 2 * model.job.accumulate);
  }
}

TEST(PlanProperties, TheBandwidthForATargetReachesItExactly) {
  Draw draw;
  for (int i = 0; i < 500; ++i) {
    const Fraction bytes(draw.upto(1'000'000'000)), bandwidth(draw.upto(1'000'000'000));
    const Fraction compute(draw.upto(1000), draw.upto(1000)), target(draw.upto(98), 99);
    const Timing timing = plan_time(bytes, bandwidth, compute, target);
    EXPECT_TRUE(timing.seconds * bandwidth == bytes);
    EXPECT_TRUE(*timing.none.efficiency <= *timing.full.efficiency);
    const Fraction none = *timing.none.bandwidth, full = *timing.full.bandwidth;
    EXPECT_TRUE(*plan_time(bytes, none, compute, {}).none.efficiency == target);
    EXPECT_TRUE(*plan_time(bytes, full, compute, {}).full.efficiency == target);
  }
}

TEST(PlanProperties, EndsOfTheScale) {
  // More than 2^20 ranks, and fewer parameters than ranks.
  const PlannedModel huge{most, {}, {}, {}};
  EXPECT_TRUE(plan_memory(huge, (Whole{1} << 21) + 1)[3].bytes ==
              16 * divided_up(most, (Whole{1} << 21) + 1));
  EXPECT_TRUE(plan_memory(huge, most)[0].bytes_of_all == 16 * most * most);
  EXPECT_TRUE(plan_memory({3, {}, {}, {}}, 5)[3].bytes_elsewhere == 0);
  const Fit far = plan_fit({7 * giga, {}, {}, {}}, 8, 100'000, 0);  // 6250 parameters a rank
  EXPECT_TRUE(far.stages[3].min_ranks == Whole{1'120'000} &&
              far.stages[3].min_power_of_two == Whole{1} << 21);
  PlannedModel often = huge;
  often.job.accumulate = 1'000'000;
  EXPECT_THROW(plan_traffic(often, most - 1), Error);
  // One rank sends nothing; no computation has no efficiency, or one of 0.
  const auto alone = plan_traffic({7, {}, {}, {}}, 1);
  EXPECT_TRUE(alone[3].payload.zero() && alone[0].wire.zero());
  EXPECT_EQ(plan_fit({7, {}, {}, {}}, 1, giga, 0).recommended, 0) << "EC1, EC5";
  EXPECT_EQ(plan_fit({7, {}, {}, {}}, 64, giga, 0).recommended, 0) << "EC5";
  EXPECT_FALSE(plan_time(0, 1, 0, {}).none.efficiency);
  EXPECT_TRUE(plan_time(5, 1, 0, {}).none.efficiency == Fraction(0));
  EXPECT_FALSE(plan_time(5, 1, 0, Fraction(1, 2)).none.bandwidth);
  EXPECT_FALSE(plan_time(5, 1, 7, Fraction(1)).none.bandwidth);
  EXPECT_TRUE(plan_time(5, 1, 7, Fraction(1)).full.bandwidth == Fraction(5, 7));
  EXPECT_TRUE(plan_time(0, 1, 7, Fraction(1)).none.bandwidth == Fraction(0));
  EXPECT_TRUE(plan_time(5, 1, 0, Fraction(0)).none.bandwidth == Fraction(0));
}

TEST(PlanProperties, OtherLayoutsAsTheyAreDocumented) {
  const auto formulas = [](StateLayout layout) {
    std::string all;
    for (const StageMemory& s : plan_memory({7, {}, layout, 2}, 3)) {
      all += fmt::format("{}: {}, {}; ", s.stage, formula(s.per_element), digits(*s.buffer));
    }
    return all;
  };
  EXPECT_EQ(formulas(StateLayout::zerolab),
            "0: 16Φ, 0; 1: 4Φ+12Φ/N, 0; 2: 2Φ+14Φ/N, 4; 3: 16Φ/N, 8; ");
  EXPECT_EQ(formulas(StateLayout::fp32_gradients),
            "0: 18Φ, 4; 1: 6Φ+12Φ/N, 4; 2: 2Φ+16Φ/N, 4; 3: 18Φ/N, 8; ");
  EXPECT_EQ(formulas(StateLayout::no_master),
            "0: 12Φ, 0; 1: 4Φ+8Φ/N, 0; 2: 2Φ+10Φ/N, 4; 3: 12Φ/N, 8; ");
  EXPECT_EQ(formulas(StateLayout::megatron), "0: 18Φ, 0; 1: 6Φ+12Φ/N, 0; ");
  EXPECT_EQ(formulas(StateLayout::deepspeed), "2: 2Φ+18Φ/N, 0; 3: 18Φ/N, 8; ");
}

}  // namespace
}  // namespace zerolab
