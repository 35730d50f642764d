#include "zerolab/report/checkpoint_folder.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>

#include "zerolab/core/require.hpp"
#include "zerolab/report/checkpoint.hpp"

namespace zerolab {

namespace {

constexpr std::string_view file_start = "step-", file_end = ".zerolab";

/// The step in a file's name; none for other names.
std::optional<std::size_t> step_of(std::string_view file) {
  if (!file.starts_with(file_start) || !file.ends_with(file_end)) return std::nullopt;
  file.remove_prefix(file_start.size());
  file.remove_suffix(file_end.size());
  std::size_t step = 0;
  const auto [stop, fault] = std::from_chars(file.data(), file.data() + file.size(), step);
  if (fault != std::errc() || stop != file.data() + file.size()) return std::nullopt;
  return step;
}

}  // namespace

std::string checkpoint_file(const std::string& folder, std::size_t step) {
  return std::filesystem::path(folder) / fmt::format("{}{:010}{}", file_start, step, file_end);
}

CheckpointFolder look_into(const std::string& folder) {
  CheckpointFolder found;
  std::error_code fault;
  for (std::filesystem::directory_iterator at(folder, fault), end; !fault && at != end;
       at.increment(fault)) {
    const std::string name = at->path().filename().string();
    if (const auto step = step_of(name)) found.complete[*step] = at->path().string();
    const std::string whole =
        name.substr(0, name.size() - std::min(name.size(), partial("").size()));
    if (step_of(whole) && name == partial(whole)) found.partial.push_back(at->path().string());
  }
  require(!fault, "{}: cannot be read: {}", folder, fault.message());
  return found;
}

std::string newest_checkpoint(const std::string& name, std::vector<std::string>& ignored) {
  std::error_code none;
  require(std::filesystem::exists(name, none), "{}: no such file or folder", name);
  if (!std::filesystem::is_directory(name, none)) return name;
  const CheckpointFolder folder = look_into(name);
  ignored = folder.partial;
  require(!folder.complete.empty(), "{}: holds no complete checkpoint{}", name,
          ignored.empty() ? "" : fmt::format("; {} was not completed", ignored.front()));
  return folder.complete.rbegin()->second;
}

}  // namespace zerolab
