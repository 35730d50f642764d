#include "startup.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string_view>
#include <system_error>

#include "zerolab/nn/blas.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace zerolab {

std::string environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

namespace {

// "PID:KERNEL", set by the process that restarts itself with KERNEL, the library's first choice.
// The process number stays through execv; a child that inherits the variable is not taken for
// restarted.
constexpr const char* restart_variable = "ZEROLAB_RESTARTED";
constexpr const char* kernel_variable = "OPENBLAS_CORETYPE";
constexpr std::array thread_variables{"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                                      "OMP_NUM_THREADS"};

bool user_set_threads() {
  return std::any_of(thread_variables.begin(), thread_variables.end(),
                     [](const char* variable) { return !environment(variable).empty(); });
}

/// The kernel before this process restarted itself; empty if it did not.
std::string kernel_before_restart() {
  const std::string value = environment(restart_variable);
  const std::string mine = std::to_string(getpid()) + ":";
  return value.starts_with(mine) ? value.substr(mine.size()) : "";
}

/// OpenBLAS's kernels for CPUs before AVX2.
bool is_old(std::string_view kernel) {
  constexpr std::array<std::string_view, 17> old{
      "Generic", "Unknown", "Katmai",    "Coppermine", "Northwood",  "Prescott",
      "Banias",  "Atom",    "Core2",     "Penryn",     "Dunnington", "Nehalem",
      "Athlon",  "Opteron", "Barcelona", "Bobcat",     "Sandybridge"};
  return kernel.starts_with("Opteron") || std::find(old.begin(), old.end(), kernel) != old.end();
}

/// The fastest kernel that CPU and operating system can both run; empty without AVX2.
std::string best_kernel() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
#endif
  return {};
}

/// True under gdb, strace and whatever else traces: it would lose its breakpoints.
bool is_traced() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("TracerPid:")) return line.find_first_of("123456789") != std::string::npos;
  return false;
}

/// The program's file, or empty where a process had better not start itself anew.
std::string restartable_program() {
  std::error_code none;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", none);
  if (none || access(program.c_str(), X_OK) != 0) return {};
  const bool valgrind = environment("LD_PRELOAD").find("vgpreload") != std::string::npos;
  const bool simulated =
      !environment("SMPI_GLOBAL_SIZE").empty() || program.filename() == "smpimain";
  return valgrind || simulated || is_traced() ? std::string() : program.string();
}

void restart(const std::string& program, char** argv, const std::string& old_kernel) {
  const std::string guard = fmt::format("{}:{}", getpid(), old_kernel);
  setenv(restart_variable, guard.c_str(), 1);
  execv(program.c_str(), argv);  // not "/proc/self/exe": ps and pgrep would call the process "exe"
}

void choose_blas_kernel(char** argv) {
  const std::string program = restartable_program();
  if (program.empty()) return;
  const std::string first_choice = kernel_before_restart();
  if (first_choice.empty()) {
    const std::string best = best_kernel();
    const std::string kernel = blas_kernel();
    if (!environment(kernel_variable).empty() || best.empty() || !is_old(kernel)) return;
    setenv(kernel_variable, best.c_str(), 1);
    if (!user_set_threads()) setenv(thread_variables[0], "1", 1);  // no pool of idle threads
    restart(program, argv, kernel);
  } else if (!environment(kernel_variable).empty() && !gemm_fault().empty()) {
    unsetenv(kernel_variable);
    restart(program, argv, first_choice);
  }
}

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);         // large blocks come from the heap,
  mallopt(M_TRIM_THRESHOLD, -1);  // and the heap never shrinks
#endif
}

}  // namespace

void prepare_process(int, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // a full file is an error of the write, with a message
  choose_blas_kernel(argv);
  keep_freed_memory();
  if (!user_set_threads()) set_blas_threads(1);
}

std::string count_wire_until_finalize() {
#ifdef ZEROLAB_SMPI
  return environment("ZEROLAB_SMPI_TRACE");  // the simulator writes it, when it ends
#endif
  std::random_device random;  // nobody else shall have made the folder
  std::error_code none;
  std::filesystem::path folder = std::filesystem::temp_directory_path(none);
  if (none) folder = "/tmp";
  folder /= fmt::format("zerolab-wire.{}.{:08x}{:08x}", getpid(), random(), random());
  const std::string file = folder / "sent";
  setenv("OMPI_MCA_pml_monitoring_enable", "2", 1);  // messages inside collectives apart
  setenv("OMPI_MCA_pml_monitoring_enable_output", "3", 1);
  setenv("OMPI_MCA_pml_monitoring_filename", file.c_str(), 1);
  return file;
}

void count_wire_while_running() {
  setenv("OMPI_MCA_pml_monitoring_enable", "1", 1);  // all messages in one sum
}

std::string faster_blas_kernel() {
  return is_old(blas_kernel()) ? best_kernel() : std::string();
}

std::string blas_kernel_note() {
  const std::string before = kernel_before_restart();
  const std::string kernel = fmt::format("OpenBLAS {}, kernel {}", blas_version(), blas_kernel());
  if (before.empty())
    return kernel + (environment(kernel_variable).empty() ? " (its own choice)"
                                                          : " (chosen by OPENBLAS_CORETYPE)");
  if (environment(kernel_variable).empty())
    return kernel + " (its own choice; a faster one gave wrong products here)";
  return fmt::format("{} (chosen by zerolab and checked; the library had taken {})", kernel,
                     before);
}

std::string launcher_mismatch(std::size_t ranks) {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const std::string started = environment(variable);
    if (ranks == 1 && !started.empty() && started != "1")
      return fmt::format(
          "mpirun started {} ranks ({}), but each is alone: this program is built with another "
          "MPI; tests/on_ranks.sh finds the right mpirun",
          started, variable);
  }
  return {};
}

std::string blas_thread_warning() {
  if (blas_threads() == 1) return {};
  return fmt::format(
      "warning: {} BLAS threads a rank, as OPENBLAS_NUM_THREADS, GOTO_NUM_THREADS or "
      "OMP_NUM_THREADS "
      "asks; equal bits between stages and runs are proved for one",
      blas_threads());
}

}  // namespace zerolab
