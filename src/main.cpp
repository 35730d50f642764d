// zerolab: one program, subcommands. See README.md.
#include <csignal>
#include <cstdio>
#include <new>

#include "abort.hpp"
#include "startup.hpp"
#include "zerolab/comm/communicator.hpp"
#include "zerolab/core/process.hpp"
#include "zerolab/nn/blas.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/ranks_alike.hpp"
#include "zerolab/report/stop_request.hpp"

namespace {

using namespace zerolab;

/// What is known and set before MPI_Init, which changes the environment itself.
struct Start {
  CommandLine line;
  std::string launcher, wire_dump;
  std::unique_ptr<StopRequest> stop;  ///< from here on, where there is something to be saved
};

Start start(int argc, char** argv) {
  prepare_process(argc, argv);
  Start known{parse_command_line(argc, argv), launcher_of(environment), "", nullptr};
  const Options& options = known.line.options;
  // A pipe whose reader has left is an error of the write, and no reason to die without a word.
  if (known.line.needs_ranks()) std::signal(SIGPIPE, SIG_IGN);
  if (!options.save.empty()) known.stop = std::make_unique<StopRequest>(options.time_limit);
  if (options.count_wire) known.wire_dump = count_wire_until_finalize();
  const bool asks = known.line.command == "ask" && known.line.needs_ranks();
  if (options.collectives || asks) count_wire_while_running();
  return known;
}

void flush_output() {
  require(std::fflush(stdout) == 0, "standard output: writing failed");
}

/// Help, or why the command line is refused.
int say(const CommandLine& line) {
  std::fputs(line.text.c_str(), line.exit_code == 0 ? stdout : stderr);
  return std::fflush(stdout) == 0 ? line.exit_code : 1;
}

int alone(const CommandLine& line) {
  if (line.command == "ask") return list_items();
  if (line.command == "checkpoint") return checkpoint_command(line.checkpoint);
  return line.command == "plan" ? plan_command(line.plan) : report_command(line.report);
}

/// A command that needs no ranks, on the first of those it may have been given.
int run_alone(const CommandLine& line, std::size_t rank = 0) {
  if (rank > 0) return 0;
  try {
    const int code = alone(line);
    flush_output();
    return code;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    complain(error.what());
    return 1;
  }
}

Machine machine_of(const Start& start) {
  Machine machine = look_around(environment);
  machine.launcher = start.launcher;
  machine.blas = blas_kernel_note();
  machine.kernel = blas_kernel();
  machine.faster_kernel = faster_blas_kernel();
  machine.blas_threads = blas_threads();
  return machine;
}

Ending run_command(const Start& start, Communicator& comm) {
  const CommandLine& line = start.line;
  if (line.command == "train")
    return train_command(line.options, comm, start.wire_dump, start.stop.get());
  if (line.command == "verify") return {verify_command(line.options, comm)};
  if (!line.needs_ranks()) return {run_alone(line, comm.rank())};
  if (line.command == "ask") return {ask_command(line.ask, comm, machine_of(start))};
  return {doctor_command(line.options, comm, machine_of(start))};
}

Ending run_on_ranks(const Start& start, Communicator& comm) {
  if (comm.rank() == 0 && !blas_thread_warning().empty()) {
    complain(blas_thread_warning());
  }
  try {
    const bool multiplies =
        start.line.needs_ranks() && start.line.options.job.gemm == GemmKind::openblas;
    if (multiplies) reserve_blas_memory();
    Ending ending = run_command(start, comm);
    flush_output();
    return ending;
  } catch (const AgreedError& error) {
    std::fflush(stdout);
    if (comm.rank() == 0) complain(error.what());
    return {1};
  } catch (const std::bad_alloc&) {
    abort_job(comm.rank(), "out of memory");
  } catch (const std::exception& error) {
    abort_job(comm.rank(), error.what());
  }
}

/// What is left to do when no rank can speak to another any more.
int end(const Ending& ending) {
  if (!ending.after_finalize) return ending.exit_code;
  try {
    ending.after_finalize();
    flush_output();
    return ending.exit_code;
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Start begin = start(argc, argv);
  const bool started_alone =
      begin.launcher == launcher_of([](const char*) { return std::string(); });
  if (started_alone && begin.line.command.empty()) return say(begin.line);
  if (started_alone && !begin.line.needs_ranks()) return run_alone(begin.line);
  const Started mine = started(argc, argv);
  int threads = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  std::unique_ptr<Watchdog> watchdog;
  Ending ending{begin.line.exit_code};
  {
    Communicator comm(MPI_COMM_WORLD);
    watchdog = watchdog_of(comm.rank(), begin.line.options.stall_limit);
    comm.guard(watchdog.get());
    if (const std::string mismatch = launcher_mismatch(comm.size()); !mismatch.empty()) {
      complain(mismatch);
      ending.exit_code = 1;
    } else if (const std::string unlike = unlike_ranks(comm, mine); !unlike.empty()) {
      if (comm.rank() == 0) complain(unlike);
      ending.exit_code = 2;
    } else if (!begin.line.command.empty()) {
      ending = run_on_ranks(begin, comm);
    } else if (comm.rank() == 0) {
      ending.exit_code = say(begin.line);
    }
    comm.barrier();  // no rank's exit code may end the job before rank 0 has spoken
  }
  {
    const Watchdog::Inside inside(watchdog.get(), "MPI_Finalize");
    MPI_Finalize();
  }
  return end(ending);
}
