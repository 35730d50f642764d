// Lab 03: stage 1. Optimizer states are sharded; parameters and gradients stay full.
//
// What is here is stage 0 with its update() taken out. Two things are to be done:
//   1. say in the constructor what is full and what is sharded
//   2. write update(): every rank updates its own shard, then all ranks get all shards
//
// Grade it:   ./run_labs.sh grade 03
#include "student_stage.hpp"

namespace {

using namespace zerolab;

class MyStage final : public Stage {
 public:
  explicit MyStage(const Setup& setup)
      : Stage(setup, Placements{.parameters = Placement::full,
                                .gradients = Placement::full,
                                .optimizer_states = Placement::full}) {}

 private:
  void forward() override {
    for (const auto l : units) model.forward(l, parameters[l]);
  }

  void backward() override {
    for (const auto l : units_last_first) {
      model.backward(l, parameters[l], gradients[l]);  // adds to my sum over micro-batches
    }
  }

  void average_gradients() override {
    for (const auto l : units) comm.all_reduce(gradients[l]);
  }

  void update() override {
    // In stage 0 this is, for each unit l:
    //   optimizer.update(l, parameters[l], gradients[l]);
    // You also have: my_shard(parameters[l]), my_shard(gradients[l]), comm.all_gather(...).
    lab::not_written("update()");
  }
};

}  // namespace

std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup& setup) {
  return std::make_unique<MyStage>(setup);
}
