#include "zerolab/partition/checkpoint_file.hpp"

#include <fcntl.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <utility>

namespace zerolab {

static_assert(std::endian::native == std::endian::little, "states are written as they lie");

void CheckpointWriter::create(const std::string& path, const CheckpointHead& head) {
  require(head.description.size() <= CheckpointHead::longest_description,
          "{}: a description of {} bytes", path, head.description.size());
  std::error_code none;
  std::filesystem::remove(path, none);  // whatever was left there by that name
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
    : file_(path, O_RDONLY), head_(CheckpointHead::read(file_)) {}

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
