#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "zerolab/comm/reductions.hpp"
#include "zerolab/nn/dataset.hpp"
#include "zerolab/nn/network.hpp"
#include "zerolab/partition/gradient_norm.hpp"
#include "zerolab/partition/loss_scaler.hpp"
#include "zerolab/partition/optimizer.hpp"
#include "zerolab/stages/vocabulary.hpp"

namespace zerolab {

/// What a step did. The same on all ranks, to the bit.
struct StepResult {
  double loss = 0;       ///< mean over the samples of the step, unscaled; not finite if one is not
  bool skipped = false;  ///< gradients were not finite: nothing changed but the loss scale
  double grad_norm = 0;  ///< L2 norm of the averaged, unscaled gradient before clipping
  double clip_factor = 1;  ///< min(1, limit / norm)
  double loss_scale = 1;   ///< that the step used
  std::size_t samples = 0;
};

/// Where a resumed run goes on: what a stage knows beside its model states.
struct ResumePoint {
  std::size_t step = 0;        ///< steps done, skipped ones included
  DataPosition position = {};  ///< of the next sample
  std::size_t updates = 0;
  LossScaler::State scaler = {};
};

struct Evaluation {
  std::size_t correct = 0, samples = 0;
};

/// One rank of a data-parallel job. The base class owns the step: k × (forward, loss, backward),
/// average, agree, update. A stage is the four methods that differ; Placements drive what is
/// allocated.
class Stage {
 public:
  struct Setup {
    const Job& job;
    const Dataset& data;
    Communicator& comm;
    MemoryLedger& memory;
    Trace& trace;
  };

  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Trains one step, all ranks together; steps are numbered from 0 and count on through the
  /// epochs.
  StepResult step(std::size_t index);
  /// Goes on after the steps of another run, by whatever stage and number of ranks; the caller
  /// fills the model states.
  void resume(const ResumePoint& from);
  /// Runs every test sample once, in fixed blocks of 256 dealt to ranks.
  Evaluation evaluate();

  static constexpr std::size_t evaluation_block = 256;
  /// 64-bit words that all ranks sum once a step: norm, overflow and loss.
  static constexpr std::size_t scalar_words = 7;

  const BatchPlan& plan() const { return plan_; }
  const Placements& placements() const { return placements_; }
  const LossScaler& scaler() const { return scaler_; }
  const Optimizer& optimizer_states() const { return optimizer; }
  Optimizer& optimizer_states() { return optimizer; }
  /// Of each unit, after a step: full or this rank's shard, still scaled.
  const std::vector<Sum>& averaged_gradients() const { return gradients; }
  /// This rank's shard of a unit's parameters, wherever the stage keeps them.
  ConstNumbers my_parameters(std::size_t unit) const;
  const std::vector<Buffer>& stored_parameters() const { return parameters; }
  std::vector<Buffer>& stored_parameters() { return parameters; }

 protected:
  Stage(const Setup& setup, Placements placements);

  // The four methods, in the paper's words.
  virtual void forward() = 0;   ///< all units on the loaded batch; evaluation calls this too
  virtual void backward() = 0;  ///< all units, last first; once per micro-batch
  virtual void average_gradients() = 0;  ///< once per step
  virtual void update() = 0;             ///< not called on a skipped step

  /// All parameters of a unit, gathered from the shards, until the end of the scope.
  FullUnit gather(std::size_t unit);
  /// Gathers a unit ahead of its use, in the order given: while one is used, the next is on its
  /// way. Two are held at most.
  class Prefetch {
   public:
    Prefetch(Stage& stage, const std::vector<std::size_t>& order);  ///< starts the first
    FullUnit next();  ///< waits for the next in order, and starts the one after it

   private:
    void start();
    Stage& stage_;
    const std::vector<std::size_t>& order_;
    std::size_t position_ = 0;
    std::optional<FullUnit> unit_;
    Request request_;  // after the unit, so that it ends before it
  };
  /// With activation checkpointing, at the last unit of a segment: runs the whole segment forward
  /// once more, from its kept input. Sharded parameters are gathered for it unit by unit.
  void recompute_activations(std::size_t unit);
  /// Whether the backward pass that runs now is the last of the step.
  bool last_micro_batch() const { return last_micro_batch_; }
  /// Room for one micro-batch's gradient of a unit, until the end of the scope.
  FullUnit new_gradient(std::size_t unit);
  /// This rank's shard of what is stored in full.
  Numbers my_shard(Numbers full) const;
  ConstNumbers my_shard(const Sum& full) const { return my_shard_of(full.stored); }

 private:
  Job job_;
  const Dataset& data_;
  Communicator& ranks_;
  MemoryLedger& memory_;
  Trace& trace_;
  Placements placements_;
  BatchPlan plan_;
  LossScaler scaler_;
  std::vector<std::int32_t> labels_;
  bool last_micro_batch_ = true;

 protected:
  const std::vector<std::size_t> units;             ///< 0, 1, …
  const std::vector<std::size_t> units_last_first;  ///< …, 1, 0
  Model model;
  Reductions comm;
  StageOptimizer optimizer;
  std::vector<Buffer> parameters;
  std::vector<Sum> gradients;

 private:
  void make_unit(std::size_t unit);
  /// A unit of parameters in full, with my shard in its place and nothing else yet.
  FullUnit room_for(std::size_t unit);
  void load(Split split, std::span<const std::size_t> indices, Network::Keep keep);
  /// Sums norm, overflow and loss over ranks, so that all decide alike.
  StepResult agree(std::size_t samples, LossSum loss);
  ConstNumbers my_shard_of(ConstNumbers full) const;
};

/// Stages 0 … 3, or with Job::overlap the twins of 0, 2 and 3; anything else throws Error.
std::unique_ptr<Stage> make_stage(int number, const Stage::Setup& setup);

}  // namespace zerolab
