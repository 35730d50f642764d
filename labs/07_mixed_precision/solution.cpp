// Lab 07: mixed precision. What keeps 16-bit training alive: the loss scale and the master weights.
#include "lab.hpp"

#include <algorithm>
#include <cmath>

namespace student {

StateBytes state_bytes(NumberType precision, std::size_t elements) {
  const std::size_t working = zerolab::width(precision) * elements;
  const std::size_t fp32 = zerolab::width(NumberType::fp32) * elements;
  const bool has_master = precision != NumberType::fp32;
  return {.parameters = working,
          .gradients = working,
          .master = has_master ? fp32 : 0,
          .momentum = fp32,
          .variance = fp32};
}

void after_step(LossScaler& scaler, bool skipped) {
  if (skipped) {
    ++scaler.skips;
    scaler.updates_in_a_row = 0;
    scaler.scale = std::max(scaler.scale / 2, smallest_scale);
  } else if (++scaler.updates_in_a_row == scaler.growth_interval) {
    scaler.updates_in_a_row = 0;
    scaler.scale = std::min(scaler.scale * 2, largest_scale);
  }
}

bool must_skip(MPI_Comm comm, std::span<const Half> gradients) {
  int overflow = 0;
  for (const Half g : gradients) {
    if (!std::isfinite(zerolab::to_float(g))) overflow = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &overflow, 1, MPI_INT, MPI_MAX, comm);
  return overflow != 0;
}

void average(MPI_Comm comm, std::span<Half> gradients) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  std::vector<double> sum(gradients.size());
  widen(numbers_of(gradients), std::span(sum));
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), static_cast<int>(sum.size()), MPI_DOUBLE, MPI_SUM, comm);
  for (double& s : sum) s /= ranks;
  narrow(std::span<const double>(sum), numbers_of(gradients));
}

std::size_t update_without_master(Numbers parameters, ConstNumbers gradients, float rate,
                                  float scale) {
  std::vector<float> before(parameters.size), theta(parameters.size), g(gradients.size);
  widen(parameters, std::span(before));
  widen(gradients, std::span(g));
  for (std::size_t i = 0; i < g.size(); ++i) theta[i] = before[i] - rate * (g[i] / scale);
  narrow(std::span<const float>(theta), parameters);

  widen(parameters, std::span(theta));  // what has become of them
  std::size_t lost = 0;
  for (std::size_t i = 0; i < g.size(); ++i) lost += g[i] != 0 && theta[i] == before[i];
  return lost;
}

std::size_t update_with_master(std::span<float> master, Numbers parameters, ConstNumbers gradients,
                               float rate, float scale) {
  std::vector<float> g(gradients.size);
  widen(gradients, std::span(g));
  std::size_t lost = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const float before = master[i];
    master[i] = before - rate * (g[i] / scale);
    lost += g[i] != 0 && master[i] == before;
  }
  narrow(std::span<const float>(master), parameters);
  return lost;
}

std::size_t update_variance(Numbers variance, std::span<const float> gradients, float beta2) {
  std::vector<float> v(variance.size);
  widen(variance, std::span(v));
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = beta2 * v[i] + (1 - beta2) * (gradients[i] * gradients[i]);
  narrow(std::span<const float>(v), variance);

  widen(variance, std::span(v));  // what has become of them
  std::size_t lost = 0;
  for (std::size_t i = 0; i < v.size(); ++i) lost += gradients[i] != 0 && v[i] == 0;
  return lost;
}

bool train_step(MPI_Comm comm, Replica& replica, std::span<Half> gradients, float rate) {
  average(comm, gradients);
  const bool skipped = must_skip(comm, gradients);
  if (!skipped) {
    update_with_master(replica.master, numbers_of(replica.parameters), numbers_of(gradients), rate,
                       static_cast<float>(replica.scaler.scale));
  }
  after_step(replica.scaler, skipped);
  return skipped;
}

}  // namespace student
