// Stage 2, P_os+g: optimizer states and gradients are sharded.
//   stored   parameters 2Φ      gradients 2Φ/N    optimizer states 12Φ/N
//   sent     reduce-scatter of the gradients (every micro-batch: nowhere to keep them full),
//            all-gather of the updated parameters (once a step)
//   run      tests/on_ranks.sh 3 60 build/zerolab train --stage 2 --hidden 3 --trace
//   compare  diff src/stages/stage1.cpp src/stages/stage2.cpp
#include "stages.hpp"

namespace zerolab {

namespace {

class ThisStage final : public Stage {
 public:
  // full: parameters        sharded: gradients, optimizer states
  explicit ThisStage(const Setup& setup) : Stage(setup, placements_of(2)) {}

 private:
  void forward() override {
    for (const auto l : units) model.forward(l, parameters[l]);
  }

  void backward() override {
    for (const auto l : units_last_first) {
      recompute_activations(l);  // of the segment that ends with l, with activation checkpointing
      FullUnit gradient = new_gradient(l);  // full, lives until the brace
      model.backward(l, parameters[l], gradient);
      comm.reduce_scatter(gradient, gradients[l]);  // adds to my shard of the sum
    }
  }

  void average_gradients() override {}  // nothing left to send

  void update() override {
    for (const auto l : units) {
      optimizer.update(l, my_shard(parameters[l]), gradients[l]);
      comm.all_gather(parameters[l]);  // in place: each shard lies where it belongs
    }
  }
};

}  // namespace

std::unique_ptr<Stage> make_stage2(const Stage::Setup& setup) {
  return std::make_unique<ThisStage>(setup);
}

}  // namespace zerolab
