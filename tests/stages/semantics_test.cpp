// Clipping, digests that name a rank, thin layers, and the story that --trace tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "job_run.hpp"
#include "samples.hpp"

namespace zerolab {
namespace {

constexpr NumberType precisions[]{NumberType::fp16, NumberType::bf16, NumberType::fp32};

Job small_job(NumberType precision) {
  Job job;
  job.shape.widths = {13, 7, 5, 3};
  job.precision = precision;
  job.batch = 4;
  return job;
}

// At half the norm of the first step: the norm told is the one before clipping, the factor is
// limit / norm, and the optimizer gets the gradient times the factor (read from the momentum of an
// SGD that starts at 0, one fp32 rounding for the factor and one for the product). Just above the
// norm nothing is clipped.
TEST(Clipping, HalvesTheFirstStepInEveryStage) {
  Communicator comm(MPI_COMM_WORLD);
  const Samples data(13, 3, 40 * comm.size(), 1);
  for (const NumberType precision : precisions) {
    for (const std::size_t accumulate : {1U, 2U}) {
      Job job = small_job(precision);
      job.accumulate = accumulate;
      job.loss_scale.fixed = 256;
      job.optimizer = {.kind = OptimizerKind::sgd, .learning_rate = 0.1, .momentum = 0.5};
      std::string told;
      for (int stage = 0; stage < 4; ++stage) {
        SCOPED_TRACE(fmt::format("{} k {} stage {}", name(precision), accumulate, stage));
        job.clip_norm = std::numeric_limits<double>::infinity();
        JobRun free(job, stage, data, comm);
        const StepResult unclipped = free.step();
        EXPECT_EQ(unclipped.clip_factor, 1);
        EXPECT_GT(unclipped.grad_norm, 0.01);
        job.clip_norm = std::nextafter(unclipped.grad_norm, HUGE_VAL);
        JobRun loose(job, stage, data, comm);
        EXPECT_EQ(exactly(loose.step()), exactly(unclipped));
        EXPECT_EQ(words(loose.digest()), words(free.digest()));

        job.clip_norm = unclipped.grad_norm / 2;
        JobRun clipped(job, stage, data, comm);
        const StepResult result = clipped.step();
        EXPECT_EQ(result.grad_norm, unclipped.grad_norm);
        EXPECT_GT(result.clip_factor, 0);
        EXPECT_LT(result.clip_factor, 1);
        EXPECT_LE(result.clip_factor * result.grad_norm, job.clip_norm * (1 + 0x1p-52));
        EXPECT_NEAR(result.clip_factor, 0.5, 0x1p-52);
        for (std::size_t l = 0; l < job.shape.units(); ++l) {
          const auto whole =
              free.my_shard(l, free.stage().optimizer_states().states()[l].momentum.numbers());
          const auto cut = clipped.my_shard(
              l, clipped.stage().optimizer_states().states()[l].momentum.numbers());
          for (std::size_t i = 0; i < whole.size(); ++i)
            EXPECT_NEAR(cut[i], 0.5 * whole[i], 0x1p-22 * std::abs(0.5 * whole[i]))
                << l << '/' << i;
        }
        for (int s = 0; s < 4; ++s) clipped.step();
        const StateDigest end = clipped.digest();
        EXPECT_TRUE(end.agrees());
        const std::string here = exactly(result) + exactly(clipped.step()) +
                                 fmt::format(" {:x}", fmt::join(words(end), " "));
        expect_same_everywhere(comm, here);
        if (stage == 0) told = here;
        EXPECT_EQ(here, told);
      }
    }
  }
}

void flip(Numbers numbers, std::size_t element) {
  numbers.part(element, 1).data[0] ^= std::byte{1};
}

// One bit of one rank's parameters: replicated, the rank that is not like the others (from three
// ranks on there is a majority), whether the bit lies in its own shard or another's; sharded, the
// rank whose parameters are no longer the rounding of its master weights.
TEST(Digest, OneFlippedBitNamesItsRank) {
  Communicator comm(MPI_COMM_WORLD);
  const Samples data(13, 3, 40 * comm.size(), 1);
  for (const NumberType precision : precisions) {
    for (std::size_t number = 0; number < 4; ++number) {
      const bool sharded = number == 3;
      if (sharded && precision == NumberType::fp32) continue;  // no master weights to compare with
      if (!sharded && comm.size() < 3) continue;
      JobRun run(small_job(precision), static_cast<int>(number), data, comm);
      for (int s = 0; s < 3; ++s) run.step();
      EXPECT_TRUE(run.digest().agrees());
      for (std::size_t target = 0; target < comm.size(); ++target) {
        for (std::size_t unit = 0; unit < 3; ++unit) {
          // 98, 40 and 18 elements; first and last of what lies here, and of the rank's own shard.
          Buffer& parameters = run.stage().stored_parameters()[unit];
          for (const std::size_t element :
               {std::size_t{0}, run.cut(unit).first(target), parameters.size() - 1}) {
            if (sharded && element != 0 && element != parameters.size() - 1) continue;
            SCOPED_TRACE(fmt::format("{} stage {} rank {} unit {} element {}", name(precision),
                                     number, target, unit, element));
            if (comm.rank() == target) flip(parameters, element);
            EXPECT_EQ(run.digest().deviating, std::vector<std::size_t>{target});
            if (comm.rank() == target) flip(parameters, element);
          }
        }
      }
      EXPECT_TRUE(run.digest().agrees());
    }
  }
}

// Layers of one unit with one weight and one bias, on one rank and on more ranks than elements:
// every bias moves, and every weight. Seeds are tried until no ReLU is dead; samples are positive.
TEST(ThinLayers, EveryWeightAndBiasMoves) {
  Communicator world(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  for (const auto& widths :
       std::vector<std::vector<std::size_t>>{{1, 1, 2}, {2, 1, 1, 2}, {1, 1, 1, 1, 2}}) {
    Job job = small_job(NumberType::fp32);
    job.shape.widths = widths;
    job.batch = 3;
    job.optimizer = {.kind = OptimizerKind::sgd, .learning_rate = 1};
    for (bool dead = true; dead; job.seed += dead ? 1U : 0U) {
      dead = false;
      for (std::size_t l = 0; l + 1 < job.shape.units(); ++l) {
        std::vector<float> values(job.shape.elements(l));
        initial_parameters(job.shape, job.seed, l, 0, values);
        dead |= *std::min_element(values.begin(), values.end() - 1) < 0.1F;
      }
    }
    Samples data(widths.front(), 2, 9 * world.size(), 1);
    data.fill(0.75F);
    data.fill_labels(1);
    for (Communicator* comm : {&world, &alone}) {
      for (const NumberType precision : precisions) {
        job.precision = precision;
        job.loss_scale.fixed = 64;
        std::vector<std::uint64_t> oracle;
        for (int stage = 0; stage < 4; ++stage) {
          SCOPED_TRACE(fmt::format("{} of {} ranks, {} stage {}", fmt::join(widths, "-"),
                                   comm->size(), name(precision), stage));
          JobRun run(job, stage, data, *comm);
          std::vector<std::vector<float>> before;
          for (std::size_t l = 0; l < job.shape.units(); ++l)
            before.push_back(run.my_shard(l, run.stage().my_parameters(l)));
          run.step();
          for (std::size_t l = 0; l < job.shape.units(); ++l) {
            const auto after = run.my_shard(l, run.stage().my_parameters(l));
            for (std::size_t i = 0; i < after.size(); ++i) EXPECT_NE(after[i], before[l][i]) << l;
          }
          if (stage == 0) oracle = words(run.digest());
          EXPECT_EQ(words(run.digest()), oracle);
        }
      }
    }
  }
}

// 4-3-2 on three ranks: unit 0 has 15 elements in shards of 5, unit 1 has 8 in shards of 3, 3
// and 2.
TEST(Trace, TellsHowStage3GathersAndReleases) {
  Communicator comm(MPI_COMM_WORLD);
  if (comm.size() != 3) return;
  Job job = small_job(NumberType::fp16);
  job.shape.widths = {4, 3, 2};
  job.loss_scale.fixed = 16;
  const Samples data(4, 2, 40, 1);
  JobRun run(job, 3, data, comm);
  EXPECT_TRUE(run.trace().lines().empty());
  run.trace().start();
  run.step();
  run.trace().stop();
  const std::vector<std::string> lines = run.trace().lines();
  run.step();
  EXPECT_EQ(run.trace().lines(), lines) << "told after stop()";

  const std::size_t mine = comm.rank() < 2 ? 3 : 2;
  const std::vector<std::string> story{
      "micro-batch 1 of 1: 4 samples, forward",
      "unit 0 · all-gather 15 elements, holds 5 → 15 · forward · release 10",
      fmt::format("unit 1 · all-gather 8 elements, holds {} → 8 · forward · release {}", mine,
                  8 - mine),
      "backward"};
  EXPECT_GE(lines.size(), story.size());
  EXPECT_TRUE(std::equal(story.begin(), story.end(), lines.begin()))
      << fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace
}  // namespace zerolab
