// zerolab_grade: points for a student's file, told to people and as Gradescope's results.json.
#include "grade.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace lab {

int Grade::earned() const {
  int sum = 0;
  for (const GradedTask& task : tasks) sum += task.earned();
  return sum;
}

int Grade::points() const {
  int sum = 0;
  for (const GradedTask& task : tasks) sum += task.worth();
  return sum;
}

bool Grade::faultless() const {
  return std::all_of(tasks.begin(), tasks.end(),
                     [](const GradedTask& task) { return task.fault.empty(); });
}

namespace {

/// Text broken into lines of at most 96 columns, indented.
std::string indented(const std::string& text) {
  std::string result, line;
  const auto flush = [&] {
    result += "      " + line + "\n";
    line.clear();
  };
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > 90) flush();
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  flush();
  return result;
}

std::string comment(const GradedTask& task) {
  if (!task.fault.empty()) return task.fault;
  std::vector<std::string> parts;
  if (!task.held_on.empty()) {
    parts.push_back(fmt::format("holds on {} rank{}", fmt::join(task.held_on, ", "),
                                task.held_on.back() == 1 ? "" : "s"));
  }
  for (const std::string& why : {task.not_run, task.not_here})
    if (!why.empty()) parts.push_back("not run: " + why);
  return fmt::to_string(fmt::join(parts, "; "));
}

}  // namespace

std::string text(const Request& request, const Grade& grade) {
  std::string out;
  for (std::size_t t = 0; t < grade.tasks.size(); ++t) {
    const GradedTask& task = grade.tasks[t];
    out += fmt::format("{}  task {} (level {}): {}, {} of {} points\n{}",
                       task.full()     ? "✓"
                       : task.counts() ? "✗"
                                       : "–",
                       t + 1, task.level, task.name, task.earned(), task.worth(),
                       indented(comment(task)));
  }
  if (!grade.refused.empty()) out += indented(grade.refused);
  const bool all = grade.earned() == grade.points() && grade.points() > 0;
  if (!all && !grade.log.empty()) out += fmt::format("what was printed: {}\n", grade.log);
  out += fmt::format("lab {}: {} of {} points\n", request.lab, grade.earned(), grade.points());
  return out;
}

std::string json(const Request& request, const Grade& grade) {
  nlohmann::json results{{"score", grade.earned()},
                         {"max_score", grade.points()},
                         {"output", grade.refused.empty() ? "lab " + request.lab : grade.refused},
                         {"tests", nlohmann::json::array()}};
  for (std::size_t t = 0; t < grade.tasks.size(); ++t) {
    const GradedTask& task = grade.tasks[t];
    results["tests"].push_back({{"number", std::to_string(t + 1)},
                                {"name", task.name},
                                {"score", task.earned()},
                                {"max_score", task.worth()},
                                {"status", task.full() || !task.counts() ? "passed" : "failed"},
                                {"output", comment(task)}});
  }
  return results.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace lab

namespace {

/// Throws unless labs/simulate_network.sh has made the file.
void require_network(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": no such file");
  const auto network = nlohmann::json::parse(in, nullptr, false);
  for (const char* list : {"networks", "limit", "exercise", "scaling"}) {
    if (!network.is_object() || !network.contains(list))
      throw std::runtime_error(file + " is no network.json; labs/simulate_network.sh makes one");
  }
}

}  // namespace

int main(int argc, char** argv) {
  lab::Request request;
  std::string program;
  CLI::App app("Grades a student's file of a lab.");
  app.add_option("--lab", request.lab)->required();
  auto* source = app.add_option_group("source", "what is graded")->require_option(1);
  source->add_option("--file", request.file)->check(CLI::ExistingFile);
  source->add_option("--program", program, "already built of such a file, and trusted")
      ->check(CLI::ExistingFile);
  app.add_option("--project", request.project)->required()->check(CLI::ExistingDirectory);
  app.add_option("--build", request.build)->required()->check(CLI::ExistingDirectory);
  app.add_option("--ranks", request.ranks)->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--seconds", request.seconds)->check(CLI::PositiveNumber);
  app.add_option("--json", request.json);
  app.add_option("--network", request.network);
  app.add_flag("--trusted", request.trusted);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  lab::stop_on_signals();
  try {
    if (!request.network.empty()) require_network(request.network);
    const std::string folder = program.empty()
                                   ? request.build + "/labs/" + request.lab
                                   : std::filesystem::absolute(program).parent_path().string();
    std::filesystem::create_directories(folder);
    const lab::Lock lock(folder + "/lock");  // a program and its logs are one grading's at a time
    lab::Grade grade;
    if (program.empty()) program = lab::build_student(request, grade);
    if (!program.empty()) lab::run_tasks(request, program, grade);
    if (grade.refused.empty() && grade.points() == 0) {
      throw std::runtime_error(fmt::format("lab {} has no task for {} ranks", request.lab,
                                           fmt::join(request.ranks, ", ")));
    }
    fmt::print("{}", lab::text(request, grade));
    if (!request.json.empty()) {
      std::ofstream out(request.json);
      if (!(out << lab::json(request, grade)).flush())
        throw std::runtime_error(request.json + ": cannot be written");
    }
    return grade.refused.empty() && grade.earned() == grade.points() ? 0 : 1;
  } catch (const lab::Stopped& stopped) {
    fmt::print(stderr, "zerolab_grade: stopped by a signal; nothing is graded\n");
    return 128 + stopped.signal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "zerolab_grade: {}\n", error.what());
    return 2;
  }
}
