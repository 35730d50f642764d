#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zerolab/report/cost_model.hpp"
#include "zerolab/report/fraction.hpp"

// The calculator of the documents' exercises: pure functions from a model's size to what it needs.
// Sizes up to 10^18; exact, and Error where 128 bits do not hold a result.

namespace zerolab {

/// Which bytes an element of each model state has. Ours, two variants of it, and two other systems
/// as they document themselves (plan_layouts.cpp names the sources).
enum class StateLayout { zerolab, fp32_gradients, no_master, megatron, deepspeed };

/// Whether that is a system with stages and collectives of its own.
constexpr bool of_another_system(StateLayout layout) {
  return layout == StateLayout::megatron || layout == StateLayout::deepspeed;
}

/// A model of which only its size is known: one unit, cut into N shards. Where units are each cut
/// by themselves the fullest rank may hold up to (units − 1) elements more.
struct PlannedModel {
  Whole parameters = 0;  ///< Φ, at least 1
  Job job;               ///< precision, optimizer and accumulate count; the rest is left alone
  StateLayout layout = StateLayout::zerolab;
  std::optional<Whole> largest_unit =
      {};  ///< elements that are gathered at a time; none: not asked
};

/// A layout's model state; empty where it has no such stage.
std::vector<State> planned_states(const PlannedModel& model, int stage);
/// Where a layout's figures are from, in sentences of at most 100 columns; none for zerolab's own.
std::vector<std::string> source_of(StateLayout layout);
/// Bytes that a rank needs for a while beside its state, for each element of the largest unit: its
/// gathered parameters (stage 3), and its gradient unless that can be written where the sum is
/// kept.
std::size_t unit_bytes(const PlannedModel& model, int stage);

/// Exercises 3.1 and 5.1: how many times less a rank holds on N ranks than on one,
/// (a+b)N/(aN+b).
Fraction reduction(const StateBytes& bytes, Whole ranks);
std::string reduction_formula(const StateBytes& bytes);  ///< "4N/(N+3)"
/// Its limit for N → ∞, (a+b)/a; none when a = 0, for then it grows without bound.
std::optional<Fraction> ceiling(const StateBytes& bytes);

/// Exercises 1.1 and 2.1 to 2.3. Where N does not divide Φ some ranks hold an element more.
struct StageMemory {
  struct Line {
    Category category;
    Whole bytes;  ///< on the fullest rank
  };
  int stage;
  StateBytes per_element;       ///< a and b
  std::vector<Line> lines;      ///< parameters first
  Whole bytes;                  ///< on the fullest rank
  Whole bytes_elsewhere;        ///< on a rank with an element less
  Whole bytes_of_all;           ///< over all N ranks
  std::optional<Whole> buffer;  ///< for a while beside it, where a largest unit is given

  /// All but parameters and gradients, on the fullest rank.
  Whole optimizer_bytes() const { return bytes - lines[0].bytes - lines[1].bytes; }
};
std::vector<StageMemory> plan_memory(const PlannedModel& model, Whole ranks);
/// What a rank holds in full and sharded, on the fullest rank: aΦ + b⌈Φ/N⌉.
Whole bytes_on_fullest(const StateBytes& bytes, Whole parameters, Whole ranks);

/// Bytes of a rank and step in one direction, in the two conventions (cost_model.hpp). Exercises
/// 3.2 and 3.3.
struct StageTraffic {
  int stage;
  UnitCalls calls;
  Volume times;            ///< Φ(N−1)/N elements
  Fraction payload, wire;  ///< bytes in one direction; both directions are twice that
  std::optional<Fraction> payload_ratio, wire_ratio;  ///< to stage 0; none: nothing is sent
};
std::vector<StageTraffic> plan_traffic(const PlannedModel& model, Whole ranks);

/// Exercise 5.2: t = computation, c = bytes / bandwidth, and what an efficiency needs.
struct Timing {
  /// Of one assumption on how far communication hides behind computation.
  struct Overlap {
    std::optional<Fraction> efficiency;  ///< none when nothing takes time
    std::optional<Fraction> bandwidth;   ///< for the target; none when none is enough
  };
  Fraction seconds;  ///< c
  Overlap none;      ///< t/(t+c), the documents' definition
  Overlap full;      ///< t/max(t, c)
};
Timing plan_time(const Fraction& bytes, const Fraction& bandwidth, const Fraction& compute_seconds,
                 const std::optional<Fraction>& target);

/// Exercises 4.1 and 4.2.
struct StageFit {
  int stage;
  StateBytes per_element;
  Whole state, buffer, total;  ///< bytes on the fullest rank; the total has activations too
  bool fits;
  Whole difference;                ///< bytes to spare, or missing
  std::optional<Whole> min_ranks;  ///< smallest N that fits; none: no N does
  std::optional<Whole> min_power_of_two;
  std::optional<Fraction> bound;  ///< N must not be below it, if shards were not whole elements
  std::optional<StageTraffic> traffic;  ///< of our stages; none for another system's layout
};

/// What would help where nothing fits, one thing at a time.
struct Remedies {
  /// The optimizer state kept in the host's memory.
  struct Offload {
    int stage;
    Whole left, total, host;  ///< bytes of a rank: state left on it, with activations; on its host
    bool fits;
  };
  /// The model cut into `parts`, each on N ranks of its own with activations as before.
  struct Split {
    int stage;
    std::optional<Whole> parts;  ///< smallest number; none: activations alone are too much
    Whole part, ranks, total;    ///< parameters of the largest part, ranks in all, bytes of a rank
  };
  int leanest_stage;                         ///< with the least state
  std::optional<Whole> activations_at_most;  ///< bytes that it leaves; none: nothing
  std::vector<Offload> offload;
  std::vector<Split> split;
};

struct Fit {
  Whole memory, activations;
  std::vector<StageFit> stages;
  /// Stages, least traffic first: payload, then wire, then stage; another system's by stage.
  std::vector<int> order;
  std::optional<int> recommended;    ///< the first of them that fits
  std::optional<Remedies> remedies;  ///< when none fits
};
/// `memory` and `activations` in bytes of a rank.
Fit plan_fit(const PlannedModel& model, Whole ranks, Whole memory, Whole activations);

}  // namespace zerolab
