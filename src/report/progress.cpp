#include "zerolab/report/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "zerolab/report/console.hpp"

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

/// True when someone watches the stream. mpirun takes what its ranks write through a pipe or a
/// pseudo-terminal of its own, so there it is mpirun's that must be a terminal.
bool is_watched(int stream) {
  const std::filesystem::path parent = fmt::format("/proc/{}/fd", getppid());
  const std::string its = link_of(parent / std::to_string(stream));
  const bool parent_is = its.starts_with("/dev/pts/") || its.starts_with("/dev/tty");
  if (isatty(stream) == 1) return parent_is || stream == STDERR_FILENO;
  return parent_is && parent_reads(stream, parent);
}

std::FILE* watched_stream() {
  if (is_watched(STDOUT_FILENO)) return stdout;
  return is_watched(STDERR_FILENO) ? stderr : nullptr;
}

/// Room in a line of the terminal; 80 characters where it does not say.
std::size_t terminal_columns(std::FILE* terminal) {
  winsize size{};
  const bool known = ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<std::size_t>(seconds / 60);
  if (minutes < 60)
    return fmt::format("{} min {:02.0f} s", minutes, seconds - 60.0 * static_cast<double>(minutes));
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace

std::string progress_line(const std::string& what, const Position& at, std::size_t columns) {
  const std::size_t epochs = (at.steps + at.steps_per_epoch - 1) / at.steps_per_epoch;
  const double a_step = at.seconds / static_cast<double>(at.done);
  // The first that does not fit any more and all after it are left out.
  std::string line = shown_width(what) <= columns ? what : "";
  for (const std::string& words :
       {fmt::format("epoch {}/{}", (at.done - 1) / at.steps_per_epoch + 1, epochs),
        fmt::format("loss {:.4f}", at.loss),
        fmt::format("{:.0f} samples/s", static_cast<double>(at.samples) / at.seconds),
        duration(a_step * static_cast<double>(at.steps - at.done)) + " left",
        fmt::format("step {}/{}", at.done, at.steps)}) {
    if (shown_width(line) + 3 + shown_width(words) > columns) break;
    line.append(" · ").append(words);
  }
  return line;
}

Progress::Progress(bool wanted, std::string what, const JobData& data, std::size_t steps)
    : out_(wanted ? watched_stream() : nullptr),
      what_(std::move(what)),
      at_{0, steps, data.steps_per_epoch, 0, 0, 0},
      begin_(Clock::now()),
      shown_(begin_) {}

Progress::~Progress() {
  if (out_ != nullptr) std::fputs("\r\033[K", out_);
}

void Progress::show(std::size_t step, const StepResult& result) {
  const auto now = Clock::now();
  at_.samples += result.samples;
  if (out_ == nullptr || now - shown_ < std::chrono::milliseconds(200)) return;
  shown_ = now;
  at_.done = step + 1;
  at_.loss = result.loss;
  at_.seconds = std::chrono::duration<double>(now - begin_).count();
  // The last column is left free: some terminals begin a new line there.
  fmt::print(out_, "\r\033[K{}", progress_line(what_, at_, terminal_columns(out_) - 1));
  std::fflush(out_);
}

}  // namespace zerolab
