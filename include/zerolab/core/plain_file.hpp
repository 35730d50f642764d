#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace zerolab {

/// Throws Error "path: what: the system's reason" unless `done`, the outcome of a call just made. A
/// function, so that the call comes before the reason is asked for.
void require_done(bool done, const std::string& path, const char* what);

/// A file descriptor, closed at the end of the scope. Reads and writes are whole or throw Error
/// naming the file.
class PlainFile {
 public:
  PlainFile(std::string path, int flags);
  PlainFile(PlainFile&& other) noexcept;
  PlainFile& operator=(PlainFile&&) = delete;
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile();

  const std::string& path() const { return path_; }
  std::size_t size() const;
  void resize(std::size_t bytes);
  void read(std::span<std::byte> bytes, std::size_t offset) const;
  void write(std::span<const std::byte> bytes, std::size_t offset);
  void sync();  ///< to the disk

 private:
  std::string path_;
  int file_;
};

}  // namespace zerolab
