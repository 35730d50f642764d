#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "zerolab/core/memory_ledger.hpp"

// The check's own meters, apart from the ledgers that student code is handed: they stand before MPI
// (its profiling interface) and ask the C library for the heap.

namespace lab {

/// One call that moves data. Elements are those of the full vector (the larger side); bytes what
/// this rank hands over: the payload of a collective, the message of a send, 0 of a receive.
struct Call {
  std::string_view function;
  std::size_t elements = 0, bytes = 0;
  int peer = -1;  ///< of a send: to whom; of a receive: from whom

  bool operator==(const Call&) const = default;
};

/// Calls since the last time this was asked. Barriers and waits are not among them.
std::vector<Call> take_calls();

/// The MPI call that this rank is in, "" outside.
const char* call_under_way();

/// Bytes of the heap in use, of the whole process; none where the C library does not say.
std::optional<std::size_t> heap_bytes();

/// Watches a ledger at each MPI call: how much of the heap it does not know (none where the C
/// library does not say), and the bytes of parameters in it when gradients are sent.
class HeapWatch {
 public:
  explicit HeapWatch(const zerolab::MemoryLedger& ledger);
  ~HeapWatch();
  HeapWatch(const HeapWatch&) = delete;
  HeapWatch& operator=(const HeapWatch&) = delete;

  void look(std::string_view function = "");
  /// Most bytes at a time that were new since the watch began and not in the ledger.
  std::optional<std::size_t> unaccounted() const;
  /// At each reduce-scatter so far.
  const std::vector<std::size_t>& parameters_held() const { return parameters_held_; }

 private:
  const zerolab::MemoryLedger& ledger_;
  std::optional<std::size_t> heap_;
  std::size_t held_, unaccounted_ = 0;
  std::vector<std::size_t> parameters_held_;
};

}  // namespace lab
