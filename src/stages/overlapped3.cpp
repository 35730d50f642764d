// Stage 3 overlapped: a unit is gathered while the one before it is used, gradients leave while the
// backward pass goes on.
//   stored   as stage 3; two units of parameters are gathered at a time, two of gradients held
//   sent     as stage 3: MPI_Iallgatherv (twice every micro-batch), MPI_Ireduce_scatter
//   run      tests/on_ranks.sh 3 60 build/zerolab train --stage 3 --overlap --hidden 3 --trace
//   compare  diff src/stages/stage3.cpp src/stages/overlapped3.cpp
#include "stages.hpp"

namespace zerolab {

namespace {

class ThisStage final : public Stage {
 public:
  // full: nothing        sharded: parameters, gradients, optimizer states
  explicit ThisStage(const Setup& setup) : Stage(setup, placements_of(3)) {}

 private:
  void forward() override {
    Prefetch gather(*this, units);  // of the first: nothing to hide behind
    for (const auto l : units) {
      const FullUnit weights = gather.next();  // full, released at the brace; the next sets out
      model.forward(l, weights);
    }
  }

  void backward() override {
    Prefetch gather(*this, units_last_first);
    for (const auto l : units_last_first) {
      const FullUnit weights = gather.next();  // unit 0 too: 6Φ counts it, an MLP could do without
      FullUnit gradient = new_gradient(l);     // full, lives until its sum has arrived
      model.backward(l, weights, gradient);
      in_flight.reduce_scatter(std::move(gradient), gradients[l]);  // adds to my shard of the sum
    }
    in_flight.wait();  // the last has nothing to hide behind
  }

  void average_gradients() override {}  // nothing left to send

  void update() override {
    for (const auto l : units) {
      optimizer.update(l, parameters[l], gradients[l]);
    }
  }

  InFlight in_flight{comm};
};

}  // namespace

std::unique_ptr<Stage> make_overlapped3(const Stage::Setup& setup) {
  return std::make_unique<ThisStage>(setup);
}

}  // namespace zerolab
