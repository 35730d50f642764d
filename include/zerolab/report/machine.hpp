#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zerolab {

/// Value of an environment variable; empty when not set.
using Environment = std::function<std::string(const char* variable)>;

/// What doctor knows about the machine and the job. Unknown is empty, and shown as not available.
struct Machine {
  std::string launcher;  ///< in words
  bool root = false;
  bool open_mpi = false;
  std::size_t cores = 1;         ///< of the host
  std::size_t usable_cores = 1;  ///< that this rank may run on
  std::size_t ranks = 1;         ///< on the host
  std::string host;
  bool host_resolves = true;
  std::string transport;
  std::string shared_memory_folder;
  std::optional<std::uint64_t> shared_memory_free;  ///< bytes
  /// Whether a rank may read another's memory; none when it was not tried.
  std::optional<bool> attach;
  bool attach_switched_off = false;   ///< MPI was told to do without
  std::string blas;                   ///< version, kernel and who chose it
  std::string kernel, faster_kernel;  ///< the latter empty when there is none
  int blas_threads = 1;
  bool simgrid = false;  ///< smpirun is in the path
};

/// All but the launcher and what concerns other ranks and BLAS. To be called after MPI_Init.
Machine look_around(const Environment& environment);

// Its parts that are worth a test of their own.

/// Who started this process, from the variables that launchers set. Before MPI_Init, which may set
/// them too.
std::string launcher_of(const Environment& environment);
/// Open MPI's components for messages, and the folder of shared segments, among the files that a
/// process has mapped (the text of /proc/self/maps).
std::string transport_in(const std::string& maps);
std::string segment_folder_in(const std::string& maps);

/// One line for everything that makes training slow or its start fail.
std::vector<std::string> hints(const Machine& machine);

/// Shared memory that a rank of Open MPI or MPICH on one host may need, bytes.
inline constexpr std::uint64_t shared_memory_per_rank = 8U << 20U;

}  // namespace zerolab
