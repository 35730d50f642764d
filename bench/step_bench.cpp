// The time of a training step of every stage, and in the same run the time of its floor:
//   products     the step's matrix products by bare cblas_sgemm on fp32 arrays
//   optimizer    the bytes an Adam update reads and writes, over the memory bandwidth measured here
//                (not a bound for models that fit in the caches: the first size)
//   collectives  the step's collectives on buffers that are kept
// A repetition runs step, products, collectives and bandwidth one after the other on all ranks and
// takes the slowest rank's time of each; counters are medians over repetitions in milliseconds, and
// the floor is the sum of its three parts. The digits are the embedded ones; the other sizes train
// on samples that lie in memory, so that a batch costs one copy.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "floor.hpp"
#include "step_bench.hpp"
#include "zerolab/core/random.hpp"
#include "zerolab/stages/stage.hpp"

namespace zerolab {

namespace {

struct Size {
  std::vector<std::size_t> widths;
  std::size_t batch;
  int repetitions;
  std::vector<ReduceMode> modes;
};

const std::vector<Size>& sizes() {
  using enum ReduceMode;
  static const std::vector<Size> all{{{64, 128, 10}, 32, 101, {mpi, exact}},
                                     {{784, 1024, 1024, 10}, 64, 21, {mpi, exact}},
                                     {{784, 4096, 4096, 10}, 64, 7, {mpi}},
                                     {{1024, 2048, 2048, 2048, 10}, 512, 5, {mpi}}};
  return all;
}

/// Random samples in memory.
class MemoryDataset final : public Dataset {
 public:
  MemoryDataset(std::size_t samples, std::size_t features, std::size_t classes)
      : samples_(samples), features_(features), classes_(classes), values_(samples * features) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = random_symmetric(2, i);
  }

  std::size_t features() const override { return features_; }
  std::size_t classes() const override { return classes_; }
  std::size_t samples(Split) const override { return samples_; }
  std::size_t bytes() const override { return 0; }
  std::int32_t label(Split, std::size_t index) const override {
    return static_cast<std::int32_t>(index % classes_);
  }
  void read(Split, std::size_t index, std::span<float> out) const override {
    std::copy_n(&values_[index * features_], features_, out.begin());
  }

 private:
  std::size_t samples_, features_, classes_;
  std::vector<float> values_;
};

/// Milliseconds that the slowest rank needs for `work`, begun together.
double slowest(Communicator& comm, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  comm.barrier();
  const auto begin = Clock::now();
  work();
  const std::chrono::nanoseconds taken = Clock::now() - begin;
  return static_cast<double>(comm.maximum(static_cast<std::uint64_t>(taken.count()))) * 1e-6;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void run_steps(benchmark::State& state, const Job& job, int number, Communicator& comm) {
  static MemoryBandwidth memory_bandwidth;
  MemoryLedger memory;
  Trace silent;
  const std::size_t features = job.shape.widths.front(), classes = job.shape.widths.back();
  const std::unique_ptr<Dataset> data =
      features == 64
          ? open_dataset("digits", job.seed, memory)
          : std::make_unique<MemoryDataset>(2 * comm.size() * job.batch, features, classes);
  const std::unique_ptr<Stage> stage = make_stage(number, {job, *data, comm, memory, silent});
  std::unique_ptr<Stage> twin;  // overlapped, where there is one
  if (number != 1) {
    Job overlapped = job;
    overlapped.overlap = true;
    twin = make_stage(number, {overlapped, *data, comm, memory, silent});
  }
  Floor floor(job, number, comm);

  std::size_t step = 0, twin_step = 0, skipped = 0;
  const auto next_step = [&] { skipped += stage->step(step++).skipped; };
  const auto next_twin_step = [&] { skipped += twin->step(twin_step++).skipped; };
  for (int warm_up = 0; warm_up < 2; ++warm_up) {
    while (stage->step(step++).skipped || (twin && twin->step(twin_step++).skipped)) {
    }  // until the loss scale fits
    floor.products();
    floor.collectives();
  }
  std::vector<double> steps, twin_steps, products, collectives, passes;
  for (auto _ : state) {
    steps.push_back(slowest(comm, next_step));
    if (twin) twin_steps.push_back(slowest(comm, next_twin_step));
    products.push_back(slowest(comm, [&] { floor.products(); }));
    collectives.push_back(slowest(comm, [&] { floor.collectives(); }));
    passes.push_back(slowest(comm, [&] { memory_bandwidth.pass(); }));
    state.SetIterationTime(steps.back() * 1e-3);
  }
  require(skipped == 0, "{} timed steps were skipped and did no update", skipped);

  const double bytes = static_cast<double>(comm.maximum(floor.optimizer_bytes()));
  const double bytes_per_ms = MemoryBandwidth::bytes_per_pass() / median(passes);
  state.counters["step_ms"] = median(steps);
  if (twin) state.counters["overlap_gain"] = median(steps) / median(twin_steps);
  state.counters["products_ms"] = median(products);
  state.counters["optimizer_ms"] = bytes / bytes_per_ms;
  state.counters["collectives_ms"] = median(collectives);
  state.counters["floor_ms"] = median(products) + bytes / bytes_per_ms + median(collectives);
  state.counters["ratio"] = median(steps) / state.counters["floor_ms"];
  state.counters["GB_per_s"] = bytes_per_ms * 1e-6;
}

}  // namespace

void register_step_benchmarks(Communicator& comm) {
  for (const Size& size : sizes())
    for (const ReduceMode mode : size.modes)
      for (const NumberType precision : {NumberType::fp32, NumberType::fp16})
        for (int stage = 0; stage < 4; ++stage) {
          Job job;
          job.shape.widths = size.widths;
          job.precision = precision;
          job.reduce = mode;
          job.batch = size.batch;
          const std::string test =
              fmt::format("{}/{}/{}/stage{}", fmt::join(size.widths, "-"), name(precision),
                          mode == ReduceMode::exact ? "exact" : "mpi", stage);
          benchmark::RegisterBenchmark(
              test.c_str(),
              [=, &comm](benchmark::State& state) { run_steps(state, job, stage, comm); })
              ->UseManualTime()
              ->Unit(benchmark::kMillisecond)
              ->Iterations(size.repetitions);
        }
}

}  // namespace zerolab
