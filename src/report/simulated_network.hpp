#pragma once

#include "folder.hpp"

namespace zerolab {

/// What a formula allows: seconds, or a share of them.
struct Range {
  double least, most;

  /// Within a billionth: the simulator's clock is as exact as its doubles.
  bool has(double value) const;
};

/// A job of network.json: a step on a simulated cluster. Keys: labs/simulate_network.sh.
struct SimulatedStep {
  Source source;
  std::string platform;
  double bandwidth;                        ///< bytes/s, of a link in one direction
  double latency;                          ///< seconds, rank to rank
  double flops;                            ///< flops/s, of a rank
  std::uint64_t ranks, parameters, batch;  ///< batch: samples of a rank
  int stage;
  bool overlap;
  std::vector<std::uint64_t> widths;    ///< elements: features, hidden widths, classes
  double step, compute, communication;  ///< seconds
  std::uint64_t state, ring;            ///< bytes of all ranks

  /// Seconds, flops over flops/s: 2 for each weight and sample three times, of unit 0 twice, and 17
  /// for each parameter that a rank updates (Adam).
  double compute_formula() const;
  /// Bytes that rings send from all ranks, exact.
  std::uint64_t ring_formula() const;
  /// Seconds: the same from one rank, over the bandwidth.
  double ring_seconds() const;
  /// Seconds without overlap. Least: the rings, each N−1 messages of latency + (shard + 16 bytes of
  /// SMPI's envelope) / bandwidth. Most: and two all-reduces of the step's scalars, its own and the
  /// one before, which ranks may leave one after the other.
  Range communication_formula() const;
  /// Seconds of the two together. With overlap of stage 3 the longer of them, to which is added
  /// what has nothing to hide behind: the first gather of each pass and the last sum, of the first
  /// unit, the last, the first.
  Range step_formula() const;
  /// Times, state and bytes are those of the formulas.
  bool as_formula() const;

  std::string network() const;  ///< "1.25 GB/s (ethernet-10g)"
};

/// The jobs of one list, at least one. Throws Error naming file and key when they are not as
/// documented.
std::vector<SimulatedStep> simulated_steps(Results& results, const std::string& list);
/// The first that has these; throws Error when there is none.
const SimulatedStep& job_of(const std::vector<SimulatedStep>& jobs, const std::string& platform,
                            int stage);

namespace findings {
/// The simulated part of exercises 5.2 and 5.3.
void add_efficiency(const Folder& folder, Finding& finding);
void add_two_stages(const Folder& folder, Finding& finding);
/// What is open without network.json.
std::string not_simulated(const char* what);
}  // namespace findings

/// Bytes/s, the bandwidth of both directions together for the model of exercise 5.2, which is
/// larger than the job's: every link has as many times more.
double exercise_bandwidth(const SimulatedStep& job);

}  // namespace zerolab
