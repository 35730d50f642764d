// Steps on a simulated cluster, timed by the simulator's clock; built for SMPI alone.
//
//   tests/on_ranks.sh 64 60 build-smpi/zerolab_network NAME BANDWIDTH LATENCY FLOPS JOB...
//
// NAME, bytes/s of a link in one direction, seconds from rank to rank and flops/s of a rank are
// what the platform file promises: passed on, never used. A JOB is
// RANKS,STAGE,OVERLAP,STEPS,BATCH,WIDTHS: of 8,3,0,1,128,1023,1023,1023 the first 8 ranks train one
// step of stage 3 with 128 samples each, two units. As the documents count, 16-bit gradients are
// summed by the library. A job prints one line of JSON; its keys are in labs/simulate_network.sh.
#include <fmt/ranges.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "zerolab/nn/blas.hpp"
#include "zerolab/report/training.hpp"

namespace {

using namespace zerolab;

struct Measurement {
  std::size_t ranks, steps;
  int stage;
  Job job;
};

Measurement parse(const std::string& text) {
  std::vector<std::size_t> numbers;
  const char* next = text.c_str();
  for (char* end = nullptr; *next != '\0'; next = *end == ',' ? end + 1 : end) {
    numbers.push_back(std::strtoull(next, &end, 10));
    require(end != next && (*end == ',' || *end == '\0'), "{}: '{}' is no whole number", text,
            next);
  }
  require(numbers.size() >= 7, "{}: RANKS,STAGE,OVERLAP,STEPS,BATCH and two widths are the least",
          text);
  require(numbers[0] > 0 && numbers[3] > 0 && numbers[4] > 0,
          "{}: at least one rank, step and sample", text);
  Measurement one{numbers[0], numbers[3], static_cast<int>(numbers[1]), {}};
  one.job.overlap = numbers[2] != 0;
  one.job.batch = numbers[4];
  one.job.shape.widths.assign(numbers.begin() + 5, numbers.end());
  one.job.reduce = ReduceMode::mpi;
  one.job.loss_scale.fixed = 1024;
  return one;
}

/// Bytes of all ranks together: held after the last step, and sent in all steps.
struct Sums {
  std::size_t state = 0, payload = 0, ring = 0;

  explicit Sums(const Outcome& outcome) {
    for (const RankReport& report : outcome.reports) {
      for (const Category c : {Category::parameters, Category::gradients, Category::master,
                               Category::momentum, Category::variance}) {
        state += report.memory[static_cast<std::size_t>(c)].now;
      }
      for (const Collective c :
           {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
        payload += report.traffic[static_cast<std::size_t>(c)].payload_bytes;
        ring += report.traffic[static_cast<std::size_t>(c)].ring_bytes;
      }
    }
  }
};

void print(const Measurement& one, const Outcome& outcome, char** platform) {
  require(outcome.compute_median.has_value(), "time is real here: build with -DZEROLAB_MPI=smpi");
  require(outcome.skipped == 0, "a step was skipped");
  require(outcome.traffic_holds() && outcome.memory_holds(),
          "the ledgers differ from the formulas");
  const Sums sums(outcome);
  fmt::print(R"({{"platform": "{}", "bandwidth": {}, "latency": {}, "flops": {}, )", platform[0],
             platform[1], platform[2], platform[3]);
  fmt::print(R"("ranks": {}, "stage": {}, "overlap": {}, "reduce": "mpi", "precision": "{}", )",
             one.ranks, one.stage, one.job.overlap, name(one.job.precision));
  fmt::print(R"("widths": [{}], "parameters": {}, "batch": {}, "steps": {}, )",
             fmt::join(one.job.shape.widths, ", "), one.job.shape.parameters(), one.job.batch,
             one.steps);
  fmt::print(R"("step_seconds": {}, "compute_seconds": {}, "communication_seconds": {}, )",
             outcome.step_median, *outcome.compute_median, *outcome.communication_median);
  fmt::print(R"("state_bytes": {}, "payload_bytes": {}, "ring_bytes": {}}})"
             "\n",
             sums.state, sums.payload / one.steps, sums.ring / one.steps);
  std::fflush(stdout);
}

/// The first ranks train, as many as the job has; the others wait for the next job.
void measure(const Measurement& one, char** platform, int rank, int size) {
  const int ranks = static_cast<int>(one.ranks);
  require(ranks <= size, "a job for {} ranks on {}", ranks, size);
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &some);
  if (some != MPI_COMM_NULL) {
    Communicator comm(some);
    MemoryLedger memory;
    const auto& widths = one.job.shape.widths;
    const std::size_t samples = one.steps * one.ranks * one.job.batch;
    const auto data =
        open_dataset(fmt::format("synthetic:{},{},{}", samples, widths.front(), widths.back()),
                     one.job.seed, memory);
    const Outcome outcome = run({.job = one.job,
                                 .stage = one.stage,
                                 .steps = one.steps,
                                 .data = *data,
                                 .comm = comm,
                                 .memory = memory,
                                 .after_step = {}});
    if (rank == 0) print(one, outcome, platform);
  }
  if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  set_blas_threads(1);
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    require(argc > 5, "usage: zerolab_network NAME BANDWIDTH LATENCY FLOPS JOB...");
    for (int i = 5; i < argc; ++i) measure(parse(argv[i]), argv + 1, rank, size);
  } catch (const std::exception& error) {
    fmt::print(stderr, "zerolab_network: {}\n", error.what());
    std::_Exit(1);  // all ranks are this process, and end with the first that speaks
  }
  MPI_Finalize();
}
