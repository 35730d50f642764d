#include "lab.hpp"

#include <algorithm>

std::size_t lab::shard_size(std::size_t elements, std::size_t ranks, std::size_t rank) {
  return elements / ranks + (rank < elements % ranks ? 1 : 0);
}

std::size_t lab::shard_first(std::size_t elements, std::size_t ranks, std::size_t rank) {
  return rank * (elements / ranks) + std::min(rank, elements % ranks);
}

std::size_t lab::shard_owner(std::size_t elements, std::size_t ranks, std::size_t index) {
  const std::size_t small = elements / ranks, longer = elements % ranks;
  const std::size_t in_longer = longer * (small + 1);
  if (index < in_longer) return index / (small + 1);
  return longer + (index - in_longer) / small;
}

std::array<lab::Fault, 12> lab::diagnosis() {
  return {
      Fault::keeps_all_optimizer_states,
      Fault::forgets_all_but_the_last_micro_batch,
      Fault::never_releases_what_it_gathers,
      Fault::sums_instead_of_averaging,
      Fault::gathers_before_the_update,
      Fault::gathers_once_too_often,
      Fault::cuts_ragged_units_as_if_even,
      Fault::clips_by_the_norm_of_its_own_shard,
      Fault::starts_with_other_weights_on_one_rank,
      Fault::all_reduces_where_a_shard_is_enough,
      Fault::uses_what_it_has_released,
      Fault::skips_a_step_on_one_rank_only,
  };
}
