// Stage 0 overlapped: gradients leave while the backward pass goes on.
//   stored   as stage 0; beside it the sum of one unit under way (8Φ_l and 8Φ_l/N under exact)
//   sent     each gradient's all-reduce as its two halves, MPI_Ireduce_scatter and MPI_Iallgatherv:
//            2 · Φ(N−1)/N either way, but the halves show where the sum is made, a simulator's
//            MPI_Iallreduce sends the whole vector to every rank, and 16-bit averages go back
//   run      tests/on_ranks.sh 3 60 build/zerolab train --stage 0 --overlap --hidden 3 --trace
//   compare  diff src/stages/stage0.cpp src/stages/overlapped0.cpp
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
      model.backward(l, parameters[l], gradients[l]);  // adds to my sum over micro-batches
      if (last_micro_batch()) in_flight.all_reduce(gradients[l]);  // after the one before arrived
    }
  }

  void average_gradients() override { in_flight.wait(); }

  void update() override {
    for (const auto l : units) {
      optimizer.update(l, parameters[l], gradients[l]);
    }
  }

  InFlight in_flight{comm};
};

}  // namespace

std::unique_ptr<Stage> make_overlapped0(const Stage::Setup& setup) {
  return std::make_unique<ThisStage>(setup);
}

}  // namespace zerolab
