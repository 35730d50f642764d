// Stage 2 overlapped: gradients leave while the backward pass goes on, parameters while the next
// unit is updated.
//   stored   as stage 2; one gradient is under way while the next is made, so two units of them
//   sent     as stage 2: MPI_Ireduce_scatter (every micro-batch), MPI_Iallgatherv (once a step)
//   run      tests/on_ranks.sh 3 60 build/zerolab train --stage 2 --overlap --hidden 3 --trace
//   compare  diff src/stages/stage2.cpp src/stages/overlapped2.cpp
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
      FullUnit gradient = new_gradient(l);  // full, lives until its sum has arrived
      model.backward(l, parameters[l], gradient);
      in_flight.reduce_scatter(std::move(gradient), gradients[l]);  // adds to my shard of the sum
    }
    in_flight.wait();  // the last has nothing to hide behind
  }

  void average_gradients() override {}  // nothing left to send

  void update() override {
    for (const auto l : units) {
      optimizer.update(l, my_shard(parameters[l]), gradients[l]);
      in_flight.all_gather(parameters[l]);  // in place: each shard lies where it belongs
    }
    in_flight.wait();
  }

  InFlight in_flight{comm};
};

}  // namespace

std::unique_ptr<Stage> make_overlapped2(const Stage::Setup& setup) {
  return std::make_unique<ThisStage>(setup);
}

}  // namespace zerolab
