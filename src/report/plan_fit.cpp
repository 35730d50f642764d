// Which stages fit into a memory, and what would help where none does (exercises 4.1 and 4.2).
#include <algorithm>

#include "zerolab/report/plan.hpp"

namespace zerolab {

namespace {

/// What is left of `memory` for `others` to take, none when they are more.
std::optional<Whole> left_of(Whole memory, Whole others) {
  if (others > memory) return std::nullopt;
  return memory - others;
}

/// Smallest N with aΦ + b⌈Φ/N⌉ <= room. ⌈Φ/N⌉ <= q means N >= Φ/q.
std::optional<Whole> min_ranks(const StateBytes& bytes, Whole parameters,
                               const std::optional<Whole>& room) {
  if (!room) return std::nullopt;
  const auto for_shard = left_of(*room, multiplied(bytes.full, parameters));
  if (!for_shard) return std::nullopt;
  if (bytes.sharded == 0) return 1;
  const Whole elements = *for_shard / bytes.sharded;
  if (elements == 0) return std::nullopt;
  return divided_up(parameters, elements);
}

std::optional<Fraction> bound(const StateBytes& bytes, Whole parameters,
                              const std::optional<Whole>& room) {
  if (!room) return std::nullopt;
  const auto for_shard = left_of(*room, multiplied(bytes.full, parameters));
  if (!for_shard || *for_shard == 0) return std::nullopt;
  return Fraction(multiplied(bytes.sharded, parameters), *for_shard);
}

std::optional<Whole> power_of_two_from(const std::optional<Whole>& least) {
  if (!least) return std::nullopt;
  Whole power = 1;
  while (power < *least) power *= 2;
  return power;
}

/// The most parameters p with ap + b⌈p/N⌉ <= room: rows of N elements, one on each rank, each cost
/// aN + b; of a last row that is not full the first rank has one.
Whole most_parameters(const StateBytes& bytes, Whole ranks, Whole room) {
  const Whole row = added(multiplied(bytes.full, ranks), bytes.sharded);
  const Whole rows = room / row, rest = room % row;
  Whole more = 0;
  if (bytes.full > 0 && rest >= bytes.sharded) more = (rest - bytes.sharded) / bytes.full;
  return added(multiplied(rows, ranks), more);
}

Remedies::Split split(const StageFit& fit, const PlannedModel& model, Whole ranks, Whole memory,
                      Whole activations) {
  const auto room = left_of(memory, added(activations, fit.buffer));
  const Whole most = room ? most_parameters(fit.per_element, ranks, *room) : 0;
  if (most == 0) return {fit.stage, {}, 0, 0, 0};
  const Whole parts = divided_up(model.parameters, most);
  const Whole part = divided_up(model.parameters, parts);
  return {fit.stage, parts, part, multiplied(parts, ranks),
          bytes_on_fullest(fit.per_element, part, ranks) + fit.buffer + activations};
}

Remedies::Offload offload(const StageFit& fit, const PlannedModel& model, Whole ranks, Whole memory,
                          Whole activations) {
  std::vector<State> on_rank, on_host;
  for (const State& state : planned_states(model, fit.stage)) {
    const bool of_model =
        state.category == Category::parameters || state.category == Category::gradients;
    (of_model ? on_rank : on_host).push_back(state);
  }
  const Whole left = bytes_on_fullest(state_bytes(on_rank), model.parameters, ranks);
  const Whole total = added(added(left, fit.buffer), activations);
  return {fit.stage, left, total, bytes_on_fullest(state_bytes(on_host), model.parameters, ranks),
          total <= memory};
}

Remedies remedies_of(const Fit& fit, const PlannedModel& model, Whole ranks) {
  const auto leanest = std::ranges::min_element(
      fit.stages, {}, [](const StageFit& s) { return added(s.state, s.buffer); });
  Remedies remedies{
      leanest->stage, left_of(fit.memory, added(leanest->state, leanest->buffer)), {}, {}};
  for (const StageFit& stage : fit.stages) {
    remedies.offload.push_back(offload(stage, model, ranks, fit.memory, fit.activations));
    remedies.split.push_back(split(stage, model, ranks, fit.memory, fit.activations));
  }
  return remedies;
}

}  // namespace

Fit plan_fit(const PlannedModel& model, Whole ranks, Whole memory, Whole activations) {
  Fit fit{memory, activations, {}, {}, {}, {}};
  std::vector<StageTraffic> traffic;
  if (!of_another_system(model.layout)) traffic = plan_traffic(model, ranks);
  const auto traffic_of = [&](int stage) -> std::optional<StageTraffic> {
    if (traffic.empty()) return std::nullopt;
    return traffic[static_cast<std::size_t>(stage)];
  };
  for (const StageMemory& stage : plan_memory(model, ranks)) {
    const Whole buffer = stage.buffer.value_or(0);
    const Whole others = added(activations, buffer), total = added(stage.bytes, others);
    const auto room = left_of(memory, others);
    const auto least = min_ranks(stage.per_element, model.parameters, room);
    fit.stages.push_back(
        {stage.stage, stage.per_element, stage.bytes, buffer, total, total <= memory,
         total <= memory ? memory - total : total - memory, least, power_of_two_from(least),
         bound(stage.per_element, model.parameters, room), traffic_of(stage.stage)});
  }
  std::vector<const StageFit*> order;
  for (const StageFit& stage : fit.stages) order.push_back(&stage);
  if (!traffic.empty()) {
    std::ranges::stable_sort(order, {}, [](const StageFit* s) {
      return std::pair(s->traffic->payload, s->traffic->wire);
    });
  }
  for (const StageFit* stage : order) {
    fit.order.push_back(stage->stage);
    if (stage->fits && !fit.recommended) fit.recommended = stage->stage;
  }
  if (!fit.recommended) fit.remedies = remedies_of(fit, model, ranks);
  return fit;
}

}  // namespace zerolab
