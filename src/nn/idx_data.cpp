// IDX, the format of MNIST and Fashion-MNIST: a big-endian header, then one byte a value; often
// gzip'd.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "data_sources.hpp"

namespace zerolab {

namespace {

constexpr std::size_t piece_bytes = 1U << 16U;
constexpr std::uint32_t longest_side = 65535;  // keeps images × rows × columns below 2^64

struct Kind {
  std::string_view holds;
  std::uint32_t magic;
  std::size_t header_bytes;
};
constexpr Kind images_kind{"images", 2051, 16}, labels_kind{"labels", 2049, 8};

struct Shape {
  std::uint64_t items = 0;
  std::uint64_t item_bytes = 1;
  bool operator==(const Shape&) const = default;
};

/// A file that zlib reads, through gzip or as it is.
class GzipFile {
 public:
  explicit GzipFile(const std::string& path) {
    require_readable(path);
    file_ = gzopen(path.c_str(), "rb");
    require(file_ != nullptr, "{}: cannot be opened: {}", path, std::strerror(errno));
    gzbuffer(file_, piece_bytes);
  }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;
  ~GzipFile() { gzclose_r(file_); }

  /// Fills `out` as far as the file goes; returns the bytes read.
  std::size_t read(std::span<std::uint8_t> out) {
    std::size_t done = 0;
    while (done < out.size()) {
      const std::size_t most = std::min(out.size() - done, std::size_t{1} << 20U);
      const int got = gzread(file_, out.data() + done, static_cast<unsigned>(most));
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  /// Throws Error when something other than the end of the file ended the reading.
  void require_intact(std::uint64_t expected, std::uint64_t found) const {
    int code = Z_OK;
    const char* const fault = gzerror(file_, &code);  // begins with the path
    require(code == Z_OK || code == Z_STREAM_END,
            "{} (damaged or truncated?): {} bytes expected, {} could be read", fault, expected,
            found);
  }

 private:
  gzFile file_ = nullptr;
};

std::uint32_t big_endian(const std::uint8_t* b) {
  return std::uint32_t{b[0]} << 24U | std::uint32_t{b[1]} << 16U | std::uint32_t{b[2]} << 8U | b[3];
}

/// What it may be that starts with these bytes instead of the magic number.
std::string_view hint(std::span<const std::uint8_t> header, const Kind& kind) {
  const std::uint32_t magic = big_endian(header.data());
  const std::array<std::uint8_t, 4> reversed{header[3], header[2], header[1], header[0]};
  const auto text = std::ranges::find_if(header, [](int b) { return b > ' ' && b < 128; });
  if (header[0] == 0x1F && header[1] == 0x8B) return ": still compressed? gunzip it";
  if (header[0] == 'P' && header[1] == 'K') return ": still compressed? unzip it";
  if (magic == images_kind.magic || magic == labels_kind.magic) return ": images, labels swapped?";
  if (big_endian(reversed.data()) == kind.magic) return ": little-endian byte order?";
  return text != header.end() && *text == '<' ? ": a web page instead of the data?" : "";
}

Shape read_header(GzipFile& file, const std::string& path, const Kind& kind) {
  std::array<std::uint8_t, 16> header{};
  const std::size_t got = file.read(std::span(header).first(kind.header_bytes));
  const std::uint32_t magic = big_endian(header.data());
  require(got < 4 || magic == kind.magic, "{}: magic number {} of IDX {} expected, found {}{}",
          path, kind.magic, kind.holds, magic, hint(header, kind));
  file.require_intact(kind.header_bytes, got);
  require(got == kind.header_bytes, "{}: a header of {} bytes expected, found {}", path,
          kind.header_bytes, got);

  Shape shape{big_endian(header.data() + 4), 1};
  require(shape.items > 0, "{}: holds no {}", path, kind.holds);
  if (kind.header_bytes == 8) return shape;
  const std::uint32_t rows = big_endian(header.data() + 8),
                      columns = big_endian(header.data() + 12);
  require(std::min(rows, columns) > 0 && std::max(rows, columns) <= longest_side,
          "{}: images of {} x {} pixels; each side must be 1 to {}", path, rows, columns,
          longest_side);
  shape.item_bytes = std::uint64_t{rows} * columns;
  return shape;
}

/// The shape that the header claims, once the whole file has been read and found to bear it out.
Shape measure(const std::string& path, const Kind& kind) {
  GzipFile file(path);
  const Shape shape = read_header(file, path, kind);
  const std::uint64_t expected = kind.header_bytes + shape.items * shape.item_bytes;
  std::uint64_t found = kind.header_bytes;
  std::array<std::uint8_t, piece_bytes> piece;
  while (const std::size_t got = file.read(piece)) found += got;
  file.require_intact(expected, found);
  require(found == expected, "{}: {} {} of {} bytes make a file of {} bytes; found {} ({})", path,
          shape.items, kind.holds, shape.item_bytes, expected, found,
          found < expected ? "truncated?" : "bytes left over");
  return shape;
}

/// Hands the items of a measured file to `take`, piece by piece.
template <class Take>
void read_items(const std::string& path, const Kind& kind, const Shape& shape, Take take) {
  GzipFile file(path);
  bool same = read_header(file, path, kind) == shape;
  std::array<std::uint8_t, piece_bytes> piece;
  for (std::uint64_t left = shape.items * shape.item_bytes; same && left > 0;) {
    const auto next = std::span(piece).first(std::min<std::uint64_t>(left, piece_bytes));
    same = file.read(next) == next.size();
    take(next);
    left -= next.size();
  }
  require(same, "{}: changed while it was read", path);
}

}  // namespace

Table read_idx(const std::string& images, const std::string& labels, MemoryLedger& ledger) {
  const Shape pixels = measure(images, images_kind), answers = measure(labels, labels_kind);
  require(pixels.items == answers.items, "{} has {} images, but {} has {} labels", images,
          pixels.items, labels, answers.items);
  Table table;
  table.rows = pixels.items;
  table.features = pixels.item_bytes;
  table.values =
      Buffer(ledger, Category::data, NumberType::uint8, pixels.items * pixels.item_bytes);
  table.labels = Buffer(ledger, Category::data, NumberType::int32, answers.items);
  auto pixel = table.values.as<std::uint8_t>().begin();
  auto label = table.labels.as<std::int32_t>().begin();
  read_items(images, images_kind, pixels,
             [&](auto from) { pixel = std::ranges::copy(from, pixel).out; });
  read_items(labels, labels_kind, answers,
             [&](auto from) { label = std::ranges::copy(from, label).out; });
  const auto all = std::as_const(table.labels).as<std::int32_t>();
  table.classes = static_cast<std::size_t>(std::max(1, *std::ranges::max_element(all))) + 1;
  return table;
}

}  // namespace zerolab
