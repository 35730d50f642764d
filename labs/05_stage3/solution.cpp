// Stage 3 is the library's own; the trade is a variant of it.
#include "lab.hpp"

#include "../../src/stages/stage3.cpp"

namespace {

using namespace zerolab;

class Keeping final : public Stage {
 public:
  explicit Keeping(const Setup& setup) : Stage(setup, placements_of(3)) {}

 private:
  void forward() override {
    kept.clear();  // an evaluation goes forward only
    for (const auto l : units) {
      kept.push_back(gather(l));
      model.forward(l, kept[l]);
    }
  }

  void backward() override {
    for (const auto l : units_last_first) {
      FullUnit gradient = new_gradient(l);
      model.backward(l, kept[l], gradient);
      kept.pop_back();  // released here, and not after the forward pass
      comm.reduce_scatter(gradient, gradients[l]);
    }
  }

  void average_gradients() override {}

  void update() override {
    for (const auto l : units) {
      optimizer.update(l, parameters[l], gradients[l]);
    }
  }

  std::vector<FullUnit> kept;
};

}  // namespace

std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup& setup) {
  return make_stage3(setup);
}

std::unique_ptr<zerolab::Stage> student_stage_that_keeps(const zerolab::Stage::Setup& setup) {
  return std::make_unique<Keeping>(setup);
}
