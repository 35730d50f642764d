// The question bank: why, and edge cases; and the documents' self-tests.
#include <array>

#include "findings.hpp"
#include "item_tables.hpp"

namespace zerolab {

std::span<const Item> question_items() {
  using namespace findings;
  constexpr Group why = Group::why, edge = Group::edge_case, self = Group::self_test;
  static constexpr std::array items{
      Item{"WY1", why, "Why does stage 2 reduce-scatter and not all-reduce?",
           "A rank updates its shard alone, so the rest of the average would be thrown away.", "",
           own_shard_only},
      Item{"WY2", why, "Why are sharded parameters not free, as optimizer states are?",
           "A layer cannot run on a shard of its weights; gathering them is the price.", "",
           price_of_parameters},
      Item{"WY3", why, "Why are optimizer states sharded first?",
           "They are 12 of 16, 75 %; stage 1 alone gives 32/11 = 2.909 on 8 ranks.", "",
           largest_part},
      Item{"WY4", why, "Why does averaging reduce variance and not bias?",
           "Each rank's gradient is an unbiased estimate; the mean of N keeps the expectation and "
           "has 1/N of the variance.",
           "1/√N is the standard deviation. Samples drawn without replacement vary less still, by "
           "1 − n/M.",
           averaging},
      Item{"WY5", why, "Why does stage 3 gather parameters twice?",
           "They are released after the forward pass, and the backward pass needs them again.",
           "A layer's weights pass the gradient on to the layer before; its own weight gradient "
           "does not need them. The first unit's second gather could be saved, 3 − Φ₀/Φ in place "
           "of 3; the documents' 6Φ counts it, and so does this program.",
           two_gathers},
      Item{
          "WY6", why, "Why does stage 3 want fast links?",
          "It sends 3 times the payload; over 10 Gb/s the computation waits for it.",
          "10 Gb/s are 1.25 GB/s; the documents write about 1. On a ring 3 times the payload are "
          "1.5 times the bytes of stage 0, and that is what takes the time. How large its share is "
          "depends on the model and the batch; that the same bytes take 240 times as long does "
          "not.",
          links},
      Item{
          "WY7", why, "Why does accumulating gradients go well with ZeRO?",
          "More samples for each update with the activations of one micro-batch, and fewer bytes "
          "for each sample.",
          "Some memory it takes: with 2 micro-batches and more, this program adds an accumulator "
          "under --reduce exact, 8Φ in stages 0 and 1, 8Φ/N in 2 and 3, and one unit's gradient "
          "under --reduce mpi. Stages 0 and 1 synchronise once a step, so their bytes for a sample "
          "fall as 1/k. Stages 2 and 3 have nowhere to keep whole gradients and reduce-scatter "
          "every micro-batch: stage 2 gathers parameters once a step and tends from 2 to 1, stage "
          "3 gathers them every time and stays at 3.",
          accumulation},
      Item{"WY8", why, "Why 2Φ for parameters and 4Φ for the master copy of the same?",
           "The 16-bit copy is computed with, the 32-bit copy is updated.", "",
           working_and_master_copy},
      Item{"EC1", edge, "N = 1.", "16Φ in every stage, nothing sent, the same bits.", "", one_rank},
      Item{"EC2", edge, "N → ∞.", "Memory 16Φ/N → 0, bytes sent 6Φ(N−1)/N → 6Φ.",
           "So the time for these bytes tends to 6Φ/B. The latency of a ring's messages does not: "
           "3(N−1) a unit, without limit.",
           endless_ranks},
      Item{"EC3", edge, "What if activations are what does not fit?",
           "No stage helps; recomputing them does, for one more forward pass.",
           "In stage 3 that pass gathers the parameters a third time: 8Φ in place of 6Φ. With s "
           "segments of n equal units s inputs are kept and n/s made again, least near s = √n.",
           activations_and_checkpointing},
      Item{"EC4", edge, "Φ not divisible by N.",
           "Shards are ragged, some ranks hold an element more; sums and bits stay exact.", "",
           ragged_shards},
      Item{"EC5", edge, "The model fits already.",
           "Stage 0, or stage 1 where memory is wanted for larger batches: no need to send more.",
           "", fits_already},
      Item{"EC6", edge, "All ranks see the same batch.",
           "Nothing breaks, and nothing is gained: the average is that of one rank.", "",
           identical_batches},
      Item{"S1", self, "Ceiling of stage 1's reduction.", "4.", "", reduction_of_stage_1},
      Item{"S2", self, "Ceiling of stage 2's reduction.", "8.", "", reduction_of_stage_2},
      Item{"S3", self, "Ceiling of stage 3's reduction.", "None: it is N.", "",
           reduction_of_stage_3},
      Item{"S4", self, "Why does stage 3 have 3 times the payload?",
           "Two all-gathers and one reduce-scatter against one all-reduce.",
           "In payload, where the all-reduce counts once. On a ring it is a reduce-scatter and an "
           "all-gather itself: three against two, 1.5 times.",
           calls_of_stage_3},
      Item{"S5", self, "The first stage that shards gradients.", "Stage 2.", "",
           first_stage_with_gradients},
      Item{"S6", self, "All ranks' model state in stage 0.", "16ΦN.", "", cluster_total_of_stage_0},
      Item{"S7", self, "What does ZeRO never shard?", "Activations.", "", activations},
  };
  return items;
}

}  // namespace zerolab
