#include "zerolab/report/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>

namespace zerolab {

namespace {

std::string link_of(const std::filesystem::path& file) {
  std::error_code none;
  return std::filesystem::read_symlink(file, none).string();
}

/// True when this process and its parent hold the two ends of one pipe.
bool parent_reads(int stream, const std::filesystem::path& parent) {
  const std::string pipe = link_of(fmt::format("/proc/self/fd/{}", stream));
  if (!pipe.starts_with("pipe:")) return false;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(parent, none)) {
    if (link_of(file.path()) == pipe) return true;
  }
  return false;
}

/// True when someone is at the stream's other end. mpirun passes on what its ranks write and read
/// through a pipe or a pseudo-terminal of its own, so there it is mpirun's that must be a terminal.
bool is_watched(int stream) {
  const std::filesystem::path parent = fmt::format("/proc/{}/fd", getppid());
  const std::string its = link_of(parent / std::to_string(stream));
  const bool parent_is = its.starts_with("/dev/pts/") || its.starts_with("/dev/tty");
  if (isatty(stream) == 1) return parent_is || stream != STDOUT_FILENO;
  return parent_is && parent_reads(stream, parent);
}

std::FILE* watched_stream() {
  if (is_watched(STDOUT_FILENO)) return stdout;
  return is_watched(STDERR_FILENO) ? stderr : nullptr;
}

}  // namespace

StatusLine::StatusLine(bool wanted) : out_(wanted ? watched_stream() : nullptr) {}

StatusLine::~StatusLine() {
  if (watched()) std::fputs("\r\033[K", out_);
}

std::size_t StatusLine::columns() const {
  constexpr std::size_t usual = 80;
  winsize size{};
  const bool known = ioctl(fileno(out_), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  // The last column is left free: some terminals begin a new line there.
  return (known ? size.ws_col : usual) - 1;
}

void StatusLine::show(const std::string& text) {
  if (!watched()) return;
  fmt::print(out_, "\r\033[K{}", text);
  std::fflush(out_);
}

bool someone_types() {
  return is_watched(STDIN_FILENO);
}

}  // namespace zerolab
