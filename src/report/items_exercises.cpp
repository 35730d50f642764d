// The 13 exercises.
#include <array>

#include "findings.hpp"
#include "item_tables.hpp"

namespace zerolab {

std::span<const Item> exercise_items() {
  using namespace findings;
  constexpr Group group = Group::exercise;
  static constexpr std::array items{
      Item{"1.1", group, "How large is Adam's state in mixed precision, and what is it made of?",
           "12Φ bytes: momentum 4Φ, variance 4Φ, fp32 master weights 4Φ.", "", optimizer_states},
      Item{"1.2", group,
           "What does each rank hold after an all-reduce, a reduce-scatter, an all-gather?",
           "The whole average on every rank; each rank its shard of the average; the whole vector "
           "from all shards.",
           "", collectives},
      Item{"2.1", group, "Model state of a rank in stage 0, Φ = 7 billion.", "16Φ = 112 GB.", "",
           exercise_2_1},
      Item{"2.2", group, "The same in stage 3 on 8 ranks.", "16Φ/8 = 14 GB.", "", exercise_2_2},
      Item{"2.3", group, "The same in stages 1 and 2 on 8 ranks.",
           "4Φ + 12Φ/8 = 38.5 GB; 2Φ + 14Φ/8 = 26.25 GB.", "", exercise_2_3},
      Item{"3.1", group, "By what factor does stage 1 reduce the model state, and with what limit?",
           "4N/(N+3), which tends to 4: parameters and gradients, 4Φ, stay on every rank.", "",
           exercise_3_1},
      Item{
          "3.2", group, "How much more does stage 3 send than plain data parallelism?",
          "3 times the payload: two all-gathers and a reduce-scatter where stage 0 has one "
          "all-reduce.",
          "3 and 1.5 are both right, about different things. The documents count every collective "
          "once, an all-reduce too. On a ring an all-reduce is a reduce-scatter and an all-gather "
          "and so sends twice its payload: 6Φ against 4Φ, 1.5 times. ZeRO's paper counts that way.",
          stage_3_against_stage_0},
      Item{"3.3", group, "Φ = 175 billion on 64 ranks: memory of a rank, bytes sent in a step.",
           "43.75 GB; 6Φ·63/64 = 1033.59 GB in one direction, 2.067 TB in both.",
           "The documents round one direction to 1.03 TB and double that: 2.06. Unrounded it is "
           "2.067.",
           exercise_3_3},
      Item{"4.1", group,
           "40 billion parameters on 8 ranks of 80 GB, activations 20 GB: which stage fits?",
           "None: 640, 220, 150 and 80 GB of state against 60 GB of room. Stage 3 and something "
           "else "
           "do: more ranks, 16 as a power of two, or optimizer states kept elsewhere. Recomputed "
           "activations do not by themselves: stage 3 alone takes all 80 GB.",
           "", exercise_4_1},
      Item{"4.2", group, "With 5 GB of activations: the smallest power of two for stage 3.",
           "640/N ≤ 75, so N ≥ 8.53: 16 ranks, 45 GB on each.", "", exercise_4_2},
      Item{
          "5.1", group, "The reduction factor of aΦ + bΦ/N, and its ceiling.",
          "16N/(aN+b), ceiling 16/a: 4 in stage 1, 8 in stage 2. With a = 0 it is N itself and has "
          "no ceiling.",
          "", exercise_5_1},
      Item{
          "5.2", group,
          "Efficiency t/(t+c) for 2.06 TB over 300 GB/s and 10 s of computation; the bandwidth for "
          "80 %.",
          "c = 6.87 s, 59.3 %; c = 2.5 s needs 824 GB/s, 2.75 times as much.",
          "824 GB/s belongs to the rounded 2.06 TB; 2.0672 TB need 826.9. And t/(t+c) is the "
          "efficiency without any overlap: with all of it a step takes the longer of the two. 2.06 "
          "TB are sent and received together, so 300 GB/s are 150 in each direction; links of 300 "
          "GB/s each way at once (NVLink of an A100) need half the time, and reach 74.4 %.",
          exercise_5_2},
      Item{"5.3", group, "Is stage 3 as fast as plain data parallelism on 64 ranks?",
           "No: 344.5 GB in one direction and 0.69 TB in both take 2.30 s, 81.3 %, against 59.2 %.",
           "The documents write 81.4 %, from 2.29 s, and 59.3 %, from 2.06 TB; without rounding "
           "it is 81.32 % and 59.2 %. In bytes on a ring stage 0 sends twice its payload, so stage "
           "3 sends 1.5 times as much and not 3. Those bytes take the time: 4.59 s, so stage 0 "
           "measures 68.5 % and a little more, because each of its ranks also updates all of Φ.",
           exercise_5_3},
  };
  return items;
}

}  // namespace zerolab
