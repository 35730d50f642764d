// A data set that a fuzzed file makes, and what holds for every one.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "data_sources.hpp"
#include "memory_file.hpp"

/// Rows as they lie in the file, whatever split they went to.
struct Rows {
  std::vector<std::vector<float>> values;
  std::vector<std::int32_t> labels;
};

/// Opens `name`, or returns nothing where that is refused as it should be: with an Error of one
/// printable line, and before any storage was made. Everything else that is thrown is a find.
inline std::unique_ptr<zerolab::Dataset> opened(const std::string& name,
                                                zerolab::MemoryLedger& ledger) {
  try {
    return zerolab::open_dataset(name, 1, ledger);
  } catch (const zerolab::Error& refusal) {
    const std::string words = refusal.what();
    const bool printable = std::ranges::all_of(words, [](char c) { return c >= ' ' && c <= '~'; });
    check(printable && words.find("/proc/self/fd/") != std::string::npos, "refused by: " + words);
    check(ledger.total().peak == 0, "storage was made before the fault was found");
    return nullptr;
  }
}

inline Rows rows_of(const zerolab::Dataset& data) {
  using zerolab::Split;
  const std::size_t train = data.samples(Split::train), test = data.samples(Split::test);
  Rows rows;
  std::size_t seen[2] = {0, 0};
  for (std::size_t row = 0; row < train + test; ++row) {
    const bool for_test = row % zerolab::test_every == zerolab::test_every - 1;
    const Split split = for_test ? Split::test : Split::train;
    const std::size_t index = seen[for_test ? 1 : 0]++;
    data.read(split, index, rows.values.emplace_back(data.features()));
    rows.labels.push_back(data.label(split, index));
  }
  check(seen[0] == train && seen[1] == test, "a row in the wrong split");
  return rows;
}

/// All that holds without knowing the file: labels in range, sizes that agree, the same data when
/// it is read again, and as much storage as values of `width` bytes and labels take.
inline Rows checked_rows(const zerolab::Dataset& data, const std::string& name, std::size_t width,
                         const zerolab::MemoryLedger& ledger) {
  Rows rows = rows_of(data);
  check(!rows.labels.empty() && data.features() > 0, "an empty data set");
  const auto [least, largest] = std::ranges::minmax(rows.labels);
  check(least >= 0 && largest <= zerolab::largest_label, "a label out of range");
  check(data.classes() == std::max<std::size_t>(2, static_cast<std::size_t>(largest) + 1),
        "not as many classes as the largest label says");
  const std::size_t bytes = rows.labels.size() * (data.features() * width + sizeof(std::int32_t));
  check(data.bytes() == bytes, "the data set's own size");
  check(ledger.total().now == bytes && ledger.total().peak == bytes, "the ledger's size");
  zerolab::MemoryLedger again;
  const auto twin = zerolab::open_dataset(name, 1, again);
  check(twin->checksum() == data.checksum(), "read twice, the data differ");
  return rows;
}
