// Lab 05: stage 3. Parameters are sharded as well: a unit is gathered, used and released.
//
// What is here is stage 2. Its forward() and backward() find the parameters in full; now they are
// not there until you gather them, and they must go when they are used.
//
// Grade it:   ./run_labs.sh grade 05
#include "lab.hpp"

namespace {

using namespace zerolab;

class MyStage final : public Stage {
 public:
  explicit MyStage(const Setup& setup)
      : Stage(setup, Placements{.parameters = Placement::full,
                                .gradients = Placement::shard,
                                .optimizer_states = Placement::shard}) {}

 private:
  void forward() override {
    // In stage 2: for each unit l of units, model.forward(l, parameters[l]);
    // You also have: FullUnit weights = gather(l), all shards of a unit until the end of the scope.
    lab::not_written("forward()");
  }

  void backward() override {
    // In stage 2: for each unit l of units_last_first,
    //   FullUnit gradient = new_gradient(l);
    //   model.backward(l, parameters[l], gradient);
    //   comm.reduce_scatter(gradient, gradients[l]);
    lab::not_written("backward()");
  }

  void average_gradients() override {}

  void update() override {
    // In stage 2: for each unit l,
    //   optimizer.update(l, my_shard(parameters[l]), gradients[l]);
    //   comm.all_gather(parameters[l]);
    lab::not_written("update()");
  }
};

}  // namespace

std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup& setup) {
  return std::make_unique<MyStage>(setup);
}

std::unique_ptr<zerolab::Stage> student_stage_that_keeps(const zerolab::Stage::Setup& /*setup*/) {
  lab::not_written("student_stage_that_keeps()");
}
