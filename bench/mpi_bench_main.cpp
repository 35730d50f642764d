// main() of the benchmarks on ranks:
//
//   tests/on_ranks.sh 2 600 build/bench/zerolab_bench [--benchmark_filter=784-1024.*fp16/mpi]
//
// Rank 0 prints one line a benchmark, in milliseconds; --benchmark_out=FILE writes all counters as
// JSON. The other ranks run the same and report nothing.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string_view>

#include "startup.hpp"
#include "step_bench.hpp"

namespace {

using namespace zerolab;

/// A table of step times against their floors, on rank 0; silent elsewhere.
class Table final : public benchmark::BenchmarkReporter {
 public:
  explicit Table(const Communicator& comm) : speaks_(comm.rank() == 0), ranks_(comm.size()) {
    if (!speaks_) SetOutputStream(&nowhere_), SetErrorStream(&nowhere_);
  }

  bool ReportContext(const Context&) override {
    if (!speaks_) return true;
    fmt::print(
        "N = {} · {} · {}\nmilliseconds, medians of the slowest rank; gain: step over overlapped "
        "step\n",
        ranks_, mpi_library(), blas_kernel_note());
    fmt::print("{:42}{:>9}{:>9}{:>7} = {:>9}{:>10}{:>12}{:>6}\n", "", "step", "floor", "ratio",
               "products", "optimizer", "collectives", "gain");
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    if (!speaks_) return;
    for (const Run& run : runs) {
      const auto value = [&](const char* counter) { return run.counters.at(counter).value; };
      const auto gain = run.counters.find("overlap_gain");  // none: the stage has no twin
      fmt::print("{:42}{:9.3f}{:9.3f}{:7.2f}   {:9.3f}{:10.3f}{:12.3f}{:>6}\n",
                 run.run_name.function_name, value("step_ms"), value("floor_ms"), value("ratio"),
                 value("products_ms"), value("optimizer_ms"), value("collectives_ms"),
                 gain == run.counters.end() ? "-" : fmt::format("{:.2f}", gain->second.value));
      std::fflush(stdout);
    }
  }

 private:
  bool speaks_;
  std::size_t ranks_;
  std::ostream nowhere_{nullptr};
};

void run_benchmarks(std::vector<char*> arguments) {
  Communicator comm(MPI_COMM_WORLD);
  if (comm.rank() != 0)  // one file, written by rank 0
    std::erase_if(arguments, [](const char* argument) {
      return std::string_view(argument).starts_with("--benchmark_out");
    });
  auto count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) throw Error(fmt::format("{}: unknown option", arguments[1]));
  register_step_benchmarks(comm);
  Table table(comm);
  benchmark::RunSpecifiedBenchmarks(&table);
  comm.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  zerolab::prepare_process(argc, argv);
  MPI_Init(&argc, &argv);
  try {
    run_benchmarks({argv, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "zerolab_bench: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
