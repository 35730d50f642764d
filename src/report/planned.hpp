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

/// What plan wrote for an exercise: exercise-ID, and exercise-ID-2 and so on when it was asked more
/// than once; without ending.
inline std::vector<std::string> answers(const Folder& folder, const std::string& id) {
  std::vector<std::string> files;
  for (std::size_t i = 1;; ++i) {
    std::string file = fmt::format("exercise-{}{}", id, i == 1 ? "" : fmt::format("-{}", i));
    if (!folder.has(file + ".json")) return files;
    files.push_back(std::move(file));
  }
}

/// Where an answer has this key for this stage: stages[i].
inline std::optional<Source> of_stage_in(const Folder& folder, const std::string& file, int stage,
                                         const char* key) {
  const Selection stages(folder.results, {file, "stages[*]"});
  for (std::size_t i = 0; i < stages.fields().size(); ++i) {
    const JsonField& field = stages.fields()[i];
    if (field.has(key) && field["stage"].signed_whole() == stage) {
      return Source{file, fmt::format("stages[{}]", i)};
    }
  }
  return std::nullopt;
}

/// The same in the first answer that has it.
inline std::optional<Source> of_stage(const Folder& folder, const std::string& id, int stage,
                                      const char* key) {
  for (const std::string& answer : answers(folder, id)) {
    if (auto found = of_stage_in(folder, answer + ".json", stage, key)) return found;
  }
  return std::nullopt;
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

/// The fraction that plan wrote is exactly a/b.
inline bool is_fraction(const JsonField& fraction, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t numerator = fraction["numerator"].whole(),
                      denominator = fraction["denominator"].whole();
  return numerator == a && denominator == b;
}

/// A fraction as a number: of its own parts, so that what is shown is what is judged.
inline double decimal_of(const JsonField& fraction) {
  return static_cast<double>(fraction["numerator"].whole()) /
         static_cast<double>(fraction["denominator"].whole());
}

/// A fraction that plan gives for a stage; shown as no ceiling where it is null.
inline void put_fraction(Evidence& evidence, const Folder& folder, const std::string& id, int stage,
                         const char* key, std::uint64_t numerator, std::uint64_t denominator) {
  const auto found = of_stage(folder, id, stage, key);
  if (!found) return;
  const Selection selection = at(folder, *found, key);
  const JsonField& fraction = selection.field();
  const bool none = fraction.is_null();
  evidence.values.push_back(
      {fmt::format("stage {}", stage),
       none ? "none" : exact_ratio(fraction["numerator"].whole(), fraction["denominator"].whole()),
       none ? numerator == 0 : is_fraction(fraction, numerator, denominator)});
  evidence.sources.push_back(selection.source());
}

inline std::string no_plan(const char* id) {
  return fmt::format("what zerolab plan says (exercise-{}.json)", id);
}

inline constexpr std::uint64_t billion = 1'000'000'000, seven_billion = 7 * billion;

}  // namespace zerolab::findings
