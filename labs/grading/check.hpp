#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <vector>

#include "zerolab/comm/communicator.hpp"

// What a lab's check.cpp is written with. It lists tasks; the program that it is linked into runs
// them on every rank, and tells the grader what became of each (check_main.cpp).

namespace lab {

/// One task on one rank. Whatever is found wrong is kept and the task goes on, so that ranks stay
/// in step; the first fault counts.
class Check {
 public:
  Check(zerolab::Communicator& ranks, MPI_Comm world) : comm(ranks), world_(world) {}

  zerolab::Communicator& comm;
  MPI_Comm world() const { return world_; }
  std::size_t rank() const { return comm.rank(); }
  std::size_t ranks() const { return comm.size(); }

  template <class... Arguments>
  void fail(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    if (holds()) fault_ = fmt::format(text, std::forward<Arguments>(arguments)...);
  }
  /// Whether it held; the text says what is wrong, not what was hoped for.
  template <class... Arguments>
  bool expect(bool good, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    if (!good) fail(text, std::forward<Arguments>(arguments)...);
    return good;
  }
  /// "what: expected 3, got 4".
  template <class Expected, class Got>
  bool equal(const Expected& expected, const Got& got, const std::string& what) {
    return expect(expected == got, "{}: expected {}, got {}", what, expected, got);
  }
  /// A task that cannot be run here costs nothing; the text says what is missing and how to get it.
  void not_run(const std::string& why) { not_run_ = why; }

  bool holds() const { return fault_.empty(); }
  const std::string& fault() const { return fault_; }
  const std::string& why_not_run() const { return not_run_; }

 private:
  MPI_Comm world_;
  std::string fault_, not_run_;
};

struct Task {
  int level;  ///< 1 … 5, as in the handout
  int points;
  const char* name;
  void (*run)(Check&);
  int seconds = 20;                   ///< until it counts as hanging
  std::size_t most_ranks = SIZE_MAX;  ///< that it can be run on
};

/// The lab's, in the order of its handout; small cases that can be followed on paper first.
std::vector<Task> tasks();

/// A file that the grader was given (--network FILE), or empty.
std::string network_file();

}  // namespace lab
