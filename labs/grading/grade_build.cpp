// The student's file becomes a program.
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "grade.hpp"

namespace lab {

namespace fs = std::filesystem;

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

int shell(const std::string& command, const std::string& log) {
  const int status = std::system((command + " >" + quoted(log) + " 2>&1 </dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string whole_file(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name, std::ios::binary).rdbuf();
  return text.str();
}

namespace {

/// The compiler's first error, else its last line.
std::string first_error(const std::string& log) {
  std::istringstream lines(whole_file(log));
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error:") != std::string::npos ||
        line.find("undefined reference") != std::string::npos)
      return line;
    if (!line.empty()) last = line;
  }
  return last;
}

/// The command that compiles a source, as CMake wrote it down, with more flags.
std::string compile_command(const Request& request, const std::string& source,
                            const std::string& flags) {
  const auto commands =
      nlohmann::json::parse(whole_file(request.build + "/compile_commands.json"), nullptr, false);
  for (const auto& entry : commands) {
    std::string command = entry.value("command", "");
    if (entry.value("file", "") != source) continue;
    const auto output = command.find(" -o ");
    return fmt::format("cd {} && {} {} {}", quoted(entry.value("directory", ".")),
                       command.substr(0, output), flags, quoted(source));
  }
  return "";
}

/// A file of the project that a student's must not include; empty if there is none.
std::string forbidden_include(const Request& request, const std::string& rule) {
  const fs::path project = fs::canonical(request.project);
  std::istringstream words(whole_file(rule));
  for (std::string word; words >> word;) {
    if (word == "\\" || word.back() == ':') continue;
    std::error_code none;
    const fs::path file = fs::canonical(word, none);
    const std::string inside = file.lexically_relative(project).generic_string();
    if (none || inside.starts_with("..")) continue;
    const bool code = inside.ends_with(".cpp") && !inside.ends_with("/student.cpp");
    if (code || inside.starts_with("src/")) return inside;
  }
  return "";
}

}  // namespace

std::string build_student(const Request& request, Grade& grade) {
  const std::string folder =
      fmt::format("{}/labs/{}", fs::absolute(request.build).string(), request.lab);
  const std::string source = folder + "/student.cpp", program = folder + "/student";
  fs::create_directories(folder);
  fs::remove(program);
  grade.log = folder + "/build.log";
  const std::string original = fs::absolute(request.file).string();
  const std::string target = fmt::format("lab_{}_student", request.lab);
  {
    std::ofstream out(source, std::ios::binary);
    out << "#line 1 \"" << original << "\"\n" << whole_file(original);
  }
  if (!request.trusted) {
    const std::string rule = folder + "/student.d";
    fs::remove(rule);
    const std::string command = compile_command(request, source, "-MM -MF " + quoted(rule));
    if (command.empty() || shell(command, grade.log) != 0) {
      grade.refused = "it does not compile: " + first_error(grade.log);
      return "";
    }
    if (const std::string file = forbidden_include(request, rule); !file.empty()) {
      grade.refused =
          fmt::format("it includes {}; only headers of include/ and labs/ are for you", file);
      return "";
    }
  }
  if (shell(fmt::format("cmake --build {} --target {}", quoted(request.build), target),
            grade.log) != 0) {
    grade.refused = "it does not compile: " + first_error(grade.log);
    return "";
  }
  return program;
}

}  // namespace lab
