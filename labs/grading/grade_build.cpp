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

/// How CMake compiles the student's file.
struct Compilation {
  std::string folder, command, object;  ///< command: up to the name of the object
};

Compilation compilation(const Request& request, const std::string& source) {
  const auto commands =
      nlohmann::json::parse(whole_file(request.build + "/compile_commands.json"), nullptr, false);
  for (const auto& entry : commands) {
    if (entry.value("file", "") != source) continue;
    const std::string command = entry.value("command", ""), mark = " -o ";
    const std::size_t object = command.find(mark) + mark.size();
    return {entry.value("directory", "."), command.substr(0, object - mark.size()),
            command.substr(object, command.find(" -c ", object) - object)};
  }
  return {};
}

/// The names in a rule for make, whose blanks are escaped.
std::vector<std::string> names_in(const std::string& rule) {
  std::vector<std::string> names(1);
  for (std::size_t i = 0; i < rule.size(); ++i) {
    if (rule[i] == '\\' && i + 1 < rule.size() && rule[i + 1] != '\n') {
      names.back() += rule[++i];
    } else if (rule[i] == ' ' || rule[i] == '\n' || rule[i] == '\\') {
      names.emplace_back();
    } else {
      names.back() += rule[i];
    }
  }
  return names;
}

/// A file of the project that a student's must not include; empty if there is none.
std::string forbidden_include(const Request& request, const std::string& rule) {
  const fs::path project = fs::canonical(request.project);
  for (const std::string& name : names_in(whole_file(rule))) {
    std::error_code none;
    const fs::path file = fs::canonical(name, none);
    const std::string inside = none ? ".." : file.lexically_relative(project).generic_string();
    if (inside.starts_with("..")) continue;
    // Of the labs: what is handed to students, not what the checks are made of.
    const std::string name_alone = file.filename().generic_string();
    const bool ours = inside.starts_with("labs/") && name_alone != "lab.hpp" &&
                      name_alone != "student.hpp" && name_alone != "student_stage.hpp";
    const bool code = name_alone.ends_with(".cpp") && name_alone != "student.cpp";
    if (code || ours || inside.starts_with("src/")) return inside;
  }
  return "";
}

/// A name that the student's object defines, or calls, and must not: one of the library, or a
/// function of C, such as MPI's and the system's, which would stand in for what the check calls.
/// Empty if there is none.
std::string forbidden_symbol(const Compilation& how, const std::string& list) {
  if (shell(fmt::format("cd {} && nm -P -g {} ", quoted(how.folder), how.object), list) != 0)
    return "";
  std::istringstream lines(whole_file(list));
  for (std::string name, kind, rest; lines >> name >> kind && std::getline(lines, rest);) {
    const bool cpp = name.starts_with("_Z") || name.starts_with("__Z");
    const bool function = kind == "T", data = kind.find_first_of("DBRC") != std::string::npos;
    const bool library = cpp && name.find("7zerolab") < 6;
    if ((library && (function || data)) || (!cpp && function)) return "defines " + name;
    if (kind == "U" && name.starts_with("PMPI_")) return "calls " + name;  // past the meter
  }
  return "";
}

}  // namespace

namespace {

/// What a file includes, as the compiler says; why it is refused, or empty.
std::string refused_includes(const Request& request, const Compilation& how,
                             const std::string& source, const std::string& log) {
  const std::string rule = source + ".d";
  fs::remove(rule);
  const std::string command = fmt::format("cd {} && {} -MM -MF {} {}", quoted(how.folder),
                                          how.command, quoted(rule), quoted(source));
  if (how.command.empty() || shell(command, log) != 0)
    return "it does not compile: " + first_error(log);
  const std::string file = forbidden_include(request, rule);
  if (file.empty()) return "";
  return fmt::format("it includes {}; only include/, lab.hpp and the student headers are for you",
                     file);
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
  {
    std::ofstream out(source, std::ios::binary);
    out << "#line 1 \"" << original << "\"\n" << whole_file(original);
  }
  const Compilation how = compilation(request, source);
  if (!request.trusted) grade.refused = refused_includes(request, how, source, grade.log);
  if (!grade.refused.empty()) return "";
  const std::string build =
      fmt::format("cmake --build {} --target lab_{}_student", quoted(request.build), request.lab);
  if (shell(build, grade.log) != 0) {
    grade.refused = "it does not compile: " + first_error(grade.log);
    return "";
  }
  const std::string symbol = request.trusted ? "" : forbidden_symbol(how, folder + "/symbols.txt");
  if (!symbol.empty()) {
    grade.refused = fmt::format("it {}, which is not for a student to do", symbol);
    return "";
  }
  return program;
}

}  // namespace lab
