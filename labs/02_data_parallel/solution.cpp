// The stage is the library's own stage 0.
#include "lab.hpp"

#include "../../src/stages/stage0.cpp"

std::vector<std::size_t> lab::positions(const Plan& plan, std::size_t step, std::size_t rank,
                                        std::size_t round) {
  const std::size_t global_batch = plan.ranks * plan.accumulate * plan.batch;
  const std::size_t steps = (plan.samples + global_batch - 1) / global_batch;  // of an epoch
  const std::size_t end_of_step = std::min((step % steps + 1) * global_batch, plan.samples);
  const std::size_t micro_batch = round * plan.ranks + rank;
  const std::size_t first = step % steps * global_batch + micro_batch * plan.batch;
  std::vector<std::size_t> mine;
  for (std::size_t p = first; p < std::min(first + plan.batch, end_of_step); ++p) mine.push_back(p);
  return mine;
}

void lab::average_over_samples(MPI_Comm comm, std::span<double> gradient, std::size_t samples) {
  auto all = static_cast<double>(samples);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, gradient.data(), static_cast<int>(gradient.size()), MPI_DOUBLE,
                MPI_SUM, comm);
  for (double& g : gradient) g /= all;  // not a mean of means
}

std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup& setup) {
  return zerolab::make_stage0(setup);
}
