// The question bank: claims to be judged, and errors to be found.
#include <array>

#include "findings.hpp"
#include "item_tables.hpp"

namespace zerolab {

std::span<const Item> claim_items() {
  using namespace findings;
  constexpr Group claim = Group::true_or_false, error = Group::spot_the_error;
  static constexpr std::array items{
      Item{"TF1", claim, "Every rank sees the same batch.",
           "False: samples of ranks are disjoint; parameters and averaged gradients are the same.",
           "", batches},
      Item{"TF2", claim, "Stage 3 is pipeline or tensor parallelism.",
           "False: every rank runs every layer, on its own samples; only storage is sharded.", "",
           every_layer_on_every_rank},
      Item{"TF3", claim, "ZeRO changes the model that training ends with.",
           "False: the same average, the same update, the same bits, as long as sums do not depend "
           "on their order.",
           "", same_model},
      Item{
          "TF4", claim, "Stage 3 is always faster than stage 1.",
          "False: it gathers parameters twice a step. No network makes it faster, and against a "
          "stage 1 that sends less a slow one makes it slower.",
          "Stage 1 here all-reduces its gradients, as the documents have it: on a ring that is 4Φ, "
          "with the gather of parameters 6Φ, as much as stage 3 sends, so both take the same time. "
          "ZeRO's own stage 1 reduce-scatters, 4Φ in all; against that stage 3 takes up to 1.5 "
          "times as long. The documents, which count an all-reduce once, have 4Φ against 6Φ.",
          fast_and_slow_network},
      Item{"TF5", claim, "Optimizer states can be sharded because Adam works element by element.",
           "True: Adam on shards ends with the bits of Adam on the whole.", "", sharded_adam},
      Item{"TF6", claim, "Stage 3 divides the cluster's total of model state by N.",
           "False: it divides what a rank holds. All ranks together hold one model, 16Φ.",
           "It depends on what is compared: against stage 0's total, 16ΦN, stage 3's total of 16Φ "
           "is smaller by N. Against one model it is not smaller at all.",
           cluster_total},
      Item{"TF7", claim, "Stage 2 all-reduces gradients.",
           "False: a reduce-scatter gives each rank its shard of the average, and no more.",
           "Stage 2 also gathers the updated parameters. So it sends as much on a ring as plain "
           "data parallelism, and twice as much in payload.",
           gradients_of_stage_2},
      Item{
          "TF8", claim, "A rank in stage 3 never holds a whole layer.",
          "False: it gathers a unit, uses it and releases it; one at a time, two when prefetching.",
          "", gathered_unit},
      Item{"TF9", claim, "Twice the ranks halve the memory of stage 3.",
           "True of the model state; activations stay.", "", twice_the_ranks},
      Item{"TF10", claim, "With ZeRO mixed precision is not needed any more.",
           "False: ZeRO shards the parts of either, 2 + 2 + 12 in mixed precision and 4 + 4 + 8 in "
           "fp32.",
           "", parts_of_16},
      Item{"SE1", error, "Stage 1 saves memory by keeping 1/N of the gradients.",
           "Gradients stay whole in stage 1, 2Φ on every rank; stage 2 shards them.", "",
           gradients_of_stage_1},
      Item{
          "SE2", error, "The 3× of stage 3 come from three all-gathers.",
          "Two all-gathers and one reduce-scatter, 2Φ each, for every unit.",
          "3 is the payload convention: stage 0's all-reduce counts once. On a ring it sends twice "
          "its payload, and the same calls are 1.5 times as much.",
          calls_of_stage_3},
      Item{"SE3", error, "12Φ are momentum and variance.",
           "Those are 8Φ; the other 4Φ are the fp32 master weights.", "", moments_and_master},
      Item{"SE4", error, "Optimizer states can be kept in fp16.",
           "Small updates would round to nothing; they are fp32 on purpose.", "",
           states_in_16_bits},
      Item{"SE5", error, "8 ranks with 2800 GB of model state each in stage 0 use 2800 GB.",
           "They use 8 × 2800 = 22 400 GB: every rank has a copy of its own.", "",
           copies_of_stage_0},
      Item{
          "SE6", error, "A reduce-scatter costs more than an all-reduce, so stage 2 sends more.",
          "An all-reduce is a reduce-scatter and an all-gather; stage 2 sends no more than stage 0 "
          "on a ring.",
          "The ring model has this built in, so only bytes on a wire can prove it.",
          halves_of_all_reduce},
      Item{"SE7", error, "16Φ/N includes activations, so they shrink too.",
           "It is the model state alone; activations depend on the samples of a rank.", "",
           activations},
      Item{"SE8", error, "More ranks are free.",
           "The bytes that a rank sends grow towards 6Φ while its memory shrinks ever more slowly; "
           "at a fixed global batch a step has a sweet spot.",
           "Bandwidth alone makes no sweet spot: with bytes of 6Φ(N−1)/N a step tends to a limit. "
           "It is the latency of 3(N−1) messages a unit that grows with N.",
           more_ranks},
      Item{
          "SE9", error, "The all-reduce should sum gradients.",
          "It averages: the loss is a mean. A sum makes the learning rate N times as large.",
          "Adam all but hides the difference, because it divides a gradient by its own size; plain "
          "SGD shows it.",
          summed_gradients},
  };
  return items;
}

}  // namespace zerolab
