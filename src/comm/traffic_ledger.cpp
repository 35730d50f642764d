#include "zerolab/comm/traffic_ledger.hpp"

namespace zerolab {

std::string_view name(Collective collective) {
  static constexpr std::array<std::string_view, collectives> names{
      "allreduce", "reduce_scatter", "allgather", "alltoall", "scalars", "other"};
  return names[static_cast<std::size_t>(collective)];
}

Traffic& Traffic::operator+=(const Traffic& more) {
  calls += more.calls;
  elements += more.elements;
  payload_bytes += more.payload_bytes;
  ring_bytes += more.ring_bytes;
  return *this;
}

Traffic operator*(Traffic traffic, std::size_t times) {
  return {traffic.calls * times, traffic.elements * times, traffic.payload_bytes * times,
          traffic.ring_bytes * times};
}

}  // namespace zerolab
