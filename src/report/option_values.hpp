#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "zerolab/report/options.hpp"

// Values of options, read and refused the same way by all subcommands.

namespace zerolab {

inline const std::map<std::string, NumberType> precisions{
    {"fp16", NumberType::fp16}, {"bf16", NumberType::bf16}, {"fp32", NumberType::fp32}};
inline const std::map<std::string, OptimizerKind> optimizers{
    {"adam", OptimizerKind::adam}, {"adamw", OptimizerKind::adamw}, {"sgd", OptimizerKind::sgd}};

/// A choice by name; the words are listed in help and in the refusal.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& flag,
                        const std::map<std::string, Value>& words, const std::string& initial,
                        const std::string& help, std::function<void(Value)> set) {
  std::set<std::string> allowed;
  for (const auto& [word, value] : words) allowed.insert(word);
  return app
      .add_option_function<std::string>(
          flag, [&words, set](const std::string& word) { set(words.at(word)); },
          initial.empty() ? help : help + " [" + initial + "]")
      ->check(CLI::IsMember(allowed));
}

/// The whole text as a number, rounded once to a double. CLI11 itself goes through long double,
/// which rounds twice on some machines and once on others.
std::optional<double> parse_number(const std::string& text);

/// One number within bounds, which `words` tell.
CLI::Validator number_within(const std::string& words, std::function<bool(double)> allowed);

/// An option whose value is a number within bounds.
void add_number(CLI::App& app, const std::string& flag, double& field, const std::string& help,
                const std::string& words, std::function<bool(double)> allowed);

inline constexpr std::size_t most_counted = 999'999'999'999'999;

/// One whole number within bounds, or with `several` a list of them.
CLI::Validator count(std::size_t least, std::size_t most = most_counted, bool several = false);

/// An option whose value is a list of whole numbers.
void add_list(CLI::App& app, const std::string& flag, const std::string& help, std::size_t least,
              std::size_t most, std::function<void(const std::vector<std::size_t>&)> set);

/// A file to read or write; "-" is refused, since standard output holds the tables.
CLI::Validator file_name(const std::string& word = "FILE");

/// Whether two names lead to one file, by whatever path, also to one that is yet to be made. An
/// empty name is of no file, and a device such as /dev/null is taken for none: it may be written to
/// twice.
bool same_file(const std::string& one, const std::string& other);

/// --json FILE, or - for stdout.
void add_json(CLI::App& app, std::string& file);

// Subcommands with files of their own.
void add_ask_command(CLI::App& app, AskOptions& options);
void add_checkpoint_command(CLI::App& app, CheckpointOptions& options);
void add_plan_command(CLI::App& app, PlanOptions& options);
void add_report_command(CLI::App& app, ReportOptions& options);

}  // namespace zerolab
