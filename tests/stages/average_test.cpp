// What is averaged: the gradient that a step hands to the optimizer is the mean over the samples
// that took part, however they were dealt. Oracle: the plain double network, sample by sample.
#include <gtest/gtest.h>

#include "job_run.hpp"
#include "plain_job.hpp"
#include "samples.hpp"

namespace zerolab {
namespace {

constexpr NumberType precisions[]{NumberType::fp16, NumberType::bf16, NumberType::fp32};
constexpr ReduceMode modes[]{ReduceMode::exact, ReduceMode::ordered, ReduceMode::mpi};

/// SGD that moves no weight: with η = 0 and μ = 2^-100 the momentum after a step is the averaged,
/// unscaled gradient of that step, but for 2^-100 of the one before.
Job probe(NumberType precision, ReduceMode reduce, std::size_t accumulate, std::size_t batch) {
  Job job;
  job.shape.widths = {13, 7, 5, 3};
  job.precision = precision;
  job.reduce = reduce;
  job.optimizer = {.kind = OptimizerKind::sgd, .learning_rate = 0, .momentum = 0x1p-100};
  job.loss_scale.fixed = precision == NumberType::fp16 ? 128 : 1;
  job.accumulate = accumulate;
  job.batch = batch;
  return job;
}

std::string described(const Job& job, int stage, std::size_t step) {
  return fmt::format("{} reduce {} k {} B {} stage {} step {}", name(job.precision),
                     static_cast<int>(job.reduce), job.accumulate, job.batch, stage, step);
}

PlainNetwork::Gradient gradient_of(const PlainNetwork& plain, const Dataset& data,
                                   const std::vector<std::size_t>& indices, double scale) {
  std::vector<float> samples(indices.size() * data.features());
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    data.read(Split::train, indices[i],
              std::span(samples).subspan(i * data.features(), data.features()));
    labels.push_back(data.label(Split::train, indices[i]));
  }
  return plain.gradient(samples, labels, scale);
}

struct Bounds {
  std::vector<std::vector<double>> low, high;  ///< of the averaged, unscaled gradient, by unit
  Bounded loss;                                ///< mean over the samples
};

/// From the rule in words: each micro-batch's gradient times S/B is rounded to the storage type,
/// the sum divided by n/B and rounded. Roundings are monotone, so bounds can be rounded in their
/// place. Besides, exact rounds fp32 and bf16 to a grid of 2^-36; the other modes round after each
/// of at most N·k + N additions, to half a unit in the last place of 8 bits, 11 or 24.
Bounds expected(const Job& job, const Dataset& data, const BatchPlan& plan, std::size_t step) {
  const NumberType type = job.precision;
  const PlainNetwork plain = initial_network(job);
  const double scale = *job.loss_scale.fixed, batch = static_cast<double>(job.batch);
  const double n = static_cast<double>(plan.samples_in(step));
  const double unit_roundoff =
      type == NumberType::fp16 ? 0x1p-11 : (type == NumberType::bf16 ? 0x1p-8 : 0x1p-24);
  Bounds bounds;
  std::vector<std::vector<double>> magnitude;
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    bounds.low.emplace_back(job.shape.elements(l));
    bounds.high.emplace_back(job.shape.elements(l));
    magnitude.emplace_back(job.shape.elements(l));
  }
  std::vector<std::size_t> all;
  for (std::size_t round = 0; round < plan.rounds(); ++round) {
    for (std::size_t rank = 0; rank < plan.ranks; ++rank) {
      const auto indices = plan.indices(step, rank, round);
      all.insert(all.end(), indices.begin(), indices.end());
      const auto gradient = gradient_of(plain, data, indices, scale / batch);
      const double grid = type == NumberType::fp16 || indices.empty() ? 0 : 0x1p-37;
      for (std::size_t l = 0; l < magnitude.size(); ++l) {
        for (std::size_t i = 0; i < magnitude[l].size(); ++i) {
          const double low = rounded(gradient.units[l][i].low(), type);
          const double high = rounded(gradient.units[l][i].high(), type);
          bounds.low[l][i] += low - grid;
          bounds.high[l][i] += high + grid;
          magnitude[l][i] += std::max(std::abs(low), std::abs(high));
        }
      }
    }
  }
  const auto mean = gradient_of(plain, data, all, 1 / n);
  bounds.loss = {mean.loss.value / n, mean.loss.error / n + 0x1p-32};
  const double additions = static_cast<double>(plan.micro_batches + plan.ranks);
  const double order = job.reduce == ReduceMode::exact ? 0 : additions * unit_roundoff;
  for (std::size_t l = 0; l < magnitude.size(); ++l) {
    for (std::size_t i = 0; i < magnitude[l].size(); ++i) {
      const double slack = order * 1.1 * magnitude[l][i] + (order > 0 ? additions * 0x1p-25 : 0);
      double& low = bounds.low[l][i];
      double& high = bounds.high[l][i];
      low = rounded((low - slack) * batch / n, type) / scale - 0x1p-90;
      high = rounded((high + slack) * batch / n, type) / scale + 0x1p-90;
      // The plain mean itself may lie off by all those roundings, and no further.
      const double off = unit_roundoff * (magnitude[l][i] * batch / n / scale + std::abs(low)) +
                         0x1p-24 / scale + mean.units[l][i].error;
      EXPECT_TRUE(low - off <= mean.units[l][i].value && mean.units[l][i].value <= high + off)
          << "the oracle contradicts itself";
    }
  }
  return bounds;
}

/// Of this rank's shards; and the norm that all ranks report against all of it.
void expect_average(JobRun& run, const Job& job, const StepResult& result, const Bounds& bounds,
                    std::size_t rank) {
  double squares = 0;
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    const auto mine =
        run.my_shard(l, run.stage().optimizer_states().states()[l].momentum.numbers());
    const std::size_t begin = run.cut(l).first(rank);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const double g = static_cast<double>(mine[i]);
      squares += g * g;
      const double low = bounds.low[l][begin + i], high = bounds.high[l][begin + i];
      if (low <= g && g <= high) continue;
      if (wrong++ == 0)
        first = fmt::format("unit {} element {}: {} not in [{}, {}]", l, begin + i, g, low, high);
    }
  }
  EXPECT_EQ(wrong, 0U) << first;
  MPI_Allreduce(MPI_IN_PLACE, &squares, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  // Squares are summed as integers, of g S 2^30 (fp16: 2^24, exact) rounded to whole ones.
  const double elements = static_cast<double>(job.shape.parameters());
  EXPECT_NEAR(result.grad_norm, std::sqrt(squares),
              0x1p-31 * std::sqrt(elements) + 1e-12 * result.grad_norm);
  EXPECT_NEAR(result.loss, bounds.loss.value, bounds.loss.error);
  EXPECT_FALSE(result.skipped);
}

/// Of the norm, between two ways to cut one global batch: what others ask for in fp16 and fp32;
/// bf16 has three bits less than fp16.
double tolerance(NumberType type) {
  return type == NumberType::fp32 ? 1e-5 : (type == NumberType::fp16 ? 1e-3 : 8e-3);
}

// One global batch as (k, B) = (1, G/N), (2, G/2N), (4, G/4N), (8, G/8N), in every stage and mode:
// divided once, neither by k nor by N again. Loss and norm are then also the same but for
// roundings. (Equal bits of the loss may not be asked for here: OpenBLAS may take another kernel
// for another B.)
TEST(Average, OneGlobalBatchHoweverItIsCut) {
  Communicator comm(MPI_COMM_WORLD);
  const std::size_t global = comm.size() == 3 ? 96 : 64;
  const Samples data(13, 3, 200, 1);
  for (const NumberType precision : precisions) {
    for (const ReduceMode mode : modes) {
      std::vector<StepResult> results;
      for (const std::size_t accumulate : {1U, 2U, 4U, 8U}) {
        const Job job = probe(precision, mode, accumulate, global / comm.size() / accumulate);
        const BatchPlan plan{200, comm.size(), comm.size() * accumulate, job.batch, job.seed};
        const Bounds bounds = expected(job, data, plan, 0);
        for (int stage = 0; stage < 4; ++stage) {
          SCOPED_TRACE(described(job, stage, 0));
          JobRun run(job, stage, data, comm);
          results.push_back(run.step());
          EXPECT_EQ(results.back().samples, global);
          expect_average(run, job, results.back(), bounds, comm.rank());
          expect_same_everywhere(comm, exactly(results.back()));
          EXPECT_NEAR(results.back().loss, results[0].loss, 2 * bounds.loss.error);
          if (mode != ReduceMode::exact) continue;  // rounds after each addition
          EXPECT_NEAR(results.back().grad_norm, results[0].grad_norm,
                      tolerance(precision) * results[0].grad_norm);
        }
      }
    }
  }
}

// Steps with fewer samples than ranks, or with a short end, are divided by the samples that are
// there: 3 samples in batches of 1 and of 8, and 103 in batches of 8 (the last step of 4 ranks has
// 7 samples, all on rank 0).
TEST(Average, UnevenTailsAreDividedByTheirSamples) {
  Communicator comm(MPI_COMM_WORLD);
  struct Tail {
    std::size_t samples, batch;
  };
  for (const Tail tail : {Tail{3, 1}, Tail{3, 8}, Tail{103, 8}}) {
    const Samples data(13, 3, tail.samples, 1);
    for (const NumberType precision : precisions) {
      for (const ReduceMode mode : modes) {
        for (const std::size_t accumulate : {1U, 2U}) {
          const Job job = probe(precision, mode, accumulate, tail.batch);
          const BatchPlan plan{tail.samples, comm.size(), comm.size() * accumulate, tail.batch,
                               job.seed};
          const std::size_t last = plan.steps_per_epoch() - 1;
          const Bounds bounds = expected(job, data, plan, last);
          for (int stage = 0; stage < 4; ++stage) {
            SCOPED_TRACE(described(job, stage, last) + fmt::format(" of {} samples", tail.samples));
            JobRun run(job, stage, data, comm);
            StepResult result;
            for (std::size_t s = 0; s <= last; ++s) result = run.step();
            EXPECT_EQ(result.samples, plan.samples_in(last));
            expect_average(run, job, result, bounds, comm.rank());
          }
        }
      }
    }
  }
}

// N ranks with k micro-batches, or one rank with N·k: the same micro-batches, so under exact the
// same bits of losses, norms, weights and moments, through short steps and skipped ones.
TEST(Average, OneRankWithAllMicroBatchesEndsWithTheSameBits) {
  Communicator comm(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  const Samples data(13, 3, 103, 1, 3);
  for (const NumberType precision : precisions) {
    for (const std::size_t accumulate : {1U, 2U}) {
      Job job = probe(precision, ReduceMode::exact, accumulate, 4);
      job.optimizer = {.kind = OptimizerKind::adam};
      job.loss_scale.fixed.reset();
      Job whole = job;
      whole.accumulate = accumulate * comm.size();
      JobRun one(whole, 0, data, alone);
      std::vector<std::string> told;
      for (std::size_t s = 0; s < 10; ++s) told.push_back(exactly(one.step()));
      for (int stage = 0; stage < 4; ++stage) {
        SCOPED_TRACE(described(job, stage, 9));
        JobRun run(job, stage, data, comm);
        for (std::size_t s = 0; s < told.size(); ++s) EXPECT_EQ(exactly(run.step()), told[s]) << s;
        EXPECT_EQ(words(run.digest()), words(one.digest()));
      }
    }
  }
}

}  // namespace
}  // namespace zerolab
