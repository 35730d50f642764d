#include "zerolab/report/stop_request.hpp"

#include <array>
#include <cerrno>
#include <ctime>

namespace zerolab {

namespace {

#ifdef ZEROLAB_SMPI
constexpr bool simulated = true;  // all ranks are one process, which the simulator ends
#else
constexpr bool simulated = false;
#endif

constexpr std::array<int, 3> signals{SIGTERM, SIGINT, SIGUSR1};

// Where a signal can reach it.
volatile std::sig_atomic_t first_signal = 0;
volatile std::time_t first_second = 0;
volatile long first_nanosecond = 0;

timespec now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);  // one of the few calls that a handler may make
  return time;
}

void on_signal(int number) {
  const int before = errno;
  const timespec time = now();
  const auto later = static_cast<double>(time.tv_sec - first_second) +
                     1e-9 * static_cast<double>(time.tv_nsec - first_nanosecond);
  if (first_signal == 0) {
    first_second = time.tv_sec;
    first_nanosecond = time.tv_nsec;
    first_signal = number;
  } else if (later > 1) {
    std::signal(number, SIG_DFL);
    std::raise(number);  // taken when this handler has returned
  }
  errno = before;
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int number : signals) sigaction(number, &action, nullptr);
}

}  // namespace

StopRequest::StopRequest(std::optional<double> time_limit) {
  first_signal = 0;
  if (time_limit) {
    using Seconds = std::chrono::duration<double>;
    end_ = std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(Seconds(*time_limit));
  }
  if (!simulated) handle(on_signal);
}

StopRequest::~StopRequest() {
  if (!simulated) handle(SIG_DFL);
}

StopReason StopRequest::reason() const {
  if (first_signal != 0) return static_cast<StopReason>(first_signal);
  const bool late = end_ && std::chrono::steady_clock::now() >= *end_;
  return late ? StopReason::time_limit : StopReason::none;
}

std::string name(StopReason reason) {
  switch (static_cast<std::uint64_t>(reason)) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    default:
      return reason == StopReason::time_limit ? "the time limit" : "no reason";
  }
}

}  // namespace zerolab
