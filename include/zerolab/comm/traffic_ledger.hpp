#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace zerolab {

/// Lines of the ledger. Scalars are the norm, overflow and loss sums of a step; other is everything
/// outside training steps: start-up, evaluation, digests, reports.
enum class Collective { all_reduce, reduce_scatter, all_gather, all_to_all, scalars, other };

inline constexpr std::size_t collectives = 6;
std::string_view name(Collective collective);  ///< as in the JSON summary: allreduce, …

/// What one rank handed to MPI. `elements` counts the full vector of each call (the larger side),
/// `payload_bytes` the same times its width, `ring_bytes` what a textbook ring sends from this rank
/// (a model, not a measurement; 0 at one rank).
struct Traffic {
  std::size_t calls = 0;
  std::size_t elements = 0;
  std::size_t payload_bytes = 0;
  std::size_t ring_bytes = 0;

  Traffic& operator+=(const Traffic& more);
  friend Traffic operator*(Traffic traffic, std::size_t times);
  bool operator==(const Traffic&) const = default;
};

using TrafficTable = std::array<Traffic, collectives>;

class TrafficLedger {
 public:
  void record(Collective collective, const Traffic& traffic) {
    table_[static_cast<std::size_t>(collective)] += traffic;
  }
  const Traffic& line(Collective collective) const {
    return table_[static_cast<std::size_t>(collective)];
  }
  const TrafficTable& table() const { return table_; }

 private:
  TrafficTable table_{};
};

}  // namespace zerolab
