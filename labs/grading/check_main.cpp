// Runs a lab's tasks on the ranks it is started on, and tells the grader what became of each.
//
//   mpirun -n 3 lab_03_mine [FIRST TASK]      by hand: says it on standard output
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include <algorithm>

#include "channel.hpp"
#include "check.hpp"
#include "meters.hpp"
#include "student.hpp"
#include "zerolab/nn/blas.hpp"

namespace {

using namespace lab;

constexpr unsigned between_tasks =
    30;  // seconds, also before the first and until the process has ended
Channel channel;
volatile std::size_t task_under_way = 0;  // from 1 on; 0: none
int most_seconds = INT_MAX;               // of a task, where the grader is to be quick
volatile bool returned = false;           // this rank from the task, and others have not

/// Student code may run, and hang, before main does.
__attribute__((constructor(101))) void limit_the_start() {
  alarm(between_tasks);
}

/// Calls nothing that a signal handler may not.
void tell_death(const char* what) {
  const char* call = call_under_way();
  std::array<char, 160> text{};
  const auto add = [&](const char* more) {
    std::strncat(text.data(), more, text.size() - std::strlen(text.data()) - 1);
  };
  add(what);
  add(*call == '\0' ? "outside of MPI" : "in ");
  add(call);
  channel.write("died", task_under_way, text.data());
}

void on_signal(int signal) {
  if (task_under_way > 0 && returned && signal == SIGALRM) {
    channel.write("died", task_under_way, "has returned and waits for the others");
  } else if (task_under_way > 0) {
    tell_death(signal == SIGALRM   ? "hangs "
               : signal == SIGSEGV ? "crashed (invalid memory access) "
               : signal == SIGFPE  ? "crashed (division by zero) "
                                   : "crashed (aborted) ");
  }
  if (signal == SIGALRM)
    sleep(1);  // mpirun ends the others after this rank; first they say where they hang
  _exit(3);
}

void at_exit() {
  if (task_under_way > 0) channel.write("died", task_under_way, "left by exit() in the middle");
}

/// What was wrong; empty if nothing was. Whoever threw has left the others behind.
std::string run(const Task& task, Check& check, bool& left) {
  try {
    task.run(check);
  } catch (const std::exception& error) {
    left = true;
    check.fail("{}", error.what());
  } catch (...) {
    left = true;
    check.fail("threw something that is no std::exception");
  }
  return check.fault();
}

void run_task(std::size_t number, const Task& task, zerolab::Communicator& comm) {
  PMPI_Barrier(MPI_COMM_WORLD);
  take_calls();
  channel.write("begin", number, "");
  task_under_way = number;
  alarm(static_cast<unsigned>(std::min(task.seconds, most_seconds)));
  Check check(comm, MPI_COMM_WORLD);
  bool left = false;
  const std::string fault = run(task, check, left);
  if (!fault.empty()) channel.write("fault", number, fault);  // it may be why another rank hangs
  returned = true;
  if (!left) PMPI_Barrier(MPI_COMM_WORLD);  // whoever waits for this rank still counts as hanging
  returned = false;
  alarm(between_tasks);
  task_under_way = 0;
  if (!check.why_not_run().empty()) channel.write("not_run", number, check.why_not_run());
  channel.write("end", number, fault.empty() ? "holds" : "fails");
  if (left && comm.size() > 1) MPI_Abort(MPI_COMM_WORLD, 3);
}

}  // namespace

std::string lab::network_file() {
  const char* name = std::getenv("ZEROLAB_NETWORK");
  return name == nullptr ? "" : name;
}

int main(int argc, char** argv) {
  if (const char* seconds = std::getenv("ZEROLAB_TASK_SECONDS"))
    most_seconds = std::max(1, std::atoi(seconds));
  MPI_Init(&argc, &argv);
  zerolab::set_blas_threads(1);
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT})
    std::signal(signal, on_signal);
  {
    zerolab::Communicator comm(MPI_COMM_WORLD);
    channel.open(comm.rank());
    std::atexit(at_exit);
    const std::vector<Task> all = tasks();
    if (!channel.for_people()) {
      for (std::size_t t = 1; t <= all.size(); ++t) {
        channel.write(
            "task", t,
            fmt::format("{} {} {}", all[t - 1].level, all[t - 1].points, all[t - 1].name));
      }
    }
    for (std::size_t t = 1; t <= all.size(); ++t) {
      if (argc > 1 && std::find(argv + 1, argv + argc, std::to_string(t)) == argv + argc) continue;
      if (comm.size() > all[t - 1].most_ranks) {
        channel.write("not_here", t, fmt::format("for at most {} ranks", all[t - 1].most_ranks));
      } else {
        run_task(t, all[t - 1], comm);
      }
    }
  }
  MPI_Finalize();
  return 0;
}
