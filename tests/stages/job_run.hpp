#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "zerolab/stages/stage.hpp"
#include "zerolab/stages/state_digest.hpp"

namespace zerolab {

/// One stage on all ranks of a communicator, with its own ledger and trace, stepped by the test.
class JobRun {
 public:
  JobRun(Job job, int number, const Dataset& data, Communicator& comm)
      : job_(std::move(job)), comm_(comm) {
    comm.restart_ledger();
    stage_ = make_stage(number, {job_, data, comm_, memory_, trace_});
  }

  Stage& stage() { return *stage_; }
  MemoryLedger& memory() { return memory_; }
  Trace& trace() { return trace_; }
  StepResult step() { return stage_->step(steps_++); }
  StateDigest digest() { return digest_of(*stage_, job_, comm_); }

  /// This rank's shard of a unit: where it begins, and one of the optimizer's states there.
  Shards cut(std::size_t unit) const { return {job_.shape.elements(unit), comm_.size()}; }
  std::vector<float> my_shard(std::size_t unit, ConstNumbers state) const {
    const std::size_t rank = comm_.rank();
    if (state.size == cut(unit).elements)
      state = state.part(cut(unit).first(rank), cut(unit).size(rank));
    std::vector<float> values(state.size);
    widen(state, values);
    return values;
  }

 private:
  Job job_;
  Communicator& comm_;
  MemoryLedger memory_;
  Trace trace_;
  std::unique_ptr<Stage> stage_;
  std::size_t steps_ = 0;
};

/// Digests of parameters, master and moments as one word list, to be compared.
inline std::vector<std::uint64_t> words(const StateDigest& digest) {
  return {digest.parameters, digest.master, digest.moments};
}

/// Expects the same text on every rank; all ranks together.
inline void expect_same_everywhere(Communicator& comm, const std::string& text) {
  const std::vector<std::string> texts = comm.gather(text);
  for (std::size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], texts.front()) << "rank " << r;
}

inline std::string exactly(const StepResult& r) {
  return fmt::format("loss {:a} norm {:a} factor {:a} scale {:a} skipped {} samples {}", r.loss,
                     r.grad_norm, r.clip_factor, r.loss_scale, r.skipped, r.samples);
}

}  // namespace zerolab
