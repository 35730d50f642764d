// The documents' exercises as commands of plan, one source for the handout and the question bank.
#include "exercises.hpp"

#include <sstream>

#include "plan_output.hpp"
#include "zerolab/report/options.hpp"

namespace zerolab {

std::map<std::string, std::string> exercise_files() {
  constexpr std::string_view heading = "## ", command = "$ ";
  std::map<std::string, std::string> files;
  std::istringstream lines{std::string(exercise_commands)};
  std::string id;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(heading)) {
      id = line.substr(heading.size(), line.find(' ', heading.size()) - heading.size());
      number = 0;
    } else {
      const std::string which = ++number == 1 ? id : fmt::format("{}-{}", id, number);
      files[fmt::format("exercise-{}.json", which)] = line.substr(command.size());
    }
  }
  return files;
}

nlohmann::json exercise_answer(const std::string& command) {
  std::istringstream text(command);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  const CommandLine line = parse_command_line(static_cast<int>(argv.size()), argv.data());
  require(line.command == "plan", "labs/exercises.md: {}: {}", command, line.text);
  return plan_output(line.plan).json;
}

}  // namespace zerolab
