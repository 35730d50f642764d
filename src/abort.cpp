#include "abort.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "zerolab/comm/communicator.hpp"
#include "zerolab/core/process.hpp"

namespace zerolab {

using namespace std::chrono_literals;

namespace {

void speak_in_turn(std::size_t rank, std::chrono::milliseconds turn, const std::string& what) {
  std::signal(SIGTERM, SIG_DFL);  // with which mpirun ends this rank, once a lower one has spoken
  std::this_thread::sleep_for(turn * std::min<std::size_t>(rank, 20));
  std::fflush(stdout);
  complain(fmt::format("rank {}: {}", rank, what));
}

std::string describe(const Watchdog::Call& call, double limit) {
  std::string text =
      fmt::format("waited {:g} s in {}, call {} of this rank", limit, call.name, call.number);
  if (call.elements > 0) text += fmt::format(" ({} elements)", call.elements);
  if (call.step > 0) text += fmt::format(", step {}", call.step);
  return text +
         fmt::format(": another rank is stopped, gone or behind (--stall-limit {:g})", limit);
}

}  // namespace

void abort_job(std::size_t rank, const char* what) {
  speak_in_turn(rank, 200ms, what);
#ifdef ZEROLAB_SMPI
  std::_Exit(1);  // all ranks are this process; SimGrid's MPI_Abort would leave exit code 0
#endif
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

std::unique_ptr<Watchdog> watchdog_of(std::size_t rank, double limit) {
  if (limit == 0) return nullptr;
  try {
    return std::make_unique<Watchdog>(limit, [rank, limit](const Watchdog::Call& call) {
      // All but one may be stuck, and mpirun ends them a second after the first has left.
      speak_in_turn(rank, 2s, describe(call, limit));
      _exit(1);  // without MPI, in which this rank's main thread is; mpirun ends the others
    });
  } catch (const std::exception& error) {
    abort_job(rank, error.what());
  }
}

}  // namespace zerolab
