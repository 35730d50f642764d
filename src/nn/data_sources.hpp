#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zerolab/core/buffer.hpp"
#include "zerolab/nn/dataset.hpp"

// What open_dataset is made of. Readers go over their file twice: once to check and count all of
// it, once to fill storage of exactly that size. So no header makes them allocate what is not
// there.

namespace zerolab {

inline constexpr std::int32_t largest_label = 65535;
inline constexpr std::size_t test_every =
    5;  ///< rows 4, 9, 14, … of an unsplit table are for testing

/// Samples as loaded, one row each.
struct Table {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::size_t classes = 0;  ///< largest label + 1, at least 2
  Buffer values;            ///< rows × features, fp32 or uint8
  Buffer labels;            ///< rows, int32

  /// Both buffers as they must come out, from the dimensions alone.
  std::size_t bytes() const {
    return rows * (features * width(values.type()) + sizeof(std::int32_t));
  }
};

/// One table that is split here, or two that come split.
class StoredDataset final : public Dataset {
 public:
  StoredDataset(float divisor, Table table, std::optional<Table> test = std::nullopt)
      : divisor_(divisor), table_(std::move(table)), test_(std::move(test)) {}

  std::size_t features() const override { return table_.features; }
  std::size_t classes() const override {
    return std::max(table_.classes, test_ ? test_->classes : 0);
  }
  std::size_t samples(Split split) const override {
    if (test_) return split == Split::train ? table_.rows : test_->rows;
    const std::size_t test_rows = table_.rows / test_every;
    return split == Split::train ? table_.rows - test_rows : test_rows;
  }
  std::size_t bytes() const override { return table_.bytes() + (test_ ? test_->bytes() : 0); }
  std::uint32_t checksum() const override;

  void read(Split split, std::size_t index, std::span<float> out) const override {
    require(out.size() == features(), "room for {} features, but a sample has {}", out.size(),
            features());
    const auto [table, row] = find(split, index);
    const ConstNumbers from = table.values.numbers().part(row * out.size(), out.size());
    if (from.type == NumberType::uint8) {
      divide(from.as<const std::uint8_t>(), out);
    } else {
      divide(from.as<const float>(), out);
    }
  }
  std::int32_t label(Split split, std::size_t index) const override {
    const auto [table, row] = find(split, index);
    return table.labels.as<std::int32_t>()[row];
  }

 private:
  struct Place {
    const Table& table;
    std::size_t row;
  };

  Place find(Split split, std::size_t index) const {
    require(index < samples(split), "sample {} of {} asked for", index, samples(split));
    if (test_) return {split == Split::train ? table_ : *test_, index};
    if (split == Split::test) return {table_, index * test_every + test_every - 1};
    return {table_, index + index / (test_every - 1)};
  }

  template <class T>
  void divide(std::span<const T> from, std::span<float> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(from[i]) / divisor_;
  }

  float divisor_;
  Table table_;
  std::optional<Table> test_;
};

struct SyntheticShape {
  std::uint64_t samples = 4096;
  std::uint64_t features = 784;
  std::uint64_t classes = 10;
};

/// A `--data` text taken apart; nothing has been opened yet.
struct DataName {
  enum class Source { digits, fashion_mnist, synthetic, csv, idx };

  Source source = Source::digits;
  std::string file;    ///< csv, idx (images)
  std::string labels;  ///< idx
  SyntheticShape shape;
};

/// Throws Error with the text and what is allowed. Touches no file: good for a check up front.
DataName parse_data_name(const std::string& text);

/// The fields between commas, at least one; commas in double quotes do not count.
std::vector<std::string_view> split_at_commas(std::string_view text);

/// Throws Error unless `path` is an ordinary file that can be opened.
void require_readable(const std::string& path);

/// Features and, in the last column, the label.
Table read_csv(const std::string& path, MemoryLedger& ledger);
/// The same from text in memory; `name` is what errors call it.
Table read_csv_text(std::string_view text, const std::string& name, MemoryLedger& ledger);

/// A pair of IDX files (the MNIST format), plain or gzip'd; pixels stay bytes.
Table read_idx(const std::string& images, const std::string& labels, MemoryLedger& ledger);

/// The four files of the Debian package in `directory`, pixels ÷ 255.
std::unique_ptr<Dataset> open_fashion_mnist(const std::string& directory, MemoryLedger& ledger);

std::unique_ptr<Dataset> make_synthetic(const SyntheticShape& shape, std::uint64_t seed);

}  // namespace zerolab
