#include "zerolab/partition/job.hpp"

#include <climits>

namespace zerolab {

void check_job(const Job& job, std::size_t ranks) {
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    require(
        job.shape.in(l) < INT_MAX && job.shape.out(l) < INT_MAX && job.shape.elements(l) <= INT_MAX,
        "layer {} of {} x {} has more elements than one MPI call can count ({})", l,
        job.shape.in(l), job.shape.out(l), INT_MAX);
  }
  const std::size_t most = SIZE_MAX / 8;
  require(job.accumulate <= most / job.batch / ranks && job.virtual_shards <= most / job.batch,
          "{} ranks x {} micro-batches x {} samples are no batch", ranks, job.rounds(ranks),
          job.batch);
  constexpr std::size_t most_rounds = std::size_t{1} << 20;
  require(job.rounds(ranks) <= most_rounds,
          "{} micro-batches of a rank in one step; {} are the most", job.rounds(ranks),
          most_rounds);
  require(job.virtual_shards == 0 || job.virtual_shards >= ranks,
          "{} virtual shards are too few for {} ranks; at least one a rank is needed",
          job.virtual_shards, ranks);
  require(job.batch * std::max(job.shape.widths.front(), job.shape.widths.back()) <= most,
          "a batch of {} samples is too large", job.batch);
}

Placements placements_of(int stage) {
  using enum Placement;
  switch (stage) {
    case 0:
      return {.parameters = full, .gradients = full, .optimizer_states = full};
    case 1:
      return {.parameters = full, .gradients = full, .optimizer_states = shard};
    case 2:
      return {.parameters = full, .gradients = shard, .optimizer_states = shard};
    case 3:
      return {.parameters = shard, .gradients = shard, .optimizer_states = shard};
    default:
      throw Error(fmt::format("stage {} does not exist; there are 0, 1, 2 and 3", stage));
  }
}

std::size_t placed(Placement placement, std::size_t elements, std::size_t ranks, std::size_t rank) {
  return placement == Placement::full ? elements : Shards{elements, ranks}.size(rank);
}

}  // namespace zerolab
