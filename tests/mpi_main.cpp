// main() of every test that runs on ranks. GoogleTest as usual, and beside it:
//   - rank 0 prints; at the end of each test the failures of all ranks follow in rank order, every
//     line with its rank. A rank that failed while others hang in that test speaks after 5 seconds;
//   - a test that fails on one rank fails on all, and all end with the same exit code;
//   - --gtest_output=xml:FILE.xml writes FILE.rankR.xml, one report a rank (FILE.xml at N = 1);
//     xml:DIRECTORY/ writes DIRECTORY/PROGRAM.npN.rankR.xml. Rank 0's holds everyone's failures;
//   - an exception that escapes a test, or std::terminate, says "rank R: why" and aborts the job.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "rank_listener.hpp"

namespace {

World world;

[[noreturn]] void abort_job(const std::string& why) {
  std::fprintf(stderr, "rank %d: %s\n", world.rank, why.c_str());
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

[[noreturn]] void abort_with_current_exception() {
  try {
    if (std::exception_ptr current = std::current_exception()) std::rethrow_exception(current);
  } catch (const std::exception& error) {
    abort_job(error.what());
  } catch (...) {
    abort_job("an exception that is no std::exception");
  }
  abort_job("std::terminate was called");
}

/// One report a rank (banner): "xml:FILE.xml" becomes "xml:FILE.rankR.xml".
std::string report_of_this_rank(const std::string& output, const std::string& program) {
  if (output.empty()) return output;
  const std::size_t colon = output.find(':');
  const std::string format = output.substr(0, colon);
  std::filesystem::path file =
      colon == std::string::npos ? "test_detail." + format : output.substr(colon + 1);
  const std::string ranks = ".np" + std::to_string(world.ranks);
  if (!file.has_filename())
    file /= std::filesystem::path(program).stem().string() + ranks + "." + format;
  const std::string extension = file.extension().string();
  if (world.ranks > 1) file.replace_extension(".rank" + std::to_string(world.rank) + extension);
  return format + ":" + file.string();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &world.comm);
  MPI_Comm_rank(world.comm, &world.rank);
  MPI_Comm_size(world.comm, &world.ranks);
  std::set_terminate(abort_with_current_exception);

  // GoogleTest opens its report while it reads the flags, so the names are changed before that.
  testing::GTEST_FLAG(output) = report_of_this_rank(testing::GTEST_FLAG(output), argv[0]);
  std::vector<std::string> arguments(argv, argv + argc);
  const std::string option = "--gtest_output=";
  for (std::string& argument : arguments)
    if (argument.starts_with(option))
      argument = option + report_of_this_rank(argument.substr(option.size()), argv[0]);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  testing::InitGoogleTest(&argc, pointers.data());
  testing::GTEST_FLAG(catch_exceptions) = false;  // caught below: the others may wait for this rank
  if (testing::GTEST_FLAG(shuffle)) {             // all ranks in the same order
    int seed = testing::GTEST_FLAG(random_seed);
    if (seed == 0) seed = static_cast<int>(std::time(nullptr) % 99999) + 1;
    MPI_Bcast(&seed, 1, MPI_INT, 0, world.comm);
    testing::GTEST_FLAG(random_seed) = seed;
  }
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  testing::TestEventListener* printer = listeners.Release(listeners.default_result_printer());
  if (world.rank != 0) delete std::exchange(printer, nullptr);
  listeners.Append(new RankListener(world, printer));

  int result = 0;
  try {
    if (world.rank == 0 || !testing::GTEST_FLAG(list_tests)) result = RUN_ALL_TESTS();
  } catch (...) {
    abort_with_current_exception();
  }
  MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_INT, MPI_MAX, world.comm);
  MPI_Comm_free(&world.comm);
  MPI_Finalize();
  return result;
}
