#pragma once

#include <cstdint>
#include <optional>
#include <vector>

// Lab 10: what is written by the student. Seconds, bytes, bytes/s of one direction, flops.

namespace student {

/// What one rank does in a step.
struct Step {
  double flops, flops_per_second;
  double bytes, bandwidth;   ///< sent
  double messages, latency;  ///< one after the other; seconds that each takes beside its bytes
  bool overlap;              ///< everything is sent while the rank computes; else nothing is
};

/// Task 1. Seconds.
double step_time(const Step& step);

/// What rings send from a rank in a step.
struct Sent {
  double bytes;     ///< mean over ranks; exact where the ranks divide the units
  double messages;  ///< one after the other
};

/// Task 2. Of a stage 0 … 3, one micro-batch, 2-byte parameters and gradients; `units` are the
/// parameters of each unit.
Sent sent(int stage, const std::vector<std::uint64_t>& units, std::uint64_t ranks);

/// Task 3. Share of the step that is computation; `compute` and `communication` are seconds.
double efficiency(double compute, double communication, bool overlap);

/// Task 4. The least bandwidth with which sending `bytes` allows this efficiency, 0 < efficiency <=
/// 1, bytes > 0, no latency; none where no bandwidth is enough.
std::optional<double> bandwidth_for(double efficiency, double compute, double bytes, bool overlap);

struct Cluster {
  double flops_per_second;    ///< of a rank
  double bandwidth, latency;  ///< rank to rank
};

/// Task 5. The number of ranks, 1 … most, with the least time for a step of stage 3 without
/// overlap, where `flops` for the global batch are dealt out evenly.
std::uint64_t sweet_spot(double flops, const std::vector<std::uint64_t>& units,
                         const Cluster& cluster, std::uint64_t most);

/// A network of units of widths[l] inputs and widths[l + 1] outputs, trained by Adam.
struct Job {
  int stage;
  std::uint64_t ranks, batch;  ///< samples of a rank
  std::vector<std::uint64_t> widths;
  Cluster cluster;
};

struct Times {
  double compute, communication;  ///< seconds
};

/// Task 6. A step without overlap.
Times predict(const Job& job);

}  // namespace student
