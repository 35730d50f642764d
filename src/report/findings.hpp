#pragma once

#include "folder.hpp"

// What decides the items, each from numbers in the folder. Named after what is looked at; the table
// of items says which item asks it.

namespace zerolab::findings {

// memory
Finding optimizer_states(const Folder& folder);               // 1.1
Finding reduction_of_stage_1(const Folder& folder);           // S1
Finding reduction_of_stage_2(const Folder& folder);           // S2
Finding reduction_of_stage_3(const Folder& folder);           // S3
Finding reductions(const Folder& folder);                     // of 5.1
Finding cluster_total(const Folder& folder);                  // TF6
Finding cluster_total_of_stage_0(const Folder& folder);       // S6
Finding copies_of_stage_0(const Folder& folder);              // SE5
Finding gathered_unit(const Folder& folder);                  // TF8
Finding twice_the_ranks(const Folder& folder);                // TF9
Finding parts_of_16(const Folder& folder);                    // TF10
Finding gradients_of_stage_1(const Folder& folder);           // SE1
Finding first_stage_with_gradients(const Folder& folder);     // S5
Finding moments_and_master(const Folder& folder);             // SE3
Finding activations(const Folder& folder);                    // SE7, S7
Finding activations_and_checkpointing(const Folder& folder);  // EC3
Finding largest_part(const Folder& folder);                   // WY3
Finding working_and_master_copy(const Folder& folder);        // WY8
Finding one_rank(const Folder& folder);                       // EC1

// traffic
Finding stage_3_against_stage_0(const Folder& folder);  // 3.2
Finding calls_of_stage_3(const Folder& folder);         // SE2, S4
Finding two_gathers(const Folder& folder);              // WY5
Finding gradients_of_stage_2(const Folder& folder);     // TF7
Finding halves_of_all_reduce(const Folder& folder);     // SE6
Finding own_shard_only(const Folder& folder);           // WY1
Finding price_of_parameters(const Folder& folder);      // WY2
Finding more_ranks(const Folder& folder);               // SE8
Finding endless_ranks(const Folder& folder);            // EC2

// bits
Finding collectives(const Folder& folder);                // 1.2
Finding every_layer_on_every_rank(const Folder& folder);  // TF2
Finding same_model(const Folder& folder);                 // TF3
Finding sharded_adam(const Folder& folder);               // TF5
Finding ragged_shards(const Folder& folder);              // EC4

// what needs an experiment of its own
Finding batches(const Folder& folder);                // TF1
Finding fast_and_slow_network(const Folder& folder);  // TF4
Finding states_in_16_bits(const Folder& folder);      // SE4
Finding summed_gradients(const Folder& folder);       // SE9
Finding averaging(const Folder& folder);              // WY4
Finding links(const Folder& folder);                  // WY6
Finding accumulation(const Folder& folder);           // WY7
Finding identical_batches(const Folder& folder);      // EC6

// the calculator, and a small model scaled
Finding exercise_2_1(const Folder& folder);
Finding exercise_2_2(const Folder& folder);
Finding exercise_2_3(const Folder& folder);
Finding exercise_3_1(const Folder& folder);
Finding exercise_3_3(const Folder& folder);
Finding exercise_4_1(const Folder& folder);
Finding exercise_4_2(const Folder& folder);
Finding exercise_5_1(const Folder& folder);
Finding exercise_5_2(const Folder& folder);
Finding exercise_5_3(const Folder& folder);
Finding fits_already(const Folder& folder);  // EC5

// Shared by several.

/// How many times less a rank of `stage` holds than one of stage 0, on the mean: exact sums.
Evidence reduction(const Folder& folder, int stage, const std::string& formula);
/// A reduce-scatter and an all-gather against an all-reduce, as the MPI counts their bytes. What is
/// there already is decided only if all bytes were seen, so this comes last.
void add_counted_halves(const Folder& folder, Finding& finding);
/// The calls of stage 3 against that of stage 0, as the MPI counts their bytes.
void add_counted_stage_3(const Folder& folder, Finding& finding);
/// What a rank alone sends, as the MPI counts it, of EC1; false where that was not counted.
bool add_counted_alone(const Folder& folder, Finding& finding);
/// Of TF3, TF8 and TF10: the job in other forms.
Finding order_of_sums(const Folder& folder);
Finding prefetched_units(const Folder& folder);
Finding states_in_fp32(const Folder& folder);
/// Of SE4: what is lost when master weights have 16 bits.
Finding without_master_copy(const Folder& folder);
/// Nothing that stage 3 gathers outlives its use.
Evidence released_parameters(const Folder& folder);
/// What ranks read at the same time; without values where no experiment has looked.
Evidence disjoint_samples(const Folder& folder);
/// Of EC4: where ranks have nothing of a unit.
Finding empty_shards(const Folder& folder);
/// On ranks that evaluate nothing: the same for every N, of runs of one model and batch.
Evidence training_activations(const Folder& folder);

/// For an item about a verify run when there is none.
inline constexpr const char* no_run = "a run of all stages (verify-N.json)";
inline constexpr const char* no_ranks = "a run on two ranks or more (verify-N.json)";

/// A finding of one kind of numbers, or why there are none.
inline Finding one(Evidence evidence, const char* otherwise = no_run) {
  Finding finding;
  add(finding, std::move(evidence), otherwise);
  return finding;
}

}  // namespace zerolab::findings
