#pragma once

#include "findings.hpp"

// Where an exercise's plan has what a finding asks for.

namespace zerolab::findings {

inline constexpr double giga = 1e9;

inline std::string gigabytes(double bytes) {
  return fmt::format("{:.6g} GB", bytes / giga);
}
inline std::string gigabytes(std::uint64_t bytes) {
  return gigabytes(static_cast<double>(bytes));
}

/// What plan wrote for an exercise: one file, or one for each question asked.
inline std::vector<std::string> files_of(const Folder& folder, const std::string& id) {
  std::vector<std::string> files;
  for (const char* ending : {"", "-memory", "-traffic", "-time", "-fit"}) {
    std::string file = fmt::format("exercise-{}{}.json", id, ending);
    if (folder.has(file)) files.push_back(std::move(file));
  }
  return files;
}

/// Where in an exercise's files the list `path` has the entry of a stage that `fits`.
template <class Fits>
std::optional<Source> entry(const Folder& folder, const std::string& id, const std::string& list,
                            Fits fits) {
  for (const std::string& file : files_of(folder, id)) {
    // plan's answers have different lists, by what was asked.
    if (!JsonField(file, *folder.results.json(file)).has(list.substr(0, list.find('[')))) continue;
    const Selection entries(folder.results, {file, list + "[*]"});
    for (std::size_t i = 0; i < entries.fields().size(); ++i) {
      if (fits(entries.fields()[i])) return Source{file, fmt::format("{}[{}]", list, i)};
    }
  }
  return std::nullopt;
}

inline std::optional<Source> of_stage(const Folder& folder, const std::string& id, int stage,
                                      const char* key) {
  return entry(folder, id, "stages", [&](const JsonField& field) {
    return field.has(key) && field["stage"].signed_whole() == stage;
  });
}

inline Selection at(const Folder& folder, const Source& entry, const std::string& key) {
  return {folder.results, {entry.file, fmt::format("{}.{}", entry.path, key)}};
}

inline Evidence calculated(std::string what) {
  return {"calculated", std::move(what), {}, {}};
}

/// One number of bytes that plan gives for a stage.
inline void put_bytes(Evidence& evidence, const Folder& folder, const std::string& id, int stage,
                      const char* key, const std::string& words, std::uint64_t right) {
  const auto found = of_stage(folder, id, stage, key);
  if (!found) return;
  const Selection bytes = at(folder, *found, key);
  evidence.values.push_back(
      {fmt::format("stage {}{}", stage, words), gigabytes(bytes.whole()), bytes.whole() == right});
  evidence.sources.push_back(bytes.source());
}

inline std::string no_plan(const char* id) {
  return fmt::format("exercise-{}.json (zerolab plan) is not in the folder", id);
}

inline constexpr std::uint64_t billion = 1'000'000'000, seven_billion = 7 * billion;

}  // namespace zerolab::findings
