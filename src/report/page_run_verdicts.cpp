// verdicts.jsonl, which an interrupted run leaves with a line cut off.
#include <filesystem>
#include <sstream>

#include "page_sections.hpp"

namespace zerolab {

namespace {

RunVerdict run_verdict(const Folder& folder, const std::string& name, std::size_t number,
                       const nlohmann::json& value) {
  const JsonField line(name, value);
  RunVerdict run{line["name"].text(), line["log"].text(), line["holds"].truth(),
                 line["seconds"].number(), number};
  require(run.seconds >= 0, "{}: seconds is {:g}, and not a number from 0", name, run.seconds);
  // Logs lie in the folder; what lies elsewhere is not looked at.
  const std::filesystem::path log = std::filesystem::path(folder.results.folder()) / run.log;
  std::error_code none;
  if (run.log.find('/') != std::string::npos || !std::filesystem::is_regular_file(log, none)) {
    run.log.clear();
  }
  return run;
}

}  // namespace

RunVerdicts run_verdicts(const Folder& folder) {
  RunVerdicts runs;
  const std::string file = verdicts_file;
  std::vector<std::string> lines;
  std::istringstream all(folder.results.text(file).value_or(""));
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  const auto blank = [](const std::string& line) {
    return line.find_first_not_of(" \t\r") == std::string::npos;
  };
  std::size_t last = lines.size();
  while (last > 0 && blank(lines[last - 1])) --last;
  for (std::size_t number = 1; number <= lines.size(); ++number) {
    const std::string& line = lines[number - 1];
    const std::string name = fmt::format("{}/{}, line {}", folder.results.folder(), file, number);
    const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
    if (blank(line)) {
      runs.skipped.push_back(fmt::format("line {} is blank", number));
    } else if (value.is_discarded() && number == last) {
      runs.skipped.push_back(fmt::format("line {}, the last, is cut off", number));
    } else {
      require(!value.is_discarded(), "{}, is not JSON", name);
      runs.runs.push_back(run_verdict(folder, name, number, value));
    }
  }
  return runs;
}

}  // namespace zerolab
