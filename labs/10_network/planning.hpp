#pragma once

#include <limits>

#include "check.hpp"
#include "expected.hpp"

// What a network must be, and how many ranks are worth it, against the student's answers.

namespace expected {

inline void enough_bandwidth(lab::Check& check) {
  struct Row {
    double share, compute, bytes;
  };
  const auto text = [](const std::optional<double>& b) {
    return b ? fmt::format("{} bytes/s", *b) : std::string("none");
  };
  for (const auto& [share, t, bytes] : {Row{0.5, 4, 60},
                                        {0.25, 4, 60},
                                        {0.8, 10, 2.06e12},
                                        {0.8, 10, 2.0671875e12},
                                        {0.9, 3, 1},
                                        {1, 4, 60}}) {
    for (const bool overlap : {false, true}) {
      const double c = overlap ? t / share : t * (1 - share) / share;
      const auto right = c > 0 ? std::optional(bytes / c) : std::nullopt;
      const auto got = student::bandwidth_for(share, t, bytes, overlap);
      check.expect(got.has_value() == right.has_value() && (!got || close(*got, *right)),
                   "bandwidth_for(), {} of a step with {} s of computation, {} bytes, {}: expected "
                   "{}, got {}{}",
                   share, t, bytes, overlap ? "overlapped" : "one after the other", text(right),
                   text(got),
                   !right ? ": then there is no time to communicate in"
                   : got && close(*got, bytes / (t * (1 - share)))
                       ? ": t is that share of the step, so the step takes longer than t"
                   : overlap && got && close(*got, bytes / (t * (1 - share) / share))
                       ? ": communication may take as long as the whole step"
                       : "");
    }
  }
}

inline void best_number_of_ranks(lab::Check& check) {
  struct Row {
    double flops;
    std::vector<std::uint64_t> units;
    student::Cluster cluster;
    std::uint64_t most;
    const char* hint;
  };
  const double endless = std::numeric_limits<double>::infinity(), third = 1.0 / 3;
  for (const Row& row :
       {Row{64, {1}, {1, endless, third}, 64, ": 64/N + (N-1) is least at N = 8"},
        {64, {1}, {1, endless, third}, 5, ": no more ranks than there are"},
        {100,
         {10},
         {1, 1.2, 0},
         64,
         ": without latency a step only gets shorter here, from 100 s towards 50 s"},
        {100,
         {10},
         {1, 0.3, 0},
         64,
         ": sending takes longer than is saved, from the second rank on"},
        {10.65e9, {65280, 65280}, {1e12, 1.25e9, 20e-6}, 64, ""},
        {10.65e9, {130560}, {1e12, 1.25e9, 20e-6}, 64, ": half as many messages"},
        {10.65e9, {65280, 65280}, {1e12, 300e9, 1.9e-6}, 256, ""}}) {
    const std::uint64_t right = expected::sweet_spot(row.flops, row.units, row.cluster, row.most),
                        got = student::sweet_spot(row.flops, row.units, row.cluster, row.most);
    check.expect(got == right,
                 "sweet_spot(), {} flops at {}/s, units of {}, {} bytes/s, latency {} s, at most "
                 "{} ranks: expected {}, got {}{}",
                 row.flops, row.cluster.flops_per_second, row.units, row.cluster.bandwidth,
                 row.cluster.latency, row.most, right, got, row.hint);
  }
}

}  // namespace expected
