#include "option_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

namespace zerolab {

namespace {

/// The whole numbers between commas, one at least; none when `text` is anything else. CLI11 itself
/// would read "-1" as a huge number, "1e3" as 1 and "1,,2" as 1,2.
std::optional<std::vector<std::size_t>> whole_numbers(const std::string& text, std::size_t least,
                                                      std::size_t most) {
  std::vector<std::size_t> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::string digits = text.substr(begin, text.find(',', begin) - begin);
    if (digits.empty() || digits.size() > 15) return std::nullopt;
    if (digits.size() > 1 && digits[0] == '0') return std::nullopt;  // CLI11 would read octal
    if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    numbers.push_back(std::stoull(digits));
    if (numbers.back() < least || numbers.back() > most) return std::nullopt;
    begin += digits.size() + 1;
  }
  return numbers;
}

/// The one path of a file that is there or yet to be made.
std::filesystem::path place_of(const std::string& file) {
  constexpr int most_links = 40;  // as Linux follows
  std::error_code fault;
  // Of a file that is yet to be made only an absolute name becomes canonical, and a link to it is
  // no file.
  std::filesystem::path path = std::filesystem::absolute(file, fault);
  for (int links = 0; links < most_links && std::filesystem::is_symlink(path, fault); ++links) {
    path = path.parent_path() / std::filesystem::read_symlink(path, fault);
  }
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, fault);
  return fault ? path.lexically_normal() : whole;  // too long a name, a circle of links
}

}  // namespace

std::optional<double> parse_number(const std::string& text) {
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, fault] = std::from_chars(begin, end, value);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return value;
}

void add_number(CLI::App& app, const std::string& flag, double& field, const std::string& help,
                const std::string& words, std::function<bool(double)> allowed) {
  app.add_option_function<std::string>(
         flag, [&field](const std::string& text) { field = *parse_number(text); }, help)
      ->check(number_within(words, std::move(allowed)));
}

CLI::Validator number_within(const std::string& words, std::function<bool(double)> allowed) {
  return CLI::Validator(
      [words, allowed](std::string& text) {
        const std::optional<double> value = parse_number(text);
        if (value && allowed(*value)) return std::string();
        return fmt::format("'{}' is not {}", text, words);
      },
      words);
}

CLI::Validator count(std::size_t least, std::size_t most, bool several) {
  const std::string bounds = most == most_counted ? fmt::format("from {}", least)
                                                  : fmt::format("from {} to {}", least, most);
  const std::string words = several ? fmt::format("a list of whole numbers {}, like 1,2", bounds)
                                    : fmt::format("a whole number {}", bounds);
  return CLI::Validator(
      [=](std::string& text) {
        const auto numbers = whole_numbers(text, least, most);
        if (numbers && (several || numbers->size() == 1)) return std::string();
        return fmt::format("'{}' is not {}", text, words);
      },
      words);
}

void add_list(CLI::App& app, const std::string& flag, const std::string& help, std::size_t least,
              std::size_t most, std::function<void(const std::vector<std::size_t>&)> set) {
  app.add_option_function<std::string>(
         flag, [=](const std::string& text) { set(*whole_numbers(text, least, most)); }, help)
      ->check(count(least, most, true));
}

CLI::Validator file_name(const std::string& word) {
  return CLI::Validator(
      [](std::string& file) {
        if (file.empty()) return std::string("a file name is missing");
        return file == "-" ? std::string("'-' is no file; standard output holds the tables")
                           : std::string();
      },
      word);
}

bool same_file(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  std::error_code none;
  const bool same =
      place_of(one) == place_of(other) || std::filesystem::equivalent(one, other, none);
  return same && !std::filesystem::is_character_file(one, none);
}

void add_json(CLI::App& app, std::string& file) {
  app.add_option("--json", file, "write a summary to FILE; - for stdout and nothing else there")
      ->check(CLI::Validator(
          [](std::string& name) { return name.empty() ? "a file name is missing" : ""; }, "FILE"));
}

}  // namespace zerolab
