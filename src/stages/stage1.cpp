// Stage 1, P_os: optimizer states are sharded.
//   stored   parameters 2Φ      gradients 2Φ      optimizer states 12Φ/N
//   sent     all-reduce of the gradients (once a step, for any number of micro-batches),
//            all-gather of the updated parameters (once a step);
//            the paper's P_os gets by with a reduce-scatter, here gradients stay replicated
//   run      tests/on_ranks.sh 3 60 build/zerolab train --stage 1 --hidden 3 --trace
//   compare  diff src/stages/stage0.cpp src/stages/stage1.cpp
#include "stages.hpp"

namespace zerolab {

namespace {

class ThisStage final : public Stage {
 public:
  // full: parameters, gradients        sharded: optimizer states
  explicit ThisStage(const Setup& setup) : Stage(setup, placements_of(1)) {}

 private:
  void forward() override {
    for (const auto l : units) model.forward(l, parameters[l]);
  }

  void backward() override {
    for (const auto l : units_last_first) {
      recompute_activations(l);  // of the segment that ends with l, with activation checkpointing
      model.backward(l, parameters[l], gradients[l]);  // adds to my sum over micro-batches
    }
  }

  void average_gradients() override {
    for (const auto l : units) comm.all_reduce(gradients[l]);
  }

  void update() override {
    for (const auto l : units) {
      optimizer.update(l, my_shard(parameters[l]), my_shard(gradients[l]));
      comm.all_gather(parameters[l]);  // in place: each shard lies where it belongs
    }
  }
};

}  // namespace

std::unique_ptr<Stage> make_stage1(const Stage::Setup& setup) {
  return std::make_unique<ThisStage>(setup);
}

}  // namespace zerolab
