#include "stages.hpp"

namespace zerolab {

namespace {

std::unique_ptr<Stage> make_overlapped(int number, const Stage::Setup& setup) {
  require(setup.job.activation_segments == 0,
          "the overlapped twins recompute no activations; only the plain stages do");
  switch (number) {
    case 0:
      return make_overlapped0(setup);
    case 2:
      return make_overlapped2(setup);
    case 3:
      return make_overlapped3(setup);
    default:
      throw Error(fmt::format("stage {} has no overlapped twin; there are 0, 2 and 3", number));
  }
}

}  // namespace

std::unique_ptr<Stage> make_stage(int number, const Stage::Setup& setup) {
  if (setup.job.overlap) return make_overlapped(number, setup);
  switch (number) {
    case 0:
      return make_stage0(setup);
    case 1:
      return make_stage1(setup);
    case 2:
      return make_stage2(setup);
    case 3:
      return make_stage3(setup);
    default:
      throw Error(fmt::format("stage {} does not exist; there are 0, 1, 2 and 3", number));
  }
}

}  // namespace zerolab
