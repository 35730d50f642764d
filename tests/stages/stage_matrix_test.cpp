// Stage 0 is the oracle: whatever the job, stages 1 to 3 end with its bits, and every stage stores
// and sends what the cost model says, to the byte, peaks included; so do the overlapped twins.
// The exhaustive entry trains every combination, the everyday one a design that meets all pairs.
#include <gtest/gtest.h>

#include "samples.hpp"
#include "zerolab/report/options.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {
namespace {

struct Layout {
  const char* what;
  std::vector<std::size_t> widths;
};

const std::vector<Layout> layouts{
    {"odd widths", {13, 7, 5, 3}},
    {"units of 3, 2 and 4 elements", {2, 1, 1, 2}},  // fewer than ranks
    {"one unit wide, twice", {9, 1, 6, 1, 3}},
    {"two classes", {5, 8, 2}},
};
constexpr NumberType precisions[]{NumberType::fp16, NumberType::bf16, NumberType::fp32};
constexpr std::size_t accumulations[]{1, 2, 4};

const std::vector<OptimizerSettings> optimizers{
    {.kind = OptimizerKind::adam, .learning_rate = 0.01, .weight_decay = 0.01},
    {.kind = OptimizerKind::adamw, .learning_rate = 0.01, .weight_decay = 0.1},
    {.kind = OptimizerKind::sgd, .learning_rate = 0.05, .weight_decay = 0.001},
    {.kind = OptimizerKind::sgd, .learning_rate = 0.02, .momentum = 0.9},
};

std::string described(const Job& job) {
  return fmt::format("{} {} {} k {} {} momentum {} clip {} chunk {}",
                     fmt::join(job.shape.widths, "-"), name(job.precision), name(job.reduce),
                     job.accumulate, name(job.optimizer.kind), job.optimizer.momentum,
                     job.clip_norm, job.chunk_elements);
}

/// A run, told in lines: floating-point numbers in hexadecimal, so equal lines are equal bits.
struct Told {
  std::vector<std::string> lines;
  std::size_t clipped = 0, skipped = 0, updated = 0;
};

std::string first_wrong_line(const Outcome& outcome) {
  for (std::size_t r = 0; r < outcome.reports.size(); ++r) {
    for (std::size_t c = 0; c < categories; ++c) {
      const auto &found = outcome.reports[r].memory[c], &formula = outcome.memory_formula[r][c];
      if (found != formula) {
        return fmt::format("rank {} {}: now {} peak {}, formula {} {}", r,
                           name(static_cast<Category>(c)), found.now, found.peak, formula.now,
                           formula.peak);
      }
    }
    for (std::size_t c = 0; c + 1 < collectives; ++c) {
      const auto &found = outcome.reports[r].traffic[c], &formula = outcome.traffic_formula[r][c];
      if (found != formula) {
        return fmt::format(
            "rank {} {}: {} calls {} elements {} payload {} ring, formula {} {} {} {}", r,
            name(static_cast<Collective>(c)), found.calls, found.elements, found.payload_bytes,
            found.ring_bytes, formula.calls, formula.elements, formula.payload_bytes,
            formula.ring_bytes);
      }
    }
  }
  return "none";
}

/// Trains and evaluates; expects the ledgers to hold on every rank and all ranks to tell the same.
Told train(const Job& job, int stage, std::size_t steps, const Dataset& data, Communicator& comm) {
  SCOPED_TRACE(fmt::format("stage {}", stage));
  MemoryLedger memory;
  Told told;
  const auto tell = [&](std::size_t step, const StepResult& r, const Stage&) {
    told.clipped += r.clip_factor < 1 ? 1U : 0U;
    ++(r.skipped ? told.skipped : told.updated);
    told.lines.push_back(
        fmt::format("step {}: loss {:a} norm {:a} factor {:a} scale {:a} skipped {} samples {}",
                    step, r.loss, r.grad_norm, r.clip_factor, r.loss_scale, r.skipped, r.samples));
  };
  const Outcome outcome = run({.job = job,
                               .stage = stage,
                               .steps = steps,
                               .data = data,
                               .comm = comm,
                               .memory = memory,
                               .after_step = tell});
  told.lines.push_back(fmt::format("digests {:x} {:x} {:x} skipped {} correct {} of {}",
                                   outcome.digest.parameters, outcome.digest.master,
                                   outcome.digest.moments, outcome.skipped,
                                   outcome.evaluation.correct, outcome.evaluation.samples));
  EXPECT_TRUE(outcome.digest.agrees());
  EXPECT_EQ(outcome.reports.size(), comm.rank() == 0 ? comm.size() : 0U);
  EXPECT_TRUE(outcome.memory_holds() && outcome.traffic_holds()) << first_wrong_line(outcome);

  const auto everyone = comm.gather(fmt::format("{}", fmt::join(told.lines, "\n")));
  for (const std::string& one : everyone) EXPECT_EQ(one, everyone.front());
  return told;
}

/// The stage whose bits this one must have: stage 0 where the sums do not depend on the order (or
/// there is but one order), else the one with the same collective.
int oracle_of(const Job& job, int stage, std::size_t ranks) {
  switch (job.reduce) {
    case ReduceMode::exact:
      return 0;
    case ReduceMode::ordered:
      return job.accumulate == 1 || ranks == 1 || stage < 2 ? 0 : 2;
    case ReduceMode::mpi:
      return ranks == 1 || (ranks == 2 && job.accumulate == 1) || stage < 2 ? 0 : 2;
  }
  return 0;
}

/// The overlapped twins add like the plain stages where the order is ours; under mpi a non-blocking
/// sum may add in an order of its own, and then they are held against one another.
void expect_equal_twins(Job job, std::size_t steps, const Dataset& data, Communicator& comm,
                        const std::vector<Told>& plain) {
  job.overlap = true;
  std::vector<Told> told(4);
  for (const int stage : {0, 2, 3}) {
    const auto s = static_cast<std::size_t>(stage);
    told[s] = train(job, stage, steps, data, comm);
    if (job.reduce != ReduceMode::mpi || comm.size() == 1) {
      EXPECT_EQ(told[s].lines, plain[s].lines) << "overlapped stage " << stage;
    } else if (stage > 0) {
      EXPECT_EQ(told[s].lines, told[job.accumulate == 1 ? 0 : 2].lines)
          << "overlapped stage " << stage;
    }
  }
}

/// What stage 0 told.
Told expect_equal_stages(const Job& job, std::size_t steps, const Dataset& data,
                         Communicator& comm) {
  SCOPED_TRACE(described(job));
  std::vector<Told> told;
  for (int stage = 0; stage < 4; ++stage) {
    told.push_back(train(job, stage, steps, data, comm));
    const int oracle = oracle_of(job, stage, comm.size());
    EXPECT_EQ(told.back().lines, told[static_cast<std::size_t>(oracle)].lines)
        << "stage " << stage << " is not stage " << oracle;
  }
  expect_equal_twins(job, steps, data, comm, told);
  return told.front();
}

/// Three steps to an epoch: two full ones, and one with a sample or two for the first ranks and
/// none for the others. Eight steps so meet two ends.
constexpr std::size_t matrix_steps = 8;

std::unique_ptr<Dataset> matrix_data(const Job& job, std::size_t ranks, std::size_t tail) {
  MemoryLedger none;
  const auto& widths = job.shape.widths;
  return open_dataset(
      fmt::format("synthetic:{},{},{}", 2 * ranks * job.accumulate * job.batch + tail,
                  widths.front(), widths.back()),
      5, none);
}

template <class Wanted>
void run_matrix(ReduceMode reduce, Wanted wanted) {
  Communicator comm(MPI_COMM_WORLD);
  std::size_t clipped = 0, skipped = 0, updated = 0;
  for (std::size_t p = 0; p < std::size(precisions); ++p) {
    for (std::size_t l = 0; l < layouts.size(); ++l) {
      for (std::size_t a = 0; a < std::size(accumulations); ++a) {
        for (std::size_t o = 0; o < optimizers.size(); ++o) {
          for (std::size_t clip = 0; clip < 2; ++clip) {
            if (!wanted(p, l, a, o, clip)) continue;
            SCOPED_TRACE(layouts[l].what);
            Job job;
            job.shape.widths = layouts[l].widths;
            job.precision = precisions[p];
            job.reduce = reduce;
            job.accumulate = accumulations[a];
            job.optimizer = optimizers[o];
            job.batch = 2;
            job.loss_scale.growth_interval = 3;
            if (clip == 1) job.clip_norm = 0.25;
            if (clip == 0 && job.precision != NumberType::fp16) job.loss_scale.fixed = 1;
            const auto data = matrix_data(job, comm.size(), 1 + (p + l + a) % 2);
            const Told told = expect_equal_stages(job, matrix_steps, *data, comm);
            clipped += told.clipped;
            skipped += told.skipped;
            updated += told.updated;
          }
        }
      }
    }
  }
  EXPECT_GT(clipped, 0U) << "no case clips";
  EXPECT_GT(skipped, 0U) << "no case skips a step";
  EXPECT_GT(updated, skipped) << "most steps update nothing";
}

// Of the optimizers and clipping, one choice for each precision, layout and k, moved on so that
// every pair of values of any two of the five occurs.
bool design(std::size_t p, std::size_t l, std::size_t a, std::size_t o, std::size_t clip) {
  return exhaustive() || (o == (p + l + a) % optimizers.size() && clip == (p + l / 2 + a) % 2);
}

TEST(StageMatrix, ExactStagesEndWithTheSameBits) {
  run_matrix(ReduceMode::exact, design);
}

TEST(StageMatrix, OrderedStagesEndWithTheSameBitsWithOneMicroBatch) {
  run_matrix(ReduceMode::ordered, design);
}

TEST(StageMatrix, MpiStagesWithTheSameCollectivesEndWithTheSameBits) {
  run_matrix(ReduceMode::mpi, design);
}

constexpr std::size_t chunk_steps = 2;

// A unit of 1025 elements in chunks of 1000, of 37, and of one element a rank: the digests of the
// default. Under mpi nothing is cut.
TEST(StageMatrix, ChunksDoNotChangeBits) {
  Communicator comm(MPI_COMM_WORLD);
  for (const NumberType precision : precisions) {
    for (const ReduceMode reduce : {ReduceMode::exact, ReduceMode::ordered}) {
      for (const std::size_t accumulate : {1U, 2U}) {
        if (reduce == ReduceMode::ordered && accumulate > 1) continue;
        Job job;
        job.shape.widths = {40, 25, 4};
        job.precision = precision;
        job.reduce = reduce;
        job.accumulate = accumulate;
        job.batch = 3;
        const auto data = matrix_data(job, comm.size(), 1);
        const Told whole = expect_equal_stages(job, chunk_steps, *data, comm);
        for (const std::size_t chunk : {std::size_t{1000}, std::size_t{37}, comm.size()}) {
          if (chunk < 37 && accumulate > 1) continue;  // many calls, and nothing new
          job.chunk_elements = chunk;
          EXPECT_EQ(expect_equal_stages(job, chunk_steps, *data, comm).lines, whole.lines);
        }
      }
    }
  }
}

// 1000 test samples are three blocks of 256 and one of 232, dealt to ranks: more than one round on
// few ranks, ranks without a block on many. Whoever counts, the number is the same; it also is what
// one rank on its own counts.
TEST(StageMatrix, EvaluationCountsEverySampleOnce) {
  Communicator comm(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  const Samples data(7, 3, 64, 1000, 2);
  for (const NumberType precision : precisions) {
    Job job;
    job.shape.widths = {7, 9, 3};
    job.precision = precision;
    const Told together = expect_equal_stages(job, 0, data, comm);
    MemoryLedger memory;
    const Outcome one = run({.job = job,
                             .stage = 3,
                             .steps = 0,
                             .data = data,
                             .comm = alone,
                             .memory = memory,
                             .after_step = {}});
    EXPECT_EQ(one.evaluation.samples, 1000U);
    EXPECT_GT(one.evaluation.correct, 100U);
    EXPECT_LT(one.evaluation.correct, 900U);
    EXPECT_NE(together.lines.back().find(fmt::format("correct {} of 1000", one.evaluation.correct)),
              std::string::npos)
        << together.lines.back();
  }
}

}  // namespace
}  // namespace zerolab
