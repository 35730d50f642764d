// Memory and traffic of a model of which only the size is known.
#include <numeric>

#include "zerolab/report/plan.hpp"

namespace zerolab {

namespace {

Whole bytes_of(const State& state, Whole full, Whole shard) {
  return multiplied(state.bytes, state.placement == Placement::full ? full : shard);
}

std::string term(std::size_t factor, const std::string& symbol) {
  return factor == 1 ? symbol : std::to_string(factor) + symbol;
}

StageMemory memory_of(const PlannedModel& model, int stage, const std::vector<State>& states,
                      Whole ranks) {
  const Whole phi = model.parameters;
  StageMemory memory{stage, state_bytes(states), {}, 0, 0, 0, {}};
  for (const State& state : states) {
    memory.lines.push_back({state.category, bytes_of(state, phi, divided_up(phi, ranks))});
    memory.bytes = added(memory.bytes, memory.lines.back().bytes);
    memory.bytes_elsewhere = added(memory.bytes_elsewhere, bytes_of(state, phi, phi / ranks));
  }
  const auto [a, b] = memory.per_element;
  memory.bytes_of_all = added(multiplied(multiplied(a, phi), ranks), multiplied(b, phi));
  if (model.largest_unit) {
    memory.buffer = multiplied(unit_bytes(model, stage), *model.largest_unit);
  }
  return memory;
}

}  // namespace

Fraction reduction(const StateBytes& bytes, Whole ranks) {
  const auto [a, b] = bytes;
  return {multiplied(a + b, ranks), added(multiplied(a, ranks), b)};
}

std::string reduction_formula(const StateBytes& bytes) {
  const auto [a, b] = bytes;
  if (b == 0) return "1";
  if (a == 0) return "N";
  const std::size_t common = std::gcd(a, b);
  return fmt::format("{}/({}+{})", term((a + b) / common, "N"), term(a / common, "N"), b / common);
}

std::optional<Fraction> ceiling(const StateBytes& bytes) {
  if (bytes.full == 0) return std::nullopt;
  return Fraction(bytes.full + bytes.sharded, bytes.full);
}

Whole bytes_on_fullest(const StateBytes& bytes, Whole parameters, Whole ranks) {
  return added(multiplied(bytes.full, parameters),
               multiplied(bytes.sharded, divided_up(parameters, ranks)));
}

std::vector<StageMemory> plan_memory(const PlannedModel& model, Whole ranks) {
  std::vector<StageMemory> stages;
  for (int stage = 0; stage < 4; ++stage) {
    const std::vector<State> states = planned_states(model, stage);
    if (!states.empty()) stages.push_back(memory_of(model, stage, states, ranks));
  }
  return stages;
}

std::vector<StageTraffic> plan_traffic(const PlannedModel& model, Whole ranks) {
  const Fraction one = Fraction(model.parameters, ranks) * Fraction(ranks - 1) *
                       Fraction(width(model.job.precision));
  // No virtual shards here, so calls do not depend on N, which may be beyond what ranks can be.
  const Volume first = volume(model.job, 0, 1);
  const auto ratio = [&](std::size_t times, std::size_t of) -> std::optional<Fraction> {
    if (one.zero()) return std::nullopt;
    return Fraction(times, of);
  };
  std::vector<StageTraffic> stages;
  for (int stage = 0; stage < 4; ++stage) {
    const Volume times = volume(model.job, stage, 1);
    stages.push_back({stage, calls_per_unit(model.job, stage, 1), times,
                      one * Fraction(times.payload), one * Fraction(times.wire),
                      ratio(times.payload, first.payload), ratio(times.wire, first.wire)});
  }
  return stages;
}

}  // namespace zerolab
