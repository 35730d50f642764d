// Lab 07: mixed precision. What keeps 16-bit training alive: the loss scale and the master weights.
//
// Grade it:   ./run_labs.sh grade 07
#include "lab.hpp"

#include <algorithm>
#include <cmath>

#include "student.hpp"

namespace student {

StateBytes state_bytes([[maybe_unused]] NumberType precision,
                       [[maybe_unused]] std::size_t elements) {
  // zerolab::width(precision) is the bytes of one number.
  lab::not_written("state_bytes()");
}

void after_step([[maybe_unused]] LossScaler& scaler, [[maybe_unused]] bool skipped) {
  lab::not_written("after_step()");
}

bool must_skip([[maybe_unused]] MPI_Comm comm, [[maybe_unused]] std::span<const Half> gradients) {
  // zerolab::to_float(g) is a Half as a float.
  lab::not_written("must_skip()");
}

void average([[maybe_unused]] MPI_Comm comm, [[maybe_unused]] std::span<Half> gradients) {
  // std::vector<double> sum(gradients.size());
  // widen(numbers_of(gradients), std::span(sum));
  // narrow(std::span<const double>(sum), numbers_of(gradients));
  lab::not_written("average()");
}

std::size_t update_without_master([[maybe_unused]] Numbers parameters,
                                  [[maybe_unused]] ConstNumbers gradients,
                                  [[maybe_unused]] float rate, [[maybe_unused]] float scale) {
  lab::not_written("update_without_master()");
}

std::size_t update_with_master([[maybe_unused]] std::span<float> master,
                               [[maybe_unused]] Numbers parameters,
                               [[maybe_unused]] ConstNumbers gradients, [[maybe_unused]] float rate,
                               [[maybe_unused]] float scale) {
  lab::not_written("update_with_master()");
}

std::size_t update_variance([[maybe_unused]] Numbers variance,
                            [[maybe_unused]] std::span<const float> gradients,
                            [[maybe_unused]] float beta2) {
  lab::not_written("update_variance()");
}

bool train_step([[maybe_unused]] MPI_Comm comm, [[maybe_unused]] Replica& replica,
                [[maybe_unused]] std::span<Half> gradients, [[maybe_unused]] float rate) {
  lab::not_written("train_step()");
}

}  // namespace student
