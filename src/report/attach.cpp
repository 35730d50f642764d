// Whether a rank may read another's memory by the system call that MPI libraries use for large
// messages on one host. Containers forbid it at times.
#include <fmt/ranges.h>

#include <sstream>

#include "doctor.hpp"

#ifdef __linux__
#include <sys/uio.h>
#include <unistd.h>
#endif

namespace zerolab {

std::optional<bool> can_attach(Communicator& comm) {
#ifdef __linux__
  const auto outside = comm.outside_training();
  const std::uint64_t word = 0x7a65726f6c616200U + comm.rank();
  const auto mine =
      fmt::format("{} {} {}", getpid(), reinterpret_cast<std::uintptr_t>(&word), host_name());
  const std::string all = comm.broadcast(fmt::format("{}", fmt::join(comm.gather(mine), "\n")), 0);
  const std::size_t next = (comm.rank() + 1) % comm.size();
  std::istringstream lines(all);
  std::string line;
  for (std::size_t r = 0; r <= next; ++r) std::getline(lines, line);
  std::istringstream words(line);
  pid_t process = 0;
  std::uintptr_t address = 0;
  std::string host;
  words >> process >> address >> host;
  bool tried = comm.size() > 1 && host == host_name(), read = true;
  if (tried) {
    std::uint64_t copy = 0;
    const iovec here{&copy, sizeof copy};
    const iovec there{reinterpret_cast<void*>(address), sizeof copy};
    read = process_vm_readv(process, &here, 1, &there, 1, 0) == sizeof copy &&
           copy == word - comm.rank() + next;
  }
  const bool somewhere = comm.maximum(tried ? 1 : 0) == 1;  // also: all words have been read
  const bool blocked = comm.maximum(read ? 0 : 1) == 1;
  if (somewhere) return !blocked;
#else
  static_cast<void>(comm);
#endif
  return std::nullopt;
}

}  // namespace zerolab
