#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace zerolab {

/// Lines of the handout labs/exercises.md: "## 5.2 Heading", "$ zerolab plan time ...".
extern const std::string_view exercise_commands;

/// Those commands by the file that run_labs.sh leaves of them: exercise-5.2.json, and
/// exercise-5.2-2.json for the second below a heading.
std::map<std::string, std::string> exercise_files();

/// What plan --json says to such a command.
nlohmann::json exercise_answer(const std::string& command);

}  // namespace zerolab
