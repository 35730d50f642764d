// The student's file becomes a program.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "grade.hpp"

namespace lab {

namespace fs = std::filesystem;

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
    if (!entry.is_object() || entry.value("file", "") != source) continue;
    const std::string command = entry.value("command", ""), mark = " -o ";
    const std::size_t object = command.find(mark) + mark.size();
    return {entry.value("directory", "."), command.substr(0, object - mark.size()),
            command.substr(object, command.find(" -c ", object) - object)};
  }
  throw std::runtime_error(request.build + "/compile_commands.json: no command for " + source);
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

struct Symbol {
  std::string name;
  char kind;  ///< as nm calls it
};

/// The global names in object files or archives.
std::vector<Symbol> symbols(const std::string& folder, const std::vector<std::string>& files,
                            const std::string& list) {
  std::string command = fmt::format("cd {} && nm -P -g", quoted(folder));
  for (const std::string& file : files) command += fmt::format(" {}", quoted(file));
  fs::remove(list);
  if (const int code = shell(command, list); code != 0)
    throw std::runtime_error(fmt::format("{}: exit code {}, see {}", command, code, list));
  std::vector<Symbol> all;
  std::istringstream lines(whole_file(list));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, kind;
    if (words >> name >> kind && kind.size() == 1) all.push_back({name, kind[0]});
  }
  return all;
}

bool one_of(const char* kinds, char kind) {
  return std::strchr(kinds, kind) != nullptr;
}

/// What the library and the checks define in archives: a linker takes the student's in their place.
std::set<std::string> names_of_archives(const Request& request, const std::string& list) {
  std::vector<std::string> archives;
  for (const char* folder : {"", "/labs"}) {
    for (const auto& entry : fs::directory_iterator(fs::absolute(request.build).string() + folder))
      if (entry.path().extension() == ".a") archives.push_back(entry.path().string());
  }
  std::set<std::string> names;
  for (const Symbol& symbol : symbols(".", archives, list))
    if (one_of("TDBRC", symbol.kind)) names.insert(symbol.name);
  return names;
}

/// A name that the student's object defines, or calls, and must not: one of the library or of the
/// check, or a function of C, such as MPI's and the system's, which would stand in for what the
/// check calls. Inline functions and templates, which are weak, may be of headers. Empty if there
/// is none.
std::string forbidden_symbol(const Request& request, const Compilation& how,
                             const std::string& list) {
  const auto taken = names_of_archives(request, list);
  for (const auto& [name, kind] : symbols(how.folder, {how.object}, list)) {
    const bool cpp = name.starts_with("_Z") || name.starts_with("__Z");
    const bool library = cpp && name.find("7zerolab") < 6 && one_of("TDBRCi", kind);
    const bool c_function =
        !cpp && one_of("TWi", kind) && name.find("clang_call_terminate") == std::string::npos;
    const bool called = one_of("Uwv", kind);
    if (library || c_function || (!called && taken.contains(name))) return "defines " + name;
    if (called && name.starts_with("PMPI_")) return "calls " + name;  // past the meter
  }
  return "";
}

/// What a file includes, as the compiler says; why it is refused, or empty.
std::string refused_includes(const Request& request, const Compilation& how,
                             const std::string& source, const std::string& log) {
  const std::string rule = source + ".d";
  fs::remove(rule);
  const std::string command = fmt::format("cd {} && {} -MM -MF {} {}", quoted(how.folder),
                                          how.command, quoted(rule), quoted(source));
  if (shell(command, log) != 0) return "it does not compile: " + first_error(log);
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
  const Lock lock(fs::absolute(request.build).string() + "/labs/lock");  // one build at a time
  fs::remove(program);
  grade.log = folder + "/build.log";
  fs::remove(grade.log);
  const std::string original = fs::absolute(request.file).string();
  {
    std::ofstream out(source, std::ios::binary);
    out << "#line 1 \"" << original << "\"\n" << whole_file(original);
  }
  const Compilation how = compilation(request, source);
  if (!request.trusted) grade.refused = refused_includes(request, how, source, grade.log);
  if (!grade.refused.empty()) return "";
  const fs::path object = fs::path(how.folder) / how.object;
  fs::remove(object);
  const std::string build =
      fmt::format("cmake --build {} --target lab_{}_student", quoted(request.build), request.lab);
  if (shell(build, grade.log) != 0) {
    grade.refused = "it does not compile: " + first_error(grade.log);
    const std::string ours = fmt::format("cmake --build {} --target lab_{}_check zerolab_training",
                                         quoted(request.build), request.lab);
    if (shell(ours, grade.log) != 0) {
      throw std::runtime_error(
          fmt::format("the check does not build: {}; see {}", first_error(grade.log), grade.log));
    }
    if (!fs::exists(object)) return "";  // else its names may be why it was not linked
  }
  const std::string symbol =
      request.trusted ? "" : forbidden_symbol(request, how, folder + "/symbols.txt");
  if (!symbol.empty())
    grade.refused = fmt::format("it {}, which is not for a student to do", symbol);
  return grade.refused.empty() ? program : "";
}

}  // namespace lab
