// The tasks, on each number of ranks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "channel.hpp"
#include "grade.hpp"

namespace lab {

namespace fs = std::filesystem;

namespace {

/// A folder that only this user can look into, gone with the object.
class SecretFolder {
 public:
  SecretFolder() : name_(fs::temp_directory_path().string() + "/zerolab-XXXXXX") {
    if (mkdtemp(name_.data()) == nullptr) throw std::runtime_error(name_ + ": cannot be made");
  }
  ~SecretFolder() {
    std::error_code none;
    fs::remove_all(name_, none);
  }
  SecretFolder(const SecretFolder&) = delete;
  SecretFolder& operator=(const SecretFolder&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// What one start of the program left behind, by rank.
struct Launch {
  std::vector<std::vector<Record>> ranks;
  bool forged = false;
  int exit_code = 0;
};

constexpr std::size_t most_tasks = 10;  // of a lab

/// No tasks: all, whose number is not known yet.
Launch launch(const Request& request, const std::string& program, std::size_t ranks,
              const std::vector<std::size_t>& tasks, const std::string& log) {
  const SecretFolder folder;
  std::random_device random;
  const std::string token =
      fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
  const std::size_t limit = 30 * (tasks.empty() ? most_tasks : tasks.size()) + 30;
  std::ofstream(log, std::ios::app)
      << fmt::format("--- on {} rank{}, {}{}\n", ranks, ranks == 1 ? "" : "s",
                     tasks.empty() ? "all tasks" : "tasks ", fmt::join(tasks, ", "));
  Launch result;
  const std::string seconds =
      request.seconds > 0 ? fmt::format("ZEROLAB_TASK_SECONDS={} ", request.seconds) : "";
  result.exit_code = shell(
      fmt::format("{}={} {}={} ZEROLAB_NETWORK={} {}OPENBLAS_NUM_THREADS=1 {}/tests/on_ranks.sh "
                  "{} {} {} {}",
                  folder_variable, quoted(folder.name()), token_variable, token,
                  quoted(request.network), seconds, quoted(request.project), ranks, limit,
                  quoted(program), fmt::join(tasks, " ")),
      log);
  for (std::size_t r = 0; r < ranks; ++r) {
    result.ranks.push_back(
        read_records(fmt::format("{}/rank-{}", folder.name(), r), token, result.forged));
  }
  return result;
}

/// The record of a kind about a task, or nullptr.
const Record* find(const std::vector<Record>& records, std::string_view kind, std::size_t task) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& r) {
    return r.kind == kind && r.task == task;
  });
  return found == records.end() ? nullptr : &*found;
}

void learn_tasks(const std::vector<Record>& records, Grade& grade) {
  for (const Record& record : records) {
    if (record.kind != "task") continue;
    GradedTask task;
    int used = 0;
    if (std::sscanf(record.text.c_str(), "%d %d %n", &task.level, &task.points, &used) != 2)
      continue;
    task.name = record.text.substr(static_cast<std::size_t>(used));
    grade.tasks.push_back(task);
  }
}

/// Who says what, ranks with the same words together: "ranks 0, 2: hangs in MPI_Allreduce".
std::string told(const Launch& run, std::string_view kind, std::size_t task, std::size_t most) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> words;
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    const Record* record = find(run.ranks[r], kind, task);
    if (record == nullptr) continue;
    const auto same = std::find_if(words.begin(), words.end(),
                                   [&](const auto& w) { return w.first == record->text; });
    if (same == words.end()) {
      words.push_back({record->text, {r}});
    } else {
      same->second.push_back(r);
    }
  }
  std::string text;
  for (std::size_t w = 0; w < std::min(words.size(), most); ++w) {
    const auto& [what, who] = words[w];
    const bool all = who.size() == run.ranks.size();
    text += fmt::format(
        "{}{}{}", w == 0 ? "" : "; ",
        all && who.size() == 1 ? ""
        : all                  ? "all ranks: "
              : fmt::format("rank{} {}: ", who.size() > 1 ? "s" : "", fmt::join(who, ", ")),
        what);
  }
  return text;
}

/// Judges a task that was begun. Its first fault, or empty.
std::string fault_of(const Launch& run, std::size_t task) {
  const std::string fault = told(run, "fault", task, 1), death = told(run, "died", task, 4);
  if (!fault.empty() && !death.empty()) return fault + "; " + death;
  if (!fault.empty() || !death.empty()) return fault + death;
  for (const auto& records : run.ranks) {
    if (find(records, "end", task) == nullptr) {
      return fmt::format("the program ended in the middle of it (exit code {})", run.exit_code);
    }
  }
  return "";
}

/// Takes over what a launch says. Returns whether it got any further. What follows a failed task
/// waits for another launch: messages that nobody received are not the next task's business.
bool judge(const Launch& run, std::size_t ranks, std::vector<std::size_t>& waiting, Grade& grade) {
  std::vector<std::size_t> left;
  bool further = false, disturbed = false;
  for (const std::size_t t : waiting) {
    GradedTask& task = grade.tasks[t - 1];
    if (const Record* why = find(run.ranks[0], "not_here", t)) {
      task.not_here = why->text;
      further = true;
      continue;
    }
    const bool begun = std::any_of(run.ranks.begin(), run.ranks.end(), [&](const auto& records) {
      return find(records, "begin", t) != nullptr;
    });
    if (!begun || disturbed) {
      left.push_back(t);
      continue;
    }
    further = true;
    const std::string fault =
        run.forged ? "the result file holds lines that the check did not write" : fault_of(run, t);
    if (!fault.empty()) {
      disturbed = ranks > 1 && !run.forged;
      task.fault = fmt::format("on {} rank{}: {}", ranks, ranks == 1 ? "" : "s", fault);
    } else if (const Record* missing = find(run.ranks[0], "not_run", t)) {
      task.not_run = missing->text;
    } else {
      task.held_on.push_back(ranks);
    }
  }
  waiting = left;
  return further;
}

}  // namespace

void run_tasks(const Request& request, const std::string& program, Grade& grade) {
  for (const std::size_t ranks : request.ranks) {
    const std::string log =
        fmt::format("{}/run-{}.log", fs::path(program).parent_path().string(), ranks);
    fs::remove(log);
    if (grade.faultless()) grade.log = log;  // the run of the first fault is told of
    std::vector<std::size_t> waiting;
    for (std::size_t t = 1; t <= grade.tasks.size(); ++t) {
      if (grade.tasks[t - 1].fault.empty()) waiting.push_back(t);
    }
    while (grade.tasks.empty() || !waiting.empty()) {
      const Launch run = launch(request, program, ranks, waiting, log);
      if (grade.tasks.empty()) {
        learn_tasks(run.ranks[0], grade);
        for (std::size_t t = 1; t <= grade.tasks.size(); ++t) waiting.push_back(t);
      }
      if (grade.tasks.empty()) {
        grade.refused = fmt::format("it ended before its first task (exit code {})", run.exit_code);
        return;
      }
      if (judge(run, ranks, waiting, grade)) continue;
      grade.tasks[waiting.front() - 1].fault =
          fmt::format("on {} rank{}: the program ended before it (exit code {})", ranks,
                      ranks == 1 ? "" : "s", run.exit_code);
      waiting.erase(waiting.begin());
    }
  }
}

}  // namespace lab
