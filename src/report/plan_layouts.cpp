// Bytes of an element by layout: ours from the cost model, other systems' as they document them.
#include "zerolab/report/plan.hpp"

namespace zerolab {

namespace {

constexpr std::size_t half = 2, single = 4;

/// Megatron-LM, docs/source/api-guide/dist_optimizer.md, the row of 16-bit parameters and fp32
/// gradients: 18 bytes, with its distributed optimizer 6 + 12/d. Its master copy and moments are
/// what is distributed, so that is stage 1; parameters and gradients never are.
std::vector<State> megatron_states(int stage) {
  if (stage > 1) return {};
  const Placement place = placements_of(stage).optimizer_states;
  return {{Category::parameters, half, Placement::full},
          {Category::gradients, single, Placement::full},
          {Category::master, single, place},
          {Category::momentum, single, place},
          {Category::variance, single, place}};
}

/// DeepSpeed, deepspeed/runtime/zero/stage_1_and_2.py, estimate_zero2_model_states_mem_needs: 2
/// parameters in full; 2 + 4 gradients (16 bits, and fp32 for the update), 4 master, 8 moments
/// sharded. That is the code since pull request 5099 of 2024; the page docs/code-docs/source/
/// memory.rst still has the figure from before, 4Φ + 16Φ/N. stage3.py,
/// estimate_zero3_model_states_mem_needs, and the page: 18Φ/N, with 4 of gradients, and 4 bytes for
/// each parameter of the largest layer. There are no estimators for stages 0 and 1.
std::vector<State> deepspeed_states(int stage) {
  if (stage < 2) return {};
  const std::size_t gradients = stage == 2 ? half + single : single;
  return {{Category::parameters, half, placements_of(stage).parameters},
          {Category::gradients, gradients, Placement::shard},
          {Category::master, single, Placement::shard},
          {Category::momentum, single, Placement::shard},
          {Category::variance, single, Placement::shard}};
}

}  // namespace

std::vector<State> planned_states(const PlannedModel& model, int stage) {
  std::vector<State> states = model_states(model.job, stage);
  switch (model.layout) {
    case StateLayout::zerolab:
      break;
    case StateLayout::fp32_gradients:
      for (State& state : states) {
        if (state.category == Category::gradients) state.bytes = single;
      }
      break;
    case StateLayout::no_master:
      std::erase_if(states, [](const State& s) { return s.category == Category::master; });
      break;
    case StateLayout::megatron:
      return megatron_states(stage);
    case StateLayout::deepspeed:
      return deepspeed_states(stage);
  }
  return states;
}

std::vector<std::string> source_of(StateLayout layout) {
  switch (layout) {
    case StateLayout::zerolab:
      return {};
    case StateLayout::fp32_gradients:
      return {"fp32-gradients: gradients are kept in 4 bytes, all else as in zerolab"};
    case StateLayout::no_master:
      return {"no-master: updates go to the 16-bit parameters, with no fp32 copy of them"};
    case StateLayout::megatron:
      return {"megatron: Megatron-LM with 16-bit parameters and fp32 gradients, by its page on the",
              "  distributed optimizer, which is stage 1 here; there is no stage 2 or 3 in it"};
    case StateLayout::deepspeed:
      return {
          "deepspeed: by the code of DeepSpeed's memory estimators, which exist for stages 2 and "
          "3;",
          "  gradients in 2 and 4 bytes in stage 2, 4 in stage 3. Their page has 4Φ+16Φ/N for "
          "stage 2,",
          "  the code's figure before pull request 5099 of 2024"};
  }
  return {};
}

std::size_t unit_bytes(const PlannedModel& model, int stage) {
  if (model.layout == StateLayout::megatron) return 0;  // its page has none
  if (model.layout == StateLayout::deepspeed) return stage == 3 ? half + half : 0;
  const Placements place = placements_of(stage);
  const std::size_t w = width(model.job.precision);
  const bool apart = place.gradients == Placement::shard || model.job.accumulate > 1 ||
                     model.layout == StateLayout::fp32_gradients;
  return (place.parameters == Placement::shard ? w : 0) + (apart ? w : 0);
}

}  // namespace zerolab
