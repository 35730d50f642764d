// Inputs whose lines are arguments: libFuzzer's own changes are made within one line, or a line
// is replaced, left out or written again elsewhere. Changes anywhere would seldom leave an option
// whole. libFuzzer finds this by its name, so one file of a target includes it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

/// What is at the edge of one option's values or another's.
inline constexpr std::array edge_values{
    "0", "1", "4",   "-1",  "1e400", "nan",       "",
    "-", "a", "1,0", "0.5", "100%",  "/dev/null", "18446744073709551616"};

/// Inputs that were accepted. What is refused is refused at its first fault, so to change it
/// further leads nowhere, and most changes begin from one of these.
inline std::vector<std::string> accepted;
inline void keep_accepted(std::string text) {
  constexpr std::size_t most = 256;
  if (accepted.size() < most) accepted.push_back(std::move(text));
}

inline std::string mutated(std::string line) {
  const std::size_t size = line.size();
  line.resize(size + 16);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(line.data());
  line.resize(LLVMFuzzerMutate(bytes, size, line.size()));
  return line;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 8 == 0) return LLVMFuzzerMutate(bytes, size, most);
  std::string text(reinterpret_cast<const char*>(bytes), size);
  if (!accepted.empty()) text = accepted[random() % accepted.size()];
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  const auto at = lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size());
  switch (random() % 6) {
    case 0:
    case 1:
    case 2:
      *at = edge_values[random() % edge_values.size()];
      break;
    case 3:
      *at = mutated(*at);
      break;
    case 4:
      lines.erase(at);
      break;
    default:
      lines.insert(at, std::string(lines[random() % lines.size()]));
  }
  text.clear();
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  text.resize(std::min(text.size(), most));
  std::ranges::copy(text, bytes);
  return text.size();
}
