#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "lab.hpp"

// The check's own: what is calculated, with numbers that were calculated by hand.

namespace on_paper {

using lab::Check;
using student::Convention;

inline const char* name_of(Convention convention) {
  return convention == Convention::ring ? "ring" : "payload";
}

struct Billed {
  Convention convention;
  int stage;
  std::uint64_t phi;
  std::size_t ranks, k;
  std::uint64_t one_direction;
};

inline std::string likely(const Billed& b, std::uint64_t got) {
  if (got == 2 * b.one_direction) return ": that is both directions";
  if (2 * got == b.one_direction) return ": elements, not bytes";
  if (got * (b.ranks - 1) == b.one_direction * b.ranks) return ": (N−1)/N is missing";
  return "";
}

inline void bills(Check& check) {
  constexpr std::uint64_t large = 175'000'000'000;
  constexpr Convention payload = Convention::payload, ring = Convention::ring;
  for (const Billed& b : {Billed{payload, 3, 8, 4, 1, 36}, Billed{payload, 0, 8, 4, 1, 12},
                          Billed{ring, 0, 8, 4, 1, 24}, Billed{payload, 3, 8, 1, 1, 0},
                          Billed{payload, 3, large, 64, 1, 1'033'593'750'000},
                          Billed{ring, 3, large, 64, 1, 1'033'593'750'000},
                          Billed{payload, 0, large, 64, 1, 344'531'250'000},
                          Billed{ring, 0, large, 64, 1, 689'062'500'000},
                          Billed{payload, 2, large, 64, 4, 1'722'656'250'000}}) {
    const student::Bill got = student::bill(b.convention, b.stage, b.phi, b.ranks, b.k);
    const std::string what = fmt::format("bill, {}, stage {}, Φ = {}, N = {}, k = {}",
                                         name_of(b.convention), b.stage, b.phi, b.ranks, b.k);
    check.expect(got.one_direction == b.one_direction,
                 "{}: one direction, expected {} bytes, got {}{}", what, b.one_direction,
                 got.one_direction, likely(b, got.one_direction));
    check.equal(2 * b.one_direction, got.both_directions, what + ": both directions");
  }
}

/// On so many ranks: messages one after the other in doubling, and the size at which ring and
/// doubling take as long, in units of αβ.
struct Turn {
  std::size_t ranks;
  double rounds, size;
};

inline void latency(Check& check) {
  constexpr double never = std::numeric_limits<double>::infinity();
  constexpr std::array turns{Turn{2, 1, never},  Turn{3, 3, 3. / 5},  Turn{4, 2, 8},
                             Turn{5, 4, 5. / 3}, Turn{8, 3, 44. / 5}, Turn{64, 6, 1280. / 43}};
  const auto near = [&](double right, double got, const std::string& what) {
    constexpr double roundings = 1e-12;  // a handful of 2^−53
    check.expect(
        got == right || (std::isfinite(right) && std::abs(got - right) <= roundings * right),
        "{}: expected {}, got {}", what, right, got);
  };
  for (const student::Link link : {student::Link{1e-6, 1e9}, student::Link{4e-6, 12.5e9}}) {
    const std::string on = fmt::format("α = {} s, β = {} bytes/s", link.latency, link.bandwidth);
    for (const double bytes : {0., 1000., 4e6}) {
      near(link.latency + bytes / link.bandwidth, student::message_seconds(link, bytes),
           fmt::format("message_seconds of {} bytes, {}", bytes, on));
      for (const Turn& turn : turns) {
        const auto n = static_cast<double>(turn.ranks);
        const std::string what = fmt::format(" of {} bytes, N = {}, {}", bytes, turn.ranks, on);
        near(2 * (n - 1) * (link.latency + bytes / n / link.bandwidth),
             student::ring_seconds(link, turn.ranks, bytes), "ring_seconds" + what);
        near(turn.rounds * (link.latency + bytes / link.bandwidth),
             student::doubling_seconds(link, turn.ranks, bytes), "doubling_seconds" + what);
      }
    }
    for (const Turn& turn : turns) {
      near(link.latency * link.bandwidth * turn.size,
           student::latency_rules_below(link, turn.ranks),
           fmt::format("latency_rules_below, N = {}, {}", turn.ranks, on));
    }
  }
}

}  // namespace on_paper
