#include "gnuplot.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "zerolab/core/require.hpp"

extern char** environ;

namespace zerolab {

namespace {

/// A file without a name, gone when it is closed.
class Unnamed {
 public:
  Unnamed() : file_(std::tmpfile(), std::fclose) {
    require(file_ != nullptr, "no temporary file for gnuplot: {}", std::strerror(errno));
  }
  int descriptor() const { return fileno(file_.get()); }
  void write(const std::string& text) {
    const bool good = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() &&
                      std::fflush(file_.get()) == 0;
    require(good, "temporary file for gnuplot: {}", std::strerror(errno));
    std::rewind(file_.get());
  }
  std::string read() {
    std::rewind(file_.get());
    std::string text;
    std::array<char, 4096> block{};
    for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), file_.get())) > 0;) {
      text.append(block.data(), n);
    }
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// The exit code of a child; one that does not end within the limit is killed.
int exit_code(pid_t child, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + limit;
  int status = 0;
  for (pid_t ended = 0; ended != child;) {
    ended = waitpid(child, &status, WNOHANG);
    require(ended >= 0 || errno == EINTR, "gnuplot: {}", std::strerror(errno));
    if (ended == child) break;
    if (Clock::now() > deadline) {
      kill(child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      throw Error(fmt::format("gnuplot did not end within {:g} s and was stopped",
                              std::chrono::duration<double>(limit).count()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// Exit code of gnuplot with these as its standard streams.
int run(Unnamed& in, Unnamed& out, Unnamed& err, std::chrono::milliseconds limit) {
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, in.descriptor(), 0);
  posix_spawn_file_actions_adddup2(&streams, out.descriptor(), 1);
  posix_spawn_file_actions_adddup2(&streams, err.descriptor(), 2);
  std::string name = "gnuplot", no_settings = "-d";
  char* const arguments[] = {name.data(), no_settings.data(), nullptr};
  pid_t child = 0;
  const int fault = posix_spawnp(&child, "gnuplot", &streams, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&streams);
  require(fault == 0,
          "figures need gnuplot, which cannot be started: {} (Debian, Ubuntu: apt install "
          "gnuplot-nox)",
          std::strerror(fault));
  return exit_code(child, limit);
}

/// What gnuplot complained about, in one line.
std::string complaint(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c != '\n' && c != '^' && (c != ' ' || !line.ends_with(' '))) line += c;
    if (c == '\n' && !line.empty() && !line.ends_with(' ')) line += ' ';
  }
  return line.empty() ? "it wrote nothing" : line;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// Replaces what stands between the first `begin` and the `end` behind it.
void replace_content(std::string& text, const std::string& begin, const std::string& end,
                     const std::string& with) {
  const std::size_t from = text.find(begin) + begin.size();
  text.replace(from, text.find(end, from) - from, with);
}

std::string escaped(std::string text) {
  replace_all(text, "&", "&amp;");
  replace_all(text, "<", "&lt;");
  replace_all(text, ">", "&gt;");
  return text;
}

}  // namespace

std::string gnuplot(const std::string& script, std::chrono::milliseconds limit) {
  Unnamed in, out, err;
  in.write(script);
  const int code = run(in, out, err, limit);
  std::string drawn = out.read();
  require(code == 0 && !drawn.empty(), "gnuplot failed (exit code {}): {}", code,
          complaint(err.read()));
  return drawn;
}

std::string embeddable(std::string svg, const std::string& name, const std::string& title,
                       const std::string& description, const std::string& more) {
  const std::size_t begin = svg.find("<svg");
  require(begin != std::string::npos && svg.find("<title>") != std::string::npos &&
              svg.find("<desc>") != std::string::npos,
          "gnuplot wrote no picture: {}", svg.substr(0, 200));
  const std::size_t last = svg.find_last_not_of(" \r\n\t") + 1;
  require(svg.substr(0, last).ends_with("</svg>"),
          "gnuplot wrote an SVG picture that is cut: its {} bytes do not end with </svg>",
          svg.size());
  svg.erase(0, begin);
  for (const char* id : {"gpDot", "gpPt", "gpPat", "textbox", "greybox", "gnuplot_canvas"}) {
    replace_all(svg, id, name + "_" + id);
  }
  // A layer's name would show up under the pointer.
  const std::string layer = "<title>" + name + "_plot_", end = "</title>";
  for (std::size_t at = 0; (at = svg.find(layer, at)) != std::string::npos;) {
    svg.erase(at, svg.find(end, at) + end.size() - at);
  }
  svg.replace(0, 4, "<svg role=\"img\"");
  replace_content(svg, "<title>", "</title>", escaped(title));
  replace_content(svg, "<desc>", "</desc>", escaped(description));
  svg.insert(svg.find("</desc>") + std::string("</desc>\n").size(), more);
  return svg;
}

std::string whole_png(std::string png) {
  using namespace std::string_view_literals;
  require(png.starts_with("\x89PNG\r\n\x1a\n"sv), "gnuplot wrote no PNG picture: {} bytes",
          png.size());
  // The chunk IEND: no bytes, its name, its checksum.
  require(png.ends_with("\0\0\0\0IEND\xae\x42\x60\x82"sv),
          "gnuplot wrote a PNG picture that is cut: its {} bytes do not end with the chunk IEND",
          png.size());
  return png;
}

}  // namespace zerolab
