// The commands that the grader runs, what ends them, and who waits for whom.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "grade.hpp"

extern char** environ;

namespace lab {

namespace {

volatile std::sig_atomic_t stopped_by = 0;  // the signal
volatile pid_t group = 0;                   // the command's processes; 0: none is under way
constexpr std::array stopping{SIGINT, SIGTERM, SIGHUP};
constexpr unsigned patience = 10;  // seconds, until who does not end is killed

void on_signal(int signal) {
  if (signal != SIGALRM) stopped_by = signal;
  if (group > 0) kill(-group, signal == SIGALRM ? SIGKILL : SIGTERM);
  alarm(patience);
}

void stop_if_asked() {
  if (stopped_by != 0) throw Stopped{stopped_by};
}

/// As long as it lives no signal stops the grader: it comes before a command, or finds its group.
class Undisturbed {
 public:
  Undisturbed() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : stopping) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~Undisturbed() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  sigset_t before_{};
};

/// Starts a command in a process group of its own, which a terminal does not reach.
pid_t start(const std::string& command, const std::string& log) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&how, 0);
  sigset_t set;
  sigemptyset(&set);
  posix_spawnattr_setsigmask(&how, &set);
  for (const int signal : stopping) sigaddset(&set, signal);
  posix_spawnattr_setsigdefault(&how, &set);
  std::string shell = "sh", option = "-c", text = command;
  const std::array<char*, 4> words{shell.data(), option.data(), text.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, "/bin/sh", &files, &how, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  if (error != 0)
    throw std::runtime_error(fmt::format("{} cannot be run: {}", command, std::strerror(error)));
  return child;
}

}  // namespace

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : stopping) sigaction(signal, &action, nullptr);
  sigaction(SIGALRM, &action, nullptr);
}

int shell(const std::string& command, const std::string& log) {
  pid_t child = 0;
  {
    const Undisturbed undisturbed;
    stop_if_asked();
    group = child = start(command, log);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // The shell may be gone, and what ends the ranks still at it.
  for (unsigned i = 0; stopped_by != 0 && i < 20 * patience && kill(-child, 0) == 0; ++i)
    usleep(100'000);
  group = 0;
  alarm(0);
  stop_if_asked();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Lock::Lock(const std::string& name)
    : file_(open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (file_ < 0) throw std::runtime_error(name + ": cannot be made");
  for (bool told = false; flock(file_, LOCK_EX | LOCK_NB) != 0; told = true) {
    if (errno != EWOULDBLOCK) throw std::runtime_error(name + ": cannot be locked");
    if (!told) fmt::print(stderr, "another grading holds {}; waiting for it\n", name);
    usleep(100'000);
    stop_if_asked();
  }
}

Lock::~Lock() {
  close(file_);
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string whole_file(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace lab
