// The page's file: only a page is written over, and it is there whole or not at all.
#include "page_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "page_html.hpp"
#include "zerolab/core/require.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

namespace {

namespace fs = std::filesystem;

/// A file of a name that nothing had before, beside `file`; gone again unless it became `file`.
class Part {
 public:
  explicit Part(const fs::path& file) : name_(file.string() + ".XXXXXX") {
    const int made = mkstemp(name_.data());
    require(made >= 0, "{}: cannot be written: {}", file.string(), std::strerror(errno));
    close(made);
  }
  ~Part() {
    if (!name_.empty()) unlink(name_.c_str());
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  const std::string& name() const { return name_; }
  void become(const fs::path& file) {
    fs::rename(name_, file);
    name_.clear();
  }

 private:
  std::string name_;
};

/// Those of the file that is there, or what any new file gets.
mode_t permissions(const fs::path& file) {
  struct stat known {};
  if (stat(file.c_str(), &known) == 0) return known.st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void check_page_file(const fs::path& file) {
  std::error_code none;
  require(!fs::is_symlink(file, none) || fs::exists(file, none),
          "--output {}: is a link to nothing, and is left alone", file.string());
  if (!fs::exists(file, none)) return;
  require(fs::is_regular_file(file, none), "--output {}: is no file", file.string());
  std::ifstream in(file, std::ios::binary);
  std::string start(1024, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  const bool readable = in.eof() || in.good();
  require(readable && (start.empty() || start.find(html::generator) != std::string::npos),
          "--output {}: was not written by zerolab report, and is left alone", file.string());
}

void write_page_file(const fs::path& file, const std::string& text) {
  const fs::path target = fs::weakly_canonical(file);  // through a link, which stays one
  const mode_t mode = permissions(target);
  Part part(target);
  write_file(part.name(), text);
  require(chmod(part.name().c_str(), mode) == 0, "{}: {}", part.name(), std::strerror(errno));
  part.become(target);
}

}  // namespace zerolab
