// Lab 04: stage 2. Gradients and optimizer states are sharded; parameters stay full.
//
// What is here is stage 1. Gradients are all-reduced at the end of a step there, and kept full; now
// each unit's gradient leaves in the backward pass, and only a shard of the sum stays.
//
// Grade it:   ./run_labs.sh grade 04
#include "lab.hpp"

double lab::gradient_norm(MPI_Comm /*comm*/, std::span<const float> /*my_shard*/,
                          double /*loss_scale*/) {
  not_written("gradient_norm()");
}

namespace {

using namespace zerolab;

class MyStage final : public Stage {
 public:
  explicit MyStage(const Setup& setup)
      : Stage(setup, Placements{.parameters = Placement::full,
                                .gradients = Placement::full,
                                .optimizer_states = Placement::shard}) {}

 private:
  void forward() override {
    for (const auto l : units) model.forward(l, parameters[l]);
  }

  void backward() override {
    // In stage 1 this is, for each unit l of units_last_first:
    //   model.backward(l, parameters[l], gradients[l]);
    // You also have: FullUnit gradient = new_gradient(l); comm.reduce_scatter(gradient, gradients[l]).
    lab::not_written("backward()");
  }

  void average_gradients() override {
    // In stage 1: for each unit l, comm.all_reduce(gradients[l]);
    lab::not_written("average_gradients()");
  }

  void update() override {
    // In stage 1: for each unit l,
    //   optimizer.update(l, my_shard(parameters[l]), my_shard(gradients[l]));
    //   comm.all_gather(parameters[l]);
    lab::not_written("update()");
  }
};

}  // namespace

std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup& setup) {
  return std::make_unique<MyStage>(setup);
}
