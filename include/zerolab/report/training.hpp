#pragma once

#include <functional>
#include <optional>

#include "zerolab/report/cost_model.hpp"
#include "zerolab/stages/stage.hpp"
#include "zerolab/stages/state_digest.hpp"

namespace zerolab {

/// What one rank measured.
struct RankReport {
  MemoryTable memory{};         ///< bytes by category; now: after the last step, all state alive
  std::size_t memory_peak = 0;  ///< bytes of all categories together, at most
  std::optional<std::size_t> rss_peak;  ///< bytes, the process as the system sees it
  TrafficTable traffic{};
};

/// What a training run ended with. Reports and formulas are by rank, on rank 0 only.
struct Outcome {
  int stage = 0;
  std::size_t first_step = 0;          ///< those of a run that this one resumed
  std::size_t steps = 0, skipped = 0;  ///< in all, those before a resumed run included
  std::optional<StepResult> last;      ///< none after 0 steps
  Evaluation evaluation;
  StateDigest digest;
  std::vector<std::uint64_t>
      step_digests;        ///< of the parameters after each step; on all ranks, if asked
  double step_median = 0;  ///< seconds, rank 0; simulated where the cluster is
  /// Seconds of a step of rank 0: its computation, and the rest, communication that nothing hid.
  /// Only in a simulation.
  std::optional<double> compute_median, communication_median;
  double samples_per_second = 0;
  std::vector<RankReport> reports;
  std::vector<MemoryTable> memory_formula;
  std::vector<TrafficTable> traffic_formula;

  bool memory_holds() const;   ///< every rank, every category, now and peak
  bool traffic_holds() const;  ///< every rank, every collective of training
};

struct Training {
  const Job& job;
  int stage;          ///< also of the formulas that it is held against
  std::size_t steps;  ///< the total to reach, those before a resumed run included
  const Dataset& data;
  Communicator& comm;
  MemoryLedger& memory;
  std::function<std::unique_ptr<Stage>(int stage, const Stage::Setup&)> make = make_stage;
  bool digest_steps = false;
  bool rss_from_now = false;     ///< count the process peak from here on, where the system can
  Trace* trace = nullptr;        ///< tells the first step that is not skipped
  Timeline* timeline = nullptr;  ///< records the last step that is not skipped
  ResumePoint from = {};
  /// Fills the model states where a run is resumed; must not communicate.
  std::function<void(Stage&)> load = {};
  /// After a step, on all ranks alike: whether the run ends here, without evaluation.
  std::function<bool()> stop = {};
  /// Called on every rank before the first step, and after each.
  std::function<void(const Stage&)> before_steps = {};
  std::function<void(std::size_t step, const StepResult&, const Stage&)> after_step;
};

/// Trains from the initial weights or those loaded, evaluates, digests; all ranks together. Ledgers
/// start anew.
Outcome run(const Training& training);

/// Runs `work` on every rank; an Error on any of them becomes one AgreedError on all, in the words
/// of the lowest rank that has one. `work` must not communicate.
void together(Communicator& comm, const std::function<void()>& work);

}  // namespace zerolab
