#include "zerolab/report/results.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "parsed_json.hpp"

namespace zerolab {

namespace {

nlohmann::json parse(const std::string& text, const std::string& file) {
  nlohmann::json value = parsed_json(text, file);
  require(!value.is_discarded(), "{} is not JSON", file);
  return value;
}

}  // namespace

Results::Results(std::string folder) : folder_(std::move(folder)) {
  std::error_code none;
  require(std::filesystem::is_directory(*folder_, none),
          "{}: no such folder; ./run_labs.sh measures and writes it", *folder_);
}

std::optional<std::string> Results::text(const std::string& file) const {
  if (!folder_) return std::nullopt;
  const std::filesystem::path path = std::filesystem::path(*folder_) / file;
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return std::nullopt;
  require(std::filesystem::is_regular_file(path, none), "{} is no file", path.string());
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  // An empty file sets failbit here, which is no fault.
  if (in && in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  require(in.is_open() && !in.bad() && !text.bad(), "{} cannot be read", path.string());
  return text.str();
}

void Results::put(const std::string& file, const nlohmann::json& content) {
  parsed_[file] = parse(content.dump(), file);
}

const nlohmann::json* Results::json(const std::string& file) {
  asked_.insert(file);
  if (measurable_.erase(file) > 0) {
    if (nlohmann::json measured = measure_(file); !measured.is_null()) put(file, measured);
  }
  if (const auto known = parsed_.find(file); known != parsed_.end()) return &known->second;
  const auto all = text(file);
  if (!all) return nullptr;
  return &parsed_.emplace(file, parse(*all, folder() + "/" + file)).first->second;
}

std::vector<nlohmann::json> Results::lines(const std::string& file) const {
  std::vector<nlohmann::json> values;
  std::istringstream all(text(file).value_or(""));
  for (std::string line; std::getline(all, line);) {
    values.push_back(
        parse(line, fmt::format("{}/{}, line {},", folder(), file, values.size() + 1)));
  }
  return values;
}

std::vector<std::size_t> Results::verified_ranks() const {
  std::set<std::string> names = measurable_;
  for (const auto& [name, content] : parsed_) names.insert(name);
  if (folder_) {
    for (const auto& entry : std::filesystem::directory_iterator(*folder_)) {
      names.insert(entry.path().filename().string());
    }
  }
  std::vector<std::size_t> ranks;
  for (const std::string& name : names) {
    const std::string start = "verify-", end = ".json";
    if (!name.starts_with(start) || !name.ends_with(end)) continue;
    const std::string n = name.substr(start.size(), name.size() - start.size() - end.size());
    const bool number = !n.empty() && n.size() < 8 && n[0] != '0' &&
                        n.find_first_not_of("0123456789") == std::string::npos;
    if (number) ranks.push_back(std::stoull(n));
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace zerolab
