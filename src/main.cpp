// zerolab: one program, subcommands. See README.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <thread>

#include "startup.hpp"
#include "zerolab/comm/communicator.hpp"
#include "zerolab/report/commands.hpp"

namespace {

using namespace zerolab;

int run_command(const CommandLine& line, Communicator& comm) {
  if (line.command == "train") return train_command(line.options, comm);
  if (line.command == "verify") return verify_command(line.options, comm);
  if (comm.rank() == 0) fmt::print("{}\n", blas_kernel_note());
  return doctor_command(comm);
}

/// A fault that this rank alone has met while others may wait in a collective: say it, end the job.
/// Lower ranks speak first, so that a fault which several share is told once.
[[noreturn]] void abort_job(std::size_t rank, const char* what) {
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min<std::size_t>(200 * rank, 4000)));
  std::fflush(stdout);
  fmt::print(stderr, "zerolab: rank {}: {}\n", rank, what);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

int run_on_ranks(const CommandLine& line, Communicator& comm) {
  if (comm.rank() == 0 && !blas_thread_warning().empty()) {
    fmt::print(stderr, "zerolab: {}\n", blas_thread_warning());
  }
  try {
    const int code = run_command(line, comm);
    if (std::fflush(stdout) == 0) return code;
    throw Error("standard output: writing failed");
  } catch (const AgreedError& error) {
    std::fflush(stdout);
    if (comm.rank() == 0) fmt::print(stderr, "zerolab: {}\n", error.what());
    return 1;
  } catch (const std::bad_alloc&) {
    abort_job(comm.rank(), "out of memory");
  } catch (const std::exception& error) {
    abort_job(comm.rank(), error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_process(argc, argv);
  const CommandLine line = parse_command_line(argc, argv);
  MPI_Init(&argc, &argv);
  int code = line.exit_code;
  {
    Communicator comm(MPI_COMM_WORLD);
    if (const std::string mismatch = launcher_mismatch(comm.size()); !mismatch.empty()) {
      fmt::print(stderr, "zerolab: {}\n", mismatch);
      code = 1;
    } else if (!line.command.empty()) {
      code = run_on_ranks(line, comm);
    } else if (comm.rank() == 0) {
      std::fputs(line.text.c_str(), code == 0 ? stdout : stderr);
      if (std::fflush(stdout) != 0) code = 1;
    }
    comm.barrier();  // no rank's exit code may end the job before rank 0 has spoken
  }
  MPI_Finalize();
  return code;
}
