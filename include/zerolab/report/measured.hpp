#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "zerolab/core/memory_ledger.hpp"
#include "zerolab/report/results.hpp"

namespace zerolab {

/// The model state's categories in the order in which figures and tables stack them.
inline constexpr std::array model_state{Category::parameters, Category::gradients,
                                        Category::master,     Category::momentum,
                                        Category::variance,   Category::accumulator};

/// One stage of a verify-N.json, in whole bytes as counted.
struct MeasuredStage {
  /// Held after the last step, summed over ranks, by model_state.
  std::array<std::uint64_t, model_state.size()> state{};
  /// Handed to MPI in all training steps of the run under `reduce`, summed over ranks; scalars and
  /// what lies outside the steps apart.
  std::uint64_t payload_bytes = 0, ring_bytes = 0;
  std::uint64_t steps = 0;
  /// What the MPI counted itself in one step, summed over ranks, scalars apart; where it was asked.
  std::optional<std::uint64_t> wire_bytes;
  std::string reduce;

  std::uint64_t state_sum() const;
};

struct MeasuredRun {
  std::string file;  ///< verify-N.json
  std::uint64_t ranks = 0, parameters = 0;
  std::string precision;
  std::map<int, MeasuredStage> stages;
};

/// What verify-N.json says; none when there is no such file. Throws Error naming file and key.
std::optional<MeasuredRun> measured_run(Results& results, std::size_t ranks);

/// All of them, ascending in N.
std::vector<MeasuredRun> measured_runs(Results& results);

// The documents' closed forms (16-bit numbers, Adam, one micro-batch a step), summed over ranks:
// what a run has to show to the byte.

/// aΦN + bΦ, of one category of the model state.
std::uint64_t state_closed_form(int stage, Category category, std::uint64_t parameters,
                                std::uint64_t ranks);
/// Of a step: in payloads 2Φ·N times 1, 2, 2, 3; on a ring 2Φ·(N−1) times 2, 3, 2, 3. One rank
/// hands nothing on but still calls.
std::uint64_t payload_closed_form(int stage, std::uint64_t parameters, std::uint64_t ranks);
std::uint64_t ring_closed_form(int stage, std::uint64_t parameters, std::uint64_t ranks);

}  // namespace zerolab
