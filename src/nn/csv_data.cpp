// CSV as spreadsheets, Python and R write it: commas, the label last, one optional header line.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>
#include <type_traits>

#include "data_sources.hpp"

namespace zerolab {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// A number outside fp32 is an infinity or zero: the power of ten of its leading digit decides.
float out_of_range(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::size_t digit = text.find_first_of("123456789"), point = std::min(text.find('.'), e);
  double power = 0;
  const char* const start = text.data() + std::min(text.find_first_not_of("eE+", e), text.size());
  if (std::from_chars(start, text.data() + text.size(), power).ec ==
      std::errc::result_out_of_range) {  // hundreds of digits, which no mantissa makes up for
    power = *start == '-' ? -1e300 : 1e300;
  }
  power += static_cast<double>(point) - static_cast<double>(digit);
  const float size = power > 0 ? std::numeric_limits<float>::infinity() : 0.0F;
  return text.starts_with('-') ? -size : size;
}

/// The whole text as a number, whatever the locale; empty when it is none.
template <class T>
std::optional<T> number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (stop != end || fault == std::errc::invalid_argument) return std::nullopt;
  if (fault != std::errc::result_out_of_range) return value;
  if constexpr (std::is_same_v<T, float>) return out_of_range(text);
  return std::nullopt;
}

/// A field as a message can show it.
std::string shown(std::string_view field) {
  std::string text(field.substr(0, 24));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return field.size() > text.size() ? text + "..." : text;
}

class CsvReader {
 public:
  CsvReader(std::streambuf& text, const std::string& name) : text_(text), name_(name) {
    text_.pubseekpos(0, std::ios_base::in);
  }

  /// Reads one row into `values` and `label`; false after the last one.
  bool next() {
    if (!next_line() || (number_ == 1 && is_header() && !next_line())) return false;
    if (!trimmed(line_).empty()) return parse_row();
    const std::size_t blank = number_;
    while (next_line()) {
      if (!trimmed(line_).empty()) fail("a row after line {}, which is blank", blank);
    }
    return false;
  }

  std::vector<float> values;
  std::int32_t label = 0;

 private:
  bool next_line();
  bool is_header();
  bool parse_row();
  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    const bool semicolons = line_.find(';') != std::string::npos;
    throw Error(fmt::format("{} line {}: {}{}", name_, number_,
                            fmt::format(text, std::forward<Arguments>(arguments)...),
                            semicolons ? " (separated by semicolons? It must be commas)" : ""));
  }

  std::streambuf& text_;
  const std::string& name_;
  std::string line_;
  std::size_t number_ = 0;   // of the line, from 1
  std::size_t columns_ = 0;  // as in the first line
};

bool CsvReader::next_line() {
  constexpr int end = std::char_traits<char>::eof();
  line_.clear();
  ++number_;
  int c = text_.sbumpc();
  if (c == end) return false;
  for (; c != end && c != '\n'; c = text_.sbumpc()) {
    if (c == 0) fail("holds a zero byte: compressed? binary? UTF-16?");
    line_.push_back(static_cast<char>(c));
  }
  while (line_.ends_with('\r')) line_.pop_back();
  if (number_ == 1 && line_.starts_with("\x1f\x8b")) fail("gzip, not text: compressed? gunzip it");
  if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);  // byte-order mark
  return true;
}

/// True when the first line, which this looks at, names the columns: it has no number in it.
bool CsvReader::is_header() {
  const std::vector<std::string_view> fields = split_at_commas(line_);
  columns_ = fields.size();
  const bool text = line_.find_first_not_of(" \t,") != std::string::npos;
  return text && std::ranges::none_of(
                     fields, [](auto field) { return number<float>(trimmed(field)).has_value(); });
}

bool CsvReader::parse_row() {
  if (line_.find('"') != std::string::npos) fail("quotes around data");
  if (line_.find('\r') != std::string::npos) fail("a carriage return inside the line");
  const std::vector<std::string_view> fields = split_at_commas(line_);
  if (fields.size() != columns_) {
    fail("{} fields, but the first line has {}", fields.size(), columns_);
  }
  if (columns_ < 2) fail("one column only; a row is features and a label, separated by commas");
  values.clear();
  for (std::size_t column = 0; column < columns_; ++column) {
    const std::string_view field = trimmed(fields[column]);
    if (field.empty()) fail("field {} is empty", column + 1);
    if (column + 1 < columns_) {
      const std::optional<float> value = number<float>(field);
      if (!value) fail("field {} is '{}', which is no number", column + 1, shown(field));
      values.push_back(*value);
    } else {
      label = number<std::int32_t>(field).value_or(-1);
      if (label < 0 || label > largest_label) {
        fail("the label is '{}', not a whole number from 0 to {}", shown(field), largest_label);
      }
    }
  }
  return true;
}

Table read_twice(std::streambuf& text, const std::string& name, MemoryLedger& ledger) {
  Table table;
  std::int32_t largest = 1;
  CsvReader count(text, name);
  for (; count.next(); ++table.rows) largest = std::max(largest, count.label);
  require(table.rows > 0, "{}: no samples in it", name);
  table.features = count.values.size();
  table.classes = static_cast<std::size_t>(largest) + 1;
  table.values = Buffer(ledger, Category::data, NumberType::fp32, table.rows * table.features);
  table.labels = Buffer(ledger, Category::data, NumberType::int32, table.rows);

  std::size_t row = 0;
  for (CsvReader fill(text, name); fill.next(); ++row) {
    require(row < table.rows && fill.values.size() == table.features && fill.label <= largest,
            "{}: changed while it was read", name);
    const auto to = table.values.as<float>().subspan(row * table.features);
    std::ranges::copy(fill.values, to.begin());
    table.labels.as<std::int32_t>()[row] = fill.label;
  }
  require(row == table.rows, "{}: changed while it was read", name);
  return table;
}

}  // namespace

Table read_csv(const std::string& path, MemoryLedger& ledger) try {
  require_readable(path);
  std::filebuf file;
  require(file.open(path, std::ios_base::in | std::ios_base::binary), "{}: cannot be opened", path);
  return read_twice(file, path, ledger);
} catch (const std::ios_base::failure& fault) {
  throw Error(fmt::format("{}: cannot be read: {}", path, fault.what()));
}

Table read_csv_text(std::string_view text, const std::string& name, MemoryLedger& ledger) {
  std::stringbuf buffer{std::string(text)};
  return read_twice(buffer, name, ledger);
}

}  // namespace zerolab
