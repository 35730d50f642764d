// What `--data` means.
#include "zerolab/nn/dataset.hpp"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "data_sources.hpp"
#include "digits.hpp"

namespace zerolab {

namespace {

// Keeps the index of any synthetic value, test samples included, within 64 bits.
constexpr std::uint64_t most_synthetic_values = std::uint64_t{1} << 62U;

constexpr std::string_view allowed =
    "digits | fashion-mnist | synthetic[:SAMPLES,FEATURES,CLASSES] | csv:FILE | idx:IMAGES,LABELS";

[[noreturn]] void refuse(const std::string& text, std::string_view fault) {
  throw Error(fmt::format("--data {}: {}; allowed are {}", text, fault, allowed));
}

SyntheticShape parse_shape(const std::string& text, std::string_view numbers_text) {
  const std::vector<std::string_view> fields = split_at_commas(numbers_text);
  if (fields.size() != 3) refuse(text, fmt::format("{} numbers instead of 3", fields.size()));
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t i = 0; i < 3; ++i) {
    const char* const end = fields[i].data() + fields[i].size();
    const auto [stop, fault] = std::from_chars(fields[i].data(), end, numbers[i]);
    if (fault != std::errc() || stop != end || numbers[i] == 0) {
      refuse(text, fmt::format("'{}' is no whole number from 1 to 2^64 - 1", fields[i]));
    }
  }
  const auto [samples, features, classes] = numbers;
  if (classes < 2 || classes > largest_label + 1) {
    refuse(text,
           fmt::format("{} classes, but 2 to {} can be told apart", classes, largest_label + 1));
  }
  if (samples > most_synthetic_values / features) {
    refuse(text, fmt::format("{} x {} values are more than 2^62", samples, features));
  }
  return {samples, features, classes};
}

}  // namespace

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> fields;
  bool quoted = false;
  std::size_t first = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    quoted ^= text[i] == '"';
    if (text[i] != ',' || quoted) continue;
    fields.push_back(text.substr(first, i - first));
    first = i + 1;
  }
  fields.push_back(text.substr(first));
  return fields;
}

DataName parse_data_name(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string source = text.substr(0, colon);
  const bool alone = colon == std::string::npos;
  const std::string rest = alone ? "" : text.substr(colon + 1);
  DataName name;
  if (source == "digits" || source == "fashion-mnist") {
    if (!alone) refuse(text, "nothing may follow " + source);
    if (source == "fashion-mnist") name.source = DataName::Source::fashion_mnist;
  } else if (source == "synthetic") {
    name.source = DataName::Source::synthetic;
    if (!alone) name.shape = parse_shape(text, rest);
  } else if (source == "csv") {
    name.source = DataName::Source::csv;
    name.file = rest;
    if (rest.empty()) refuse(text, "the file name is missing");
  } else if (source == "idx") {
    const std::vector<std::string_view> files = split_at_commas(rest);
    const bool missing = files.front().empty() || files.back().empty();
    if (files.size() != 2 || missing) refuse(text, "two file names are needed, IMAGES,LABELS");
    name = {DataName::Source::idx, std::string(files[0]), std::string(files[1]), {}};
  } else {
    refuse(text, "unknown data");
  }
  return name;
}

std::vector<std::string> data_files(const std::string& name) try {
  const DataName data = parse_data_name(name);
  if (data.source == DataName::Source::csv) return {data.file};
  if (data.source == DataName::Source::idx) return {data.file, data.labels};
  return {};
} catch (const Error&) {
  return {};
}

void require_readable(const std::string& path) {
  std::error_code fault;
  const std::filesystem::file_status status = std::filesystem::status(path, fault);
  require(status.type() != std::filesystem::file_type::not_found, "{}: no such file", path);
  require(!fault, "{}: cannot be opened: {}", path, fault.message());
  require(!std::filesystem::is_directory(status), "{}: is a directory, not a file", path);
  require(std::filesystem::is_regular_file(status),
          "{}: is no ordinary file, and data is read twice", path);
  errno = 0;
  const std::ifstream file(path);
  require(file.is_open(), "{}: cannot be opened: {}", path, std::strerror(errno));
}

std::unique_ptr<Dataset> open_fashion_mnist(const std::string& directory, MemoryLedger& ledger) {
  std::array<std::string, 4> files{"train-images-idx3", "train-labels-idx1", "t10k-images-idx3",
                                   "t10k-labels-idx1"};
  std::error_code fault;
  for (std::string& file : files) {
    file = directory + "/" + file + "-ubyte.gz";
    require(std::filesystem::exists(file, fault),
            "--data fashion-mnist: {} is missing: apt install dataset-fashion-mnist, or "
            "./run_labs.sh install",
            file);
  }
  Table train = read_idx(files[0], files[1], ledger);
  Table test = read_idx(files[2], files[3], ledger);
  require(train.features == test.features, "{}: training images of {} pixels, test images of {}",
          directory, train.features, test.features);
  return std::make_unique<StoredDataset>(255.0F, std::move(train), std::move(test));
}

std::unique_ptr<Dataset> open_dataset(const std::string& name, std::uint64_t seed,
                                      MemoryLedger& ledger) {
  const DataName data = parse_data_name(name);
  switch (data.source) {
    case DataName::Source::digits:
      return std::make_unique<StoredDataset>(16.0F, read_csv_text(digits_csv, "digits", ledger));
    case DataName::Source::fashion_mnist:
      return open_fashion_mnist("/usr/share/datasets/fashion-mnist", ledger);
    case DataName::Source::synthetic:
      return make_synthetic(data.shape, seed);
    case DataName::Source::csv:
      return std::make_unique<StoredDataset>(1.0F, read_csv(data.file, ledger));
    case DataName::Source::idx:
      return std::make_unique<StoredDataset>(1.0F, read_idx(data.file, data.labels, ledger));
  }
  refuse(name, "unknown data");
}

std::uint32_t StoredDataset::checksum() const {
  uLong sum = crc32_z(0, nullptr, 0);
  const auto add = [&sum](ConstNumbers part) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part.data), part.bytes());
  };
  for (const Table* table : {&table_, test_ ? &*test_ : nullptr}) {
    if (table == nullptr) continue;
    add(table->values);
    add(table->labels);
  }
  return static_cast<std::uint32_t>(sum);
}

}  // namespace zerolab
