#include "zerolab/core/plain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "zerolab/core/require.hpp"

namespace zerolab {

void require_done(bool done, const std::string& path, const char* what) {
  if (!done) throw Error(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

PlainFile::PlainFile(std::string path, int flags)
    : path_(std::move(path)), file_(open(path_.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666)) {
  // A named pipe would keep whoever opens it waiting, and has no place in it to read or write.
  require_done(file_ >= 0, path_, "cannot be opened");
  struct stat status {};
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
  require_done(fstat(file_, &status) == 0, path_, "cannot be read");
  return static_cast<std::size_t>(status.st_size);
}

void PlainFile::resize(std::size_t bytes) {
  require_done(ftruncate(file_, static_cast<off_t>(bytes)) == 0, path_, "writing failed");
}

void PlainFile::read(std::span<std::byte> bytes, std::size_t offset) const {
  while (!bytes.empty()) {
    const ssize_t got = pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    require_done(got >= 0, path_, "cannot be read");
    require(got > 0, "{}: ends at byte {}: truncated while it was read?", path_, offset);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::size_t>(got);
  }
}

void PlainFile::write(std::span<const std::byte> bytes, std::size_t offset) {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    require_done(put >= 0, path_, "writing failed");
    require(put > 0, "{}: writing failed: nothing could be written", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::size_t>(put);
  }
}

void PlainFile::sync() {
  require_done(fsync(file_) == 0, path_, "writing failed");
}

}  // namespace zerolab
