#include "zerolab/report/checkpoint_folder.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>

#include "zerolab/core/require.hpp"
#include "zerolab/report/checkpoint.hpp"

namespace zerolab {

namespace {

std::string file_name_of(std::size_t step) {
  return fmt::format("step-{:010}{}", step, checkpoint_end);
}

/// The step in a file's name; none for names that no step has.
std::optional<std::size_t> step_of(std::string_view file) {
  std::size_t step = 0;
  const std::string_view number = file.substr(std::min(file.size(), file_name_of(0).find('0')));
  std::from_chars(number.data(), number.data() + number.size(), step);
  if (file != file_name_of(step)) return std::nullopt;
  return step;
}

}  // namespace

std::string checkpoint_file(const std::string& folder, std::size_t step) {
  return std::filesystem::path(folder) / file_name_of(step);
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
  std::error_code none, fault;
  const bool exists = std::filesystem::exists(name, fault);
  require(!fault, "{}: {}", name, fault.message());
  require(exists, "{}: no such file or folder", name);
  if (!std::filesystem::is_directory(name, none)) return name;
  const CheckpointFolder folder = look_into(name);
  ignored = folder.partial;
  require(!folder.complete.empty(), "{}: holds no complete checkpoint{}", name,
          ignored.empty() ? "" : fmt::format("; {} was not completed", ignored.front()));
  return folder.complete.rbegin()->second;
}

}  // namespace zerolab
