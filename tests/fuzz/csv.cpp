// CSV: the input is the file. What is accepted is read a second time here, by strtof, and must be
// the same.
#include <cmath>
#include <cstring>

#include "opened.hpp"

namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<std::string> written_lines(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string> lines = split(text, '\n');
  std::erase_if(lines, [](const std::string& line) {
    return line.find_first_not_of(" \t\r") == std::string::npos;
  });
  return lines;
}

bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::memcmp(&a, &b, sizeof a) == 0;
}

void check_row(const std::string& line, const std::vector<float>& values, std::int32_t label) {
  const std::vector<std::string> fields = split(line, ',');
  check(fields.size() == values.size() + 1, "another number of fields in: " + line);
  for (std::size_t i = 0; i < values.size(); ++i) {
    check(same(std::strtof(fields[i].c_str(), nullptr), values[i]),
          fields[i] + " read as " + std::to_string(values[i]));
  }
  check(std::strtol(fields.back().c_str(), nullptr, 10) == label, "another label in: " + line);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const MemoryFile file(text);
  const std::string name = "csv:" + file.path();
  zerolab::MemoryLedger ledger;
  {
    const auto data = opened(name, ledger);
    if (data == nullptr) return 0;
    // Two characters a field, of which four bytes are kept; the last line need not be ended.
    check(ledger.total().peak <= 2 * (size + 1), "more storage than the file justifies");
    const Rows rows = checked_rows(*data, name, sizeof(float), ledger);
    const std::vector<std::string> lines = written_lines(text);
    const std::size_t header = lines.size() - rows.labels.size();
    check(lines.size() >= rows.labels.size() && header <= 1, "lines left out, or made up");
    for (std::size_t row = 0; row < rows.labels.size(); ++row) {
      check_row(lines[header + row], rows.values[row], rows.labels[row]);
    }
  }
  check(ledger.total().now == 0, "storage is left behind");
  return 0;
}
