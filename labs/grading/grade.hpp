#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace lab {

/// What is asked on the command line of zerolab_grade.
struct Request {
  std::string lab;             ///< two digits
  std::string file;            ///< the student's
  std::string project, build;  ///< folders
  std::string json, network;   ///< files; empty: none
  std::vector<std::size_t> ranks{1, 2, 3, 4};
  int seconds = 0;       ///< until a task counts as hanging; 0: as each of them says
  bool trusted = false;  ///< the file is the lab's own solution and may include the library's stage
};

struct GradedTask {
  std::string name;
  int level = 0, points = 0;
  std::vector<std::size_t> held_on;  ///< rank counts it was run on and held
  std::string fault;                 ///< the first thing that went wrong, with its rank count
  std::string not_run;               ///< what is missing
  std::string not_here;              ///< which numbers of ranks it is for

  /// Whether it was run at all; otherwise it counts for nothing.
  bool counts() const { return !fault.empty() || !held_on.empty() || !not_run.empty(); }
  bool full() const { return counts() && fault.empty(); }
  int worth() const { return counts() ? points : 0; }
  int earned() const { return full() ? points : 0; }
};

struct Grade {
  std::vector<GradedTask> tasks;
  std::string refused;  ///< why nothing was run: it does not compile, …
  std::string log;      ///< file with what the student's program printed, or the compiler

  int earned() const;
  int points() const;
  bool faultless() const;
};

/// Builds the program of a student's file in a folder of its own. Returns its path; empty, and the
/// grade says why, when it does not compile or includes what it must not.
std::string build_student(const Request& request, Grade& grade);

/// Runs the tasks on each number of ranks; a task that failed is not run again, one that hangs or
/// crashes costs itself only.
void run_tasks(const Request& request, const std::string& program, Grade& grade);

/// For people; at most 100 columns a line where the student's own words allow.
std::string text(const Request& request, const Grade& grade);
/// Gradescope's results.json.
std::string json(const Request& request, const Grade& grade);

/// A signal, such as Ctrl-C's, has ended the command under way and is to end the grader.
struct Stopped {
  int signal;
};
/// From now on commands and waiting are ended by signals, with Stopped.
void stop_on_signals();

/// Holds a file as long as it lives; who comes later waits, and says so.
class Lock {
 public:
  explicit Lock(const std::string& name);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

/// The command in quotes that a shell takes as one word.
std::string quoted(const std::string& word);
/// Runs a shell command, its output added to a file. Returns the exit code.
int shell(const std::string& command, const std::string& log);
std::string whole_file(const std::string& name);

}  // namespace lab
