#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "student.hpp"

namespace lab {

// Ragged shards: of a vector of `elements`, the first (elements mod ranks) ranks hold one element
// more than the others. With fewer elements than ranks the last shards are empty.

std::size_t shard_size(std::size_t elements, std::size_t ranks, std::size_t rank);
/// Index of a shard's first element in the vector; of an empty shard, `elements`.
std::size_t shard_first(std::size_t elements, std::size_t ranks, std::size_t rank);
/// The rank whose shard holds element `index`.
std::size_t shard_owner(std::size_t elements, std::size_t ranks, std::size_t index);

/// What may be wrong with a stage.
enum class Fault {
  sums_instead_of_averaging,
  gathers_before_the_update,
  forgets_all_but_the_last_micro_batch,
  all_reduces_where_a_shard_is_enough,
  never_releases_what_it_gathers,
  cuts_ragged_units_as_if_even,
  starts_with_other_weights_on_one_rank,
  clips_by_the_norm_of_its_own_shard,
  uses_what_it_has_released,
  skips_a_step_on_one_rank_only,
  keeps_all_optimizer_states,
  gathers_once_too_often,
};

inline constexpr std::array<std::string_view, 12> fault_names{
    "sums_instead_of_averaging",
    "gathers_before_the_update",
    "forgets_all_but_the_last_micro_batch",
    "all_reduces_where_a_shard_is_enough",
    "never_releases_what_it_gathers",
    "cuts_ragged_units_as_if_even",
    "starts_with_other_weights_on_one_rank",
    "clips_by_the_norm_of_its_own_shard",
    "uses_what_it_has_released",
    "skips_a_step_on_one_rank_only",
    "keeps_all_optimizer_states",
    "gathers_once_too_often",
};

/// Of the patients in patients.txt, the first to the last. Each fault occurs once.
std::array<Fault, 12> diagnosis();

}  // namespace lab
