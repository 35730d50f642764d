#include "check.hpp"

#include <algorithm>
#include <cmath>

#include "expected.hpp"
#include "planning.hpp"
#include "simulated.hpp"

namespace {

using expected::close;

void step_on_paper(lab::Check& check) {
  for (const student::Step& step : {student::Step{12, 3, 10, 5, 3, 1, false},
                                    {12, 3, 10, 5, 3, 1, true},
                                    {12, 2, 10, 5, 0, 1, true},
                                    {12, 2, 10, 5, 4, 1, false},
                                    {12, 2, 0, 5, 0, 1, false},
                                    {7e15, 312e12, 2.06e12, 300e9, 378, 2e-6, false},
                                    {7e15, 312e12, 2.06e12, 300e9, 378, 2e-6, true}}) {
    const double t = step.flops / step.flops_per_second, sending = step.bytes / step.bandwidth;
    const double c = sending + step.messages * step.latency;
    const double right = step.overlap ? std::max(t, c) : t + c, got = student::step_time(step);
    const auto like = [&](double part) {
      return close(got, step.overlap ? std::max(t, part) : t + part);
    };
    check.expect(close(got, right),
                 "step_time(), {} s of computation and {} s of communication, {}: "
                 "expected {} s, got {}{}",
                 t, c, step.overlap ? "overlapped" : "one after the other", right, got,
                 like(sending)                  ? ": latency is forgotten"
                 : like(sending + step.latency) ? ": every message has its latency"
                 : close(got, t + c)            ? ": what overlaps does not add up"
                 : close(got, std::max(t, c))   ? ": nothing overlaps here"
                                                : "");
  }
}

void rings(lab::Check& check) {
  struct Row {
    std::vector<std::uint64_t> units;
    std::uint64_t ranks;
  };
  for (const Row& row : {Row{{4}, 2},
                         {{6, 3}, 3},
                         {{6, 3}, 1},
                         {{12, 4, 4}, 4},
                         {{7'000'000'000}, 8},
                         {{175'000'000'000}, 64},
                         {{1'000'000}, 1'000'000}}) {
    for (int stage = 3; stage >= 0; --stage) {
      const auto right = expected::sent(stage, row.units, row.ranks),
                 got = student::sent(stage, row.units, row.ranks);
      const double n = static_cast<double>(row.ranks),
                   payload = std::array{1, 2, 2, 3}[static_cast<std::size_t>(stage)];
      const double phi = expected::parameters(row.units);
      const std::string what =
          fmt::format("sent(), stage {}, units of {}, {} ranks", stage, row.units, row.ranks);
      check.expect(close(got.bytes, right.bytes), "{}: expected {} bytes, got {}{}", what,
                   right.bytes, got.bytes,
                   close(got.bytes, right.bytes / 2)             ? ": a parameter has 2 bytes"
                   : close(got.bytes, right.bytes * n / (n - 1)) ? ": a ring sends N-1 of N shards"
                   : close(got.bytes, 2 * payload * phi * (n - 1) / n)
                       ? ": an all-reduce is two rings"
                       : "");
      check.expect(close(got.messages, right.messages), "{}: expected {} messages, got {}{}", what,
                   right.messages, got.messages,
                   close(got.messages * static_cast<double>(row.units.size()), right.messages)
                       ? ": each unit has rings of its own"
                   : close(got.messages, right.messages * n / (n - 1)) ? ": a ring has N-1 steps"
                                                                       : "");
    }
  }
}

void share_of_computation(lab::Check& check) {
  struct Row {
    double t, c;
  };
  for (const auto& [t, c] : {Row{3, 1},
                             {1, 4},
                             {5, 0},
                             {10, 2.5},
                             {10, 103.0 / 15},
                             {10, 441.0 / 64},
                             {10, 147.0 / 64}}) {
    for (const bool overlap : {false, true}) {
      const double right = expected::efficiency(t, c, overlap),
                   got = student::efficiency(t, c, overlap);
      check.expect(
          close(got, right),
          "efficiency(), {} s of computation, {} s of communication, {}: expected {}, got {}{}", t,
          c, overlap ? "overlapped" : "one after the other", right, got,
          close(got, c / (t + c)) ? ": that is the share of communication"
          : close(got, expected::efficiency(t, c, !overlap)) ? ": that is with the other overlap"
          : close(got, 100 * right)                          ? ": a share, not percent"
                                                             : "");
    }
  }
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 2, "a step on paper", step_on_paper},
      {2, 2, "what rings send", rings},
      {2, 1, "efficiency", share_of_computation},
      {3, 2, "the bandwidth for an efficiency", expected::enough_bandwidth},
      {4, 2, "the sweet spot", expected::best_number_of_ranks},
      {5, 1, "predicted and measured", expected::predicted},
  };
}
