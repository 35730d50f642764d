// Stage 0, data parallelism: every rank stores the whole model state.
//   stored   parameters 2Φ      gradients 2Φ      optimizer states 12Φ
//   sent     all-reduce of the gradients (once a step, for any number of micro-batches)
//   run      tests/on_ranks.sh 3 60 build/zerolab train --stage 0 --hidden 3 --trace
//   compare  the ZeRO paper, section 2.1; then stage 1
#include "stages.hpp"

namespace zerolab {

namespace {

class ThisStage final : public Stage {
 public:
  // full: parameters, gradients, optimizer states        sharded: nothing
  explicit ThisStage(const Setup& setup) : Stage(setup, placements_of(0)) {}

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
      optimizer.update(l, parameters[l], gradients[l]);
    }
  }
};

}  // namespace

std::unique_ptr<Stage> make_stage0(const Stage::Setup& setup) {
  return std::make_unique<ThisStage>(setup);
}

}  // namespace zerolab
