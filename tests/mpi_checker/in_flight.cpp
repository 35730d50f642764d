#include "in_flight.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace mpi_checker {

namespace {

constexpr std::byte poisoned{0xFF};

/// A value that is no request of MPI's.
template <class Handle>
Handle own_handle(InFlight& one) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(&one);
  } else {
    static int number = 0;
    return static_cast<Handle>(0x5a00'0000 + number++);
  }
}

std::string where(std::size_t byte, std::size_t bytes) {
  return "byte " + std::to_string(byte) + " of " + std::to_string(bytes);
}

}  // namespace

Copy::Copy(Parts user) : user_(std::move(user)), bytes_(bytes_of(user_) + 1) {
  std::byte* to = bytes_.data();
  for (const Part& part : user_) to = std::copy_n(part.data, part.bytes, to);
}

void Copy::poison() {
  for (const Part& part : user_) std::fill_n(part.data, part.bytes, poisoned);
}

void Copy::require_poison(const Call& call) const {
  std::size_t before = 0;
  for (const Part& part : user_) {
    const auto intact = static_cast<std::size_t>(
        std::find_if(part.data, part.data + part.bytes, [](std::byte b) { return b != poisoned; }) -
        part.data);
    if (intact < part.bytes)
      call.violation("receive buffer written in flight: " +
                     where(before + intact, bytes_of(user_)));
    before += part.bytes;
  }
}

void Copy::require_equal(const Call& call) const {
  const std::byte* then = bytes_.data();
  for (const Part& part : user_) {
    const auto [now, was] = std::mismatch(part.data, part.data + part.bytes, then);
    if (now != part.data + part.bytes)
      call.violation("send buffer written in flight: " +
                     where(static_cast<std::size_t>(was - bytes_.data()), bytes_of(user_)));
    then += part.bytes;
  }
}

void Copy::give_back(std::size_t bytes) {
  const std::byte* from = bytes_.data();
  for (const Part& part : user_) {
    const std::size_t some = std::min(bytes, part.bytes);
    std::copy_n(from, some, part.data);
    from += part.bytes;
    bytes -= some;
  }
}

PackedCounts::PackedCounts(const int* counts, const int* places, std::size_t ranks)
    : user_counts_(counts), user_places_(places), counts_(counts, counts + ranks), packed_(ranks) {
  if (places) user_places_then_.assign(places, places + ranks);
  std::exclusive_scan(counts_.begin(), counts_.end(), packed_.begin(), 0);
}

void PackedCounts::require_unchanged(const Call& call) const {
  if (!std::equal(counts_.begin(), counts_.end(), user_counts_))
    call.violation("counts written in flight");
  if (!std::equal(user_places_then_.begin(), user_places_then_.end(), user_places_))
    call.violation("displacements written in flight");
}

const void* InFlight::send(const Parts& user) {
  send_ = std::make_unique<Copy>(user);
  return send_->data();
}

void* InFlight::receive(const Parts& user, std::size_t given_back) {
  receive_ = std::make_unique<Copy>(user);
  receive_->poison();
  given_back_ = given_back;
  return receive_->data();
}

const PackedCounts& InFlight::layout(const int* counts, const int* places) {
  return layouts_.emplace_back(counts, places, call_.ranks());
}

void InFlight::ask(const Description& mine) {
  agreement_ = std::make_unique<Agreement>(call_, mine);
  request = agreement_->request();
}

void InFlight::complete() {
  for (const PackedCounts& layout : layouts_) layout.require_unchanged(call_);
  if (send_) send_->require_equal(call_);
  if (receive_) {
    receive_->require_poison(call_);
    receive_->give_back(given_back_);
  }
  if (agreement_) agreement_->judge();
}

std::list<InFlight>& in_flight() {
  static std::list<InFlight> all;
  return all;
}

InFlight& start(const Call& call, MPI_Request* handle) {
  InFlight& one = in_flight().emplace_back(call);
  *handle = one.handle = own_handle<MPI_Request>(one);
  return one;
}

InFlight* find(MPI_Request handle) {
  const auto found =
      std::ranges::find_if(in_flight(), [&](const InFlight& one) { return one.handle == handle; });
  return found == in_flight().end() ? nullptr : &*found;
}

void end(InFlight& ended) {
  ended.complete();
  in_flight().remove_if([&](const InFlight& one) { return &one == &ended; });
}

}  // namespace mpi_checker
