// What plan --json writes; keys as documented in the README.
#include <limits>

#include "plan_output.hpp"
#include "zerolab/report/options.hpp"

namespace zerolab {

namespace {

using nlohmann::json;

/// An integer; as a string of its digits where it has more than 64 bits.
json number(Whole value) {
  if (value > std::numeric_limits<std::uint64_t>::max()) return digits(value);
  return static_cast<std::uint64_t>(value);
}

json number(const std::optional<Whole>& value) {
  return value ? number(*value) : json(nullptr);
}

json fraction(const std::optional<Fraction>& value) {
  if (!value) return nullptr;
  return {{"numerator", number(value->numerator())},
          {"denominator", number(value->denominator())},
          {"decimal", value->approximate()}};
}

/// NAME rounded up, and NAME_exact as text.
void put(json& tree, const std::string& name, const std::optional<Fraction>& value) {
  tree[name] = value ? number(value->rounded_up()) : json(nullptr);
  tree[name + "_exact"] = value ? json(text(*value)) : json(nullptr);
}

json model_json(const PlanOptions& o) {
  const Job& job = o.model.job;
  return {{"parameters", number(o.model.parameters)},
          {"ranks", number(o.ranks)},
          {"precision", name(job.precision)},
          {"optimizer", name(job.optimizer.kind)},
          {"momentum", job.optimizer.has_momentum()},
          {"layout", name(o.model.layout)},
          {"accumulate", job.accumulate},
          {"largest_unit", number(o.model.largest_unit)}};
}

json factors_json(const StateBytes& bytes, Whole ranks) {
  json tree = fraction(reduction(bytes, ranks));
  tree["formula"] = reduction_formula(bytes);
  return tree;
}

/// One convention; null for all that is not known, bytes alone or multiples too.
void put_convention(json& tree, const std::string& name, const std::optional<Fraction>& bytes,
                    const std::optional<std::size_t>& times, const std::optional<Fraction>& ratio) {
  put(tree, name + "_bytes", bytes);
  put(tree, name + "_bytes_both_directions", bytes ? std::optional(Fraction(2) * *bytes) : bytes);
  tree[name + "_times"] = times ? json(*times) : json(nullptr);
  tree[name + "_ratio"] = fraction(ratio);
}

void put_traffic(json& tree, const std::optional<StageTraffic>& s, bool bytes_known) {
  const std::optional<Fraction> none;
  if (!s) {
    put_convention(tree, "volume", none, {}, none);
    put_convention(tree, "ring", none, {}, none);
    return;
  }
  put_convention(tree, "volume", bytes_known ? std::optional(s->payload) : none, s->times.payload,
                 s->payload_ratio);
  put_convention(tree, "ring", bytes_known ? std::optional(s->wire) : none, s->times.wire,
                 s->wire_ratio);
}

json remedies_json(const Remedies& r) {
  json tree{{"leanest_stage", r.leanest_stage},
            {"activations_at_most", number(r.activations_at_most)},
            {"offload", json::array()},
            {"split", json::array()}};
  for (const Remedies::Offload& o : r.offload) {
    tree["offload"].push_back({{"stage", o.stage},
                               {"state_bytes", number(o.left)},
                               {"total_bytes", number(o.total)},
                               {"host_bytes", number(o.host)},
                               {"fits", o.fits}});
  }
  for (const Remedies::Split& s : r.split) {
    const auto if_any = [&](Whole value) { return s.parts ? number(value) : json(nullptr); };
    tree["split"].push_back({{"stage", s.stage},
                             {"parts", number(s.parts)},
                             {"ranks", if_any(s.ranks)},
                             {"part_parameters", if_any(s.part)},
                             {"total_bytes", if_any(s.total)}});
  }
  return tree;
}

json overlap_json(const Timing::Overlap& overlap, const PlanOptions& o) {
  json tree{{"efficiency", fraction(overlap.efficiency)}};
  if (!o.target) return tree;
  put(tree, "bandwidth_for_target", overlap.bandwidth);
  tree["bandwidth_ratio"] =
      overlap.bandwidth ? fraction(*overlap.bandwidth / Fraction(o.bandwidth)) : json(nullptr);
  return tree;
}

}  // namespace

json memory_json(const PlanOptions& o, const std::vector<StageMemory>& stages) {
  json tree{{"inputs", model_json(o)}, {"stages", json::array()}};
  const Whole more = o.model.parameters % o.ranks;
  tree["fullest_ranks"] = number(more == 0 ? o.ranks : more);
  for (const StageMemory& s : stages) {
    json stage{{"stage", s.stage},
               {"bytes_per_rank", number(s.bytes)},
               {"optimizer_bytes", number(s.optimizer_bytes())},
               {"bytes_elsewhere", number(s.bytes_elsewhere)},
               {"bytes_all_ranks", number(s.bytes_of_all)},
               {"buffer_bytes", number(s.buffer)},
               {"formula", formula(s.per_element)},
               {"reduction", factors_json(s.per_element, o.ranks)},
               {"ceiling", fraction(ceiling(s.per_element))}};
    for (const StageMemory::Line& line : s.lines) {
      stage["state"][std::string(name(line.category))] = number(line.bytes);
    }
    tree["stages"].push_back(std::move(stage));
  }
  return tree;
}

json traffic_json(const PlanOptions& o, const std::vector<StageTraffic>& stages) {
  json tree{{"inputs", model_json(o)}, {"stages", json::array()}};
  for (const StageTraffic& s : stages) {
    json stage{{"stage", s.stage},
               {"calls_per_unit",
                {{"allreduce", s.calls.all_reduce},
                 {"reduce_scatter", s.calls.reduce_scatter},
                 {"allgather", s.calls.all_gather}}}};
    put_traffic(stage, s, true);
    tree["stages"].push_back(std::move(stage));
  }
  return tree;
}

json time_json(const PlanOptions& o, const std::vector<TimeCase>& cases) {
  json inputs = o.volume ? json{{"volume", number(*o.volume)}} : model_json(o);
  inputs["bandwidth"] = number(o.bandwidth);
  inputs["compute_seconds"] = fraction(o.compute);
  inputs["target"] = fraction(o.target);
  json tree{{"inputs", std::move(inputs)}, {"cases", json::array()}};
  for (const TimeCase& all : cases) {
    json entry{{"directions", !all.directions                      ? "as given"
                              : *all.directions == Directions::one ? "one"
                                                                   : "both"},
               {"stages", json::array()}};
    for (const TimedBytes& line : all.lines) {
      json stage{{"stage", line.stage ? json(*line.stage) : json(nullptr)},
                 {"counted", line.counted},
                 {"seconds", fraction(line.timing.seconds)},
                 {"no_overlap", overlap_json(line.timing.none, o)},
                 {"full_overlap", overlap_json(line.timing.full, o)}};
      put(stage, "bytes", line.bytes);
      entry["stages"].push_back(std::move(stage));
    }
    tree["cases"].push_back(std::move(entry));
  }
  return tree;
}

json fit_json(const PlanOptions& o, const Fit& fit) {
  json tree{
      {"inputs", model_json(o)},
      {"stages", json::array()},
      {"stages_by_traffic", of_another_system(o.model.layout) ? json(nullptr) : json(fit.order)},
      {"recommended_stage", fit.recommended ? json(*fit.recommended) : json(nullptr)},
      {"remedies", fit.remedies ? remedies_json(*fit.remedies) : json(nullptr)}};
  tree["inputs"]["memory"] = number(fit.memory);
  tree["inputs"]["activations"] = number(fit.activations);
  for (const StageFit& s : fit.stages) {
    json stage{{"stage", s.stage},
               {"bytes_per_rank", number(s.state)},
               {"buffer_bytes", number(s.buffer)},
               {"total_bytes", number(s.total)},
               {"fits", s.fits},
               {s.fits ? "spare_bytes" : "missing_bytes", number(s.difference)},
               {"min_ranks", number(s.min_ranks)},
               {"min_ranks_power_of_two", number(s.min_power_of_two)},
               {"min_ranks_bound", fraction(s.bound)}};
    put_traffic(stage, s.traffic, sends_as_we_do(o));
    tree["stages"].push_back(std::move(stage));
  }
  return tree;
}

}  // namespace zerolab
