// Stage 3, P_os+g+p: optimizer states, gradients and parameters are sharded.
//   stored   parameters 2Φ/N    gradients 2Φ/N    optimizer states 12Φ/N
//   sent     all-gather of the parameters before use (twice every micro-batch: forward, backward;
//            with activation checkpointing three times: recomputation too),
//            reduce-scatter of the gradients (every micro-batch)
//   run      tests/on_ranks.sh 3 60 build/zerolab train --stage 3 --hidden 3 --trace
//   compare  diff src/stages/stage2.cpp src/stages/stage3.cpp
#include "stages.hpp"

namespace zerolab {

namespace {

class ThisStage final : public Stage {
 public:
  // full: nothing        sharded: parameters, gradients, optimizer states
  explicit ThisStage(const Setup& setup) : Stage(setup, placements_of(3)) {}

 private:
  void forward() override {
    for (const auto l : units) {
      const FullUnit weights = gather(l);  // full, released at the brace
      model.forward(l, weights);
    }
  }

  void backward() override {
    for (const auto l : units_last_first) {
      recompute_activations(l);  // of the segment that ends with l, with activation checkpointing
      const FullUnit weights = gather(l);   // unit 0 too: 6Φ counts it, an MLP could do without
      FullUnit gradient = new_gradient(l);  // full, lives until the brace
      model.backward(l, weights, gradient);
      comm.reduce_scatter(gradient, gradients[l]);  // adds to my shard of the sum
    }
  }

  void average_gradients() override {}  // nothing left to send

  void update() override {
    for (const auto l : units) {
      optimizer.update(l, parameters[l], gradients[l]);
    }
  }
};

}  // namespace

std::unique_ptr<Stage> make_stage3(const Stage::Setup& setup) {
  return std::make_unique<ThisStage>(setup);
}

}  // namespace zerolab
