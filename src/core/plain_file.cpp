#include "zerolab/core/plain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "zerolab/core/require.hpp"

namespace zerolab {

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

}  // namespace zerolab
