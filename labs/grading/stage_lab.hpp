#pragma once

#include <functional>
#include <memory>
#include <string>

#include "check.hpp"
#include "zerolab/stages/stage.hpp"

// The tasks of the labs in which a stage is written. What is expected comes from closed forms, and
// from digests that were made with plain loops (--gemm reference): no stage is linked here.

namespace lab {

/// What a lab's student file defines.
using StageMaker = std::unique_ptr<zerolab::Stage> (*)(const zerolab::Stage::Setup&);

/// A stage under test, and what it is to be like.
struct StageLab {
  int stage;
  StageMaker make;
  bool keeps = false;  ///< stage 3 with what the forward pass gathers kept for the backward pass
};

// The tasks, from paper to bits.

/// One step of two biases whose average gradient is an eighth: to be followed on paper.
void step_on_paper(Check& check, const StageLab& lab);
/// Bytes of each model state after a step, on every rank; and that nothing is held outside the
/// ledger.
void stored(Check& check, const StageLab& lab);
/// Peaks: what is gathered or made for a while is released.
void held_at_most(Check& check, const StageLab& lab);
/// Of a stage that keeps: each unit is released when the backward pass has run it, and an evaluation
/// leaves nothing to the next step.
void released_in_time(Check& check, const StageLab& lab);
/// Calls and elements of a step, by the check's own meter, for one and for three micro-batches.
void sent(Check& check, const StageLab& lab);
/// The digests of every unit after each step of a job of `key_jobs`.
void same_bits(Check& check, const StageLab& lab, const std::string& job);

/// Jobs that there are keys for: plain | micro-batches | clipped | skipped | empty, and
/// patients, of lab 12.
struct KeyJob {
  const char* name;
  const char* about;  ///< what is special, for whoever fails there
  zerolab::Job job;
  std::size_t steps;
  std::size_t samples;
  bool spoiled_sample;  ///< in step 2, on the last rank
};
const std::vector<KeyJob>& key_jobs();
const KeyJob& key_job(const std::string& name);

/// The samples of a key job on so many ranks.
std::unique_ptr<zerolab::Dataset> key_data(const KeyJob& job, std::size_t ranks);

/// Digest of a unit's parameters from all ranks' shards.
std::uint64_t unit_digest(const zerolab::Stage& stage, const zerolab::Job& job,
                          zerolab::Communicator& comm, std::size_t unit);

/// Empty where there are keys for so many ranks; else says so, and for which there are.
std::string key_missing(std::size_t ranks);

/// The key: digest of a unit of a job on so many ranks after a step, 0 before the first.
std::uint64_t right_digest(const std::string& job, std::size_t ranks, std::size_t unit,
                           std::size_t step);

}  // namespace lab
