// A pair of IDX files against what the format says of them, worked out here a second time.
#pragma once

#include <cmath>

#include "opened.hpp"

/// As many bytes of the input as its first two say are the images, the rest is the labels.
struct Pair {
  std::string_view images, labels;

  explicit Pair(std::string_view input) {
    const std::size_t asked = input.size() < 2
                                  ? 0
                                  : std::size_t{static_cast<std::uint8_t>(input[0])} * 256 +
                                        static_cast<std::uint8_t>(input[1]);
    input.remove_prefix(std::min<std::size_t>(input.size(), 2));
    images = input.substr(0, asked);
    labels = input.substr(images.size());
  }
};

inline std::uint64_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (const char byte : bytes.substr(at, 4))
    number = number * 256 + static_cast<std::uint8_t>(byte);
  return number;
}

/// Whether a pair that has these contents is to be accepted.
inline bool well_formed(std::string_view images, std::string_view labels) {
  if (images.size() < 16 || labels.size() < 8) return false;
  if (big_endian(images, 0) != 2051 || big_endian(labels, 0) != 2049) return false;
  const std::uint64_t items = big_endian(images, 4), rows = big_endian(images, 8),
                      columns = big_endian(images, 12);
  if (items == 0 || rows == 0 || columns == 0 || rows > 65535 || columns > 65535) return false;
  return big_endian(labels, 4) == items && labels.size() - 8 == items &&
         (images.size() - 16) / rows / columns == items &&
         (images.size() - 16) % (rows * columns) == 0;
}

/// Reads two files that hold `images` and `labels` in some way.
inline void check_pair(const MemoryFile& image_file, const MemoryFile& label_file,
                       std::string_view images, std::string_view labels, bool intact) {
  const std::string name = "idx:" + image_file.path() + "," + label_file.path();
  const bool good = intact && well_formed(images, labels);
  zerolab::MemoryLedger ledger;
  {
    const auto data = opened(name, ledger);
    check((data != nullptr) == good, good ? "a good pair is refused" : "a bad pair is accepted");
    if (!good) return;
    check(ledger.total().peak <= images.size() + 4 * labels.size(),
          "more storage than the files justify");
    const Rows rows = checked_rows(*data, name, 1, ledger);
    check(rows.labels.size() == labels.size() - 8, "another number of rows");
    std::size_t at = 16;
    for (std::size_t row = 0; row < rows.labels.size(); ++row) {
      check(rows.labels[row] == static_cast<std::uint8_t>(labels[8 + row]), "another label");
      for (const float value : rows.values[row]) {
        check(value == static_cast<float>(static_cast<std::uint8_t>(images[at++])),
              "another pixel");
      }
    }
  }
  check(ledger.total().now == 0, "storage is left behind");
}
