#pragma once

#include <memory>

#include "zerolab/comm/communicator.hpp"

namespace zerolab {

/// Bytes this rank has sent to other ranks so far, messages inside collectives included, read while
/// the program runs: MPI_T's pml_monitoring_messages_size, the variable of Open MPI's monitoring
/// component (pml_monitoring_enable = 1, set before MPI_Init).
class WireCounter {
 public:
  /// All ranks together: finds the variable and has it show known messages, one sent from rank to
  /// rank and one inside a collective.
  explicit WireCounter(Communicator& comm);
  ~WireCounter();
  WireCounter(const WireCounter&) = delete;
  WireCounter& operator=(const WireCounter&) = delete;

  /// Why the count is not available, in a few words; empty when it is. The same on all ranks.
  const std::string& fault() const { return fault_; }
  std::uint64_t sent() const;

 private:
  struct Variable;
  bool counts(Communicator& comm) const;

  std::unique_ptr<Variable> variable_;
  std::string fault_;
  std::size_t rank_, size_;
};

}  // namespace zerolab
