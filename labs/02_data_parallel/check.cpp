#include "check.hpp"

#include <cmath>

#include "lab.hpp"
#include "stage_lab.hpp"
#include "zerolab/core/random.hpp"

namespace {

using lab::Check;
using lab::Plan;

constexpr lab::StageLab stage0{0, student_stage};

/// 22 samples, 3 ranks, 2 micro-batches of 2: a step takes 12, the second one 10.
void shards_on_paper(Check& check) {
  const Plan plan{22, 3, 2, 2};
  const auto equal = [&](std::size_t step, std::size_t rank, std::size_t round,
                         const std::vector<std::size_t>& right) {
    check.equal(right, lab::positions(plan, step, rank, round),
                fmt::format("22 samples, N = 3, k = 2, B = 2: step {}, rank {}, round {}", step,
                            rank, round));
  };
  equal(0, 0, 0, {0, 1});
  equal(0, 1, 0, {2, 3});
  equal(0, 2, 1, {10, 11});
  equal(1, 0, 0, {12, 13});
  equal(1, 1, 1, {20, 21});
  equal(1, 2, 1, {});
  equal(2, 0, 0, {0, 1});  // the next epoch
}

/// Of an epoch every position is run by one rank, once, in the step it belongs to.
void shards_cover(Check& check) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto draw = [&](std::uint64_t what, std::size_t most) {
      return 1 + static_cast<std::size_t>(zerolab::random_bits(what, i) % most);
    };
    const Plan plan{draw(1, 60), draw(2, 5), draw(3, 3), draw(4, 6)};
    const std::size_t global = plan.ranks * plan.accumulate * plan.batch;
    const auto words = fmt::format("{} samples, N = {}, k = {}, B = {}", plan.samples, plan.ranks,
                                   plan.accumulate, plan.batch);
    std::vector<std::size_t> times(plan.samples);
    for (std::size_t s = 0; s * global < plan.samples; ++s) {
      for (std::size_t r = 0; r < plan.ranks; ++r) {
        for (std::size_t j = 0; j < plan.accumulate; ++j) {
          const auto mine = lab::positions(plan, s, r, j);
          check.expect(mine.size() <= plan.batch, "{}: step {}, rank {} has {} samples", words, s,
                       r, mine.size());
          for (const std::size_t p : mine) {
            if (!check.expect(p < plan.samples && p / global == s,
                              "{}: step {}, rank {} runs position {}, which is not of this step",
                              words, s, r, p))
              return;
            ++times[p];
          }
        }
      }
    }
    for (std::size_t p = 0; p < plan.samples; ++p) {
      if (!check.expect(times[p] == 1, "{}: position {} is run {} times in the epoch{}", words, p,
                        times[p], times[p] > 1 ? ": shards are not disjoint" : ""))
        return;
    }
  }
}

/// Rank r has r samples of gradient 12 each in element 0, and of r in element 1. Each rank may
/// divide, or multiply by the inverse: a rounding each.
void mean_over_samples(Check& check) {
  const std::size_t n = check.ranks(), samples = check.rank() + (n == 1 ? 1 : 0);
  const auto mine = static_cast<double>(samples), rank = static_cast<double>(check.rank()),
             ranks = static_cast<double>(n);
  std::vector<double> gradient{12 * mine, rank * mine};
  lab::average_over_samples(check.world(), gradient, samples);
  const auto near = [](double got, double right) {
    return std::abs(got - right) <= 1e-12 * std::abs(right);
  };
  // What a mean of means gives: rank 0, without samples, counts with 0, or is left out.
  const auto likely = [&](double got, double counted, double left_out) {
    return near(got, counted) || near(got, left_out) ? "; each sample counts alike, not each rank"
                                                     : "";
  };
  check.expect(
      near(gradient[0], 12), "every sample of every rank has gradient 12: expected 12, got {}{}",
      gradient[0],
      gradient[0] > 12 ? ": a sum, not a mean" : likely(gradient[0], 12 * (ranks - 1) / ranks, 12));
  // Σ r·r / Σ r = (2N − 1) / 3 for r = 0 … N − 1.
  const double right = n == 1 ? 0 : (2 * ranks - 1) / 3;
  check.expect(near(gradient[1], right),
               "rank r has r samples of gradient r: expected {}, got {}{}", right, gradient[1],
               likely(gradient[1], (ranks - 1) / 2, ranks / 2));
}

void bytes(Check& check) {
  lab::stored(check, stage0);
  lab::sent(check, stage0);
  lab::held_at_most(check, stage0);
}
void bits(Check& check) {
  for (const char* job : {"plain", "empty"}) lab::same_bits(check, stage0, job);
}
void more_bits(Check& check) {
  for (const char* job : {"micro-batches", "clipped", "skipped"})
    lab::same_bits(check, stage0, job);
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 1, "which samples a rank runs, on paper", shards_on_paper},
      {2, 2, "shards are disjoint and cover the epoch", shards_cover},
      {2, 2, "the mean over samples", mean_over_samples},
      {2, 1, "a step on paper", [](Check& check) { step_on_paper(check, stage0); }},
      {3, 1, "what a rank stores, and a step sends", bytes},
      {4, 2, "the bits of stage 0", bits},
      {5, 1, "its bits, micro-batches, clipping, a skipped step", more_bits},
  };
}
