#include "zerolab/partition/checkpoint_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace zerolab {

static_assert(std::endian::native == std::endian::little, "states are written as they lie");

namespace {

constexpr std::array<char, 8> magic{'z', 'e', 'r', 'o', 'l', 'a', 'b', '\0'};

/// The bytes that every file begins with.
struct Start {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t description_bytes;
  std::uint64_t elements;
  std::uint32_t states;  ///< bit i: SavedState i is there
  std::uint32_t block;   ///< elements
};
static_assert(sizeof(Start) == 32);

std::uint32_t crc_of(const void* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), static_cast<const Bytef*>(bytes), size));
}

template <class T>
void append(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Which states a bit set names; none when it is no set that a file may have.
std::vector<SavedState> states_of(std::uint32_t bits) {
  std::vector<SavedState> states;
  if ((bits & 1U) == 0 || bits >= 1U << saved_states) return states;
  for (std::uint32_t i = 0; i < saved_states; ++i)
    if ((bits >> i & 1U) != 0) states.push_back(static_cast<SavedState>(i));
  return states;
}

/// The head of a file, without trust in any number before its checksum has been found right.
CheckpointHead read_head(const PlainFile& file) {
  const std::size_t size = file.size();
  const std::string& path = file.path();
  Start start{};
  require(size >= sizeof start, "{}: {} bytes are no checkpoint (truncated?)", path, size);
  file.read(std::as_writable_bytes(std::span(&start, 1)), 0);
  require(start.magic == magic,
          "{}: no checkpoint of zerolab, or one that was not completed: it begins with other bytes",
          path);
  require(start.version == CheckpointHead::version,
          "{}: format version {}; this program reads version {}", path, start.version,
          CheckpointHead::version);
  CheckpointHead head{std::string(), start.elements, states_of(start.states), {}};
  // Bounds that no file of this size can break, before anything is allocated or multiplied.
  const bool possible = !head.states.empty() && start.block == CheckpointHead::block &&
                        start.description_bytes <= size && start.elements > 0 &&
                        start.elements <= size / sizeof(float);
  require(possible, "{}: damaged: its head is not possible in a file of {} bytes", path, size);
  head.description.resize(start.description_bytes);
  head.checksums.resize(head.states.size() * head.blocks());
  require(head.file_bytes() == size, "{}: {} bytes, but its head tells of {} ({})", path, size,
          head.file_bytes(),
          size < head.file_bytes() ? "truncated?" : "bytes left over, or damaged");
  std::string text(head.bytes(), '\0');
  file.read(std::as_writable_bytes(std::span(text)), 0);
  std::uint32_t found = 0;
  std::memcpy(&found, text.data() + text.size() - sizeof found, sizeof found);
  require(found == crc_of(text.data(), text.size() - sizeof found),
          "{}: damaged: the checksum of its head is wrong", path);
  const char* const description = text.data() + sizeof start;
  std::copy_n(description, head.description.size(), head.description.data());
  std::memcpy(head.checksums.data(), description + head.description.size(),
              head.checksums.size() * sizeof head.checksums[0]);
  return head;
}

}  // namespace

const char* name(SavedState state) {
  constexpr std::array<const char*, saved_states> names{"master", "momentum", "variance"};
  return names[static_cast<std::size_t>(state)];
}

bool CheckpointHead::holds(SavedState state) const {
  return std::find(states.begin(), states.end(), state) != states.end();
}

std::size_t CheckpointHead::place(SavedState state) const {
  const auto found = std::find(states.begin(), states.end(), state);
  require(found != states.end(), "the checkpoint holds no {}", name(state));
  return static_cast<std::size_t>(found - states.begin());
}

std::size_t CheckpointHead::bytes() const {
  return sizeof(Start) + description.size() +
         sizeof(std::uint32_t) * (states.size() * blocks() + 1);
}

std::size_t CheckpointHead::offset(SavedState state, std::size_t element) const {
  return bytes() + (place(state) * elements + element) * sizeof(float);
}

std::size_t CheckpointHead::block_of(SavedState state, std::size_t element) const {
  return place(state) * blocks() + element / block;
}

std::string CheckpointHead::text() const {
  Start start{magic, version, static_cast<std::uint32_t>(description.size()), elements, 0, block};
  for (const SavedState state : states) start.states |= 1U << static_cast<std::uint32_t>(state);
  std::string text;
  append(text, start);
  text += description;
  for (const std::uint32_t sum : checksums) append(text, sum);
  append(text, crc_of(text.data(), text.size()));
  return text;
}

PlainFile::PlainFile(std::string path, int flags)
    : path_(std::move(path)), file_(open(path_.c_str(), flags | O_CLOEXEC, 0666)) {
  require(file_ >= 0, "{}: cannot be opened: {}", path_, std::strerror(errno));
  struct stat status {};
  // A named pipe would keep whoever reads it waiting.
  if (fstat(file_, &status) == 0 && S_ISREG(status.st_mode)) return;
  close(file_);
  throw Error(path_ + ": is no regular file");
}

PlainFile::PlainFile(PlainFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

PlainFile::~PlainFile() {
  if (file_ >= 0) close(file_);
}

std::size_t PlainFile::size() const {
  struct stat status {};
  require(fstat(file_, &status) == 0, "{}: {}", path_, std::strerror(errno));
  return static_cast<std::size_t>(status.st_size);
}

void PlainFile::resize(std::size_t bytes) {
  require(ftruncate(file_, static_cast<off_t>(bytes)) == 0, "{}: writing failed: {}", path_,
          std::strerror(errno));
}

void PlainFile::read(std::span<std::byte> bytes, std::size_t offset) const {
  while (!bytes.empty()) {
    const ssize_t got = pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    require(got >= 0, "{}: cannot be read: {}", path_, std::strerror(errno));
    require(got > 0, "{}: ends at byte {}: truncated while it was read?", path_, offset);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::size_t>(got);
  }
}

void PlainFile::write(std::span<const std::byte> bytes, std::size_t offset) {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    require(put > 0, "{}: writing failed: {}", path_,
            put < 0 ? std::strerror(errno) : "nothing could be written");
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::size_t>(put);
  }
}

void PlainFile::sync() {
  require(fsync(file_) == 0, "{}: writing failed: {}", path_, std::strerror(errno));
}

void CheckpointWriter::create(const std::string& path, const CheckpointHead& head) {
  require(head.description.size() <= std::numeric_limits<std::uint32_t>::max(),
          "{}: a description of {} bytes", path, head.description.size());
  PlainFile(path, O_WRONLY | O_CREAT | O_TRUNC).resize(head.file_bytes());
}

CheckpointWriter::CheckpointWriter(const std::string& path, CheckpointHead head)
    : file_(path, O_WRONLY), head_(std::move(head)) {
  head_.checksums.assign(head_.states.size() * head_.blocks(), 0);
}

void CheckpointWriter::write(SavedState state, std::size_t first, std::span<const float> values) {
  file_.write(std::as_bytes(values), head_.offset(state, first));
  for (std::size_t begin = 0; begin < values.size();) {
    const std::size_t element = first + begin;
    const std::size_t block_end =
        std::min((element / CheckpointHead::block + 1) * CheckpointHead::block, head_.elements);
    const std::size_t size = std::min(block_end - element, values.size() - begin);
    const std::size_t behind = (block_end - element - size) * sizeof(float);
    // The checksum of these bytes alone, moved to where they stand in the block.
    head_.checksums[head_.block_of(state, element)] ^= static_cast<std::uint32_t>(crc32_combine(
        crc_of(&values[begin], size * sizeof(float)), 0, static_cast<z_off_t>(behind)));
    begin += size;
  }
}

void CheckpointWriter::write_head() {
  const std::string text = head_.text();
  file_.write(std::as_bytes(std::span(text)), 0);
}

CheckpointReader::CheckpointReader(const std::string& path)
    : file_(path, O_RDONLY | O_NONBLOCK), head_(read_head(file_)) {}

std::uint32_t CheckpointReader::checksum() const {
  const std::string text = head_.text();
  return crc_of(text.data(), text.size());
}

void CheckpointReader::read(SavedState state, std::size_t first, std::size_t count,
                            const Take& take) const {
  const std::size_t last = first + count;
  require(last <= head_.elements, "{}: elements {} to {} of {}", path(), first, last,
          head_.elements);
  std::vector<float> values;
  for (std::size_t element = first; element < last;) {
    const std::size_t begin = element / CheckpointHead::block * CheckpointHead::block;
    values.resize(std::min(CheckpointHead::block, head_.elements - begin));
    file_.read(std::as_writable_bytes(std::span(values)), head_.offset(state, begin));
    require(crc_of(values.data(), values.size() * sizeof(float)) ==
                head_.checksums[head_.block_of(state, begin)],
            "{}: damaged: the checksum of {} elements {} to {} is wrong", path(), name(state),
            begin, begin + values.size() - 1);
    const std::size_t end = std::min(begin + values.size(), last);
    take(std::span(values).subspan(element - begin, end - element), element);
    element = end;
  }
}

}  // namespace zerolab
