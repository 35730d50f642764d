#include "zerolab/report/measured.hpp"

#include <numeric>

#include "json_field.hpp"
#include "zerolab/report/cost_model.hpp"

namespace zerolab {

namespace {

constexpr std::array training_collectives{Collective::all_reduce, Collective::reduce_scatter,
                                          Collective::all_gather, Collective::all_to_all};

/// As many ranks, parameters and so on in each part as the whole file says.
void require_same(const JsonField& field, std::uint64_t wanted) {
  field.require_kind(field.whole() == wanted, fmt::format("{} as elsewhere in it", wanted));
}

// What a file may say: more than any run has, and so little that no product or sum of it wraps.
constexpr std::uint64_t most_ranks = std::uint64_t{1} << 20U,
                        most_parameters = 1'000'000'000'000'000,
                        most_steps = std::uint64_t{1} << 40U, most_bytes = std::uint64_t{1} << 60U;

void add_bytes(std::uint64_t& sum, const JsonField& field) {
  const std::uint64_t bytes = field.whole();
  field.require_kind(bytes <= most_bytes - sum, "a number of bytes that adds up to at most 2^60");
  sum += bytes;
}

/// The closed forms fit when the largest of them does, the model state or three payloads a step.
void require_fitting(const MeasuredRun& run, const MeasuredStage& stage, const JsonField& steps) {
  const double state = 16.0 * static_cast<double>(run.parameters) * static_cast<double>(run.ranks);
  steps.require_kind(state * static_cast<double>(stage.steps) <= static_cast<double>(most_bytes),
                     "a number whose bytes, 16 a step, parameter and rank, stay below 2^60");
}

std::vector<JsonField> per_rank(const JsonField& summary, const char* what, std::size_t ranks) {
  const JsonField field = summary[what]["per_rank"];
  auto list = field.list();
  field.require_kind(list.size() == ranks, fmt::format("a list of {} ranks", ranks));
  return list;
}

MeasuredStage measured_stage(const JsonField& bits, const JsonField& bytes, std::size_t ranks) {
  MeasuredStage stage;
  for (const JsonField& rank : per_rank(bits, "memory", ranks)) {
    for (std::size_t c = 0; c < model_state.size(); ++c) {
      add_bytes(stage.state[c], rank[name(model_state[c])]["now"]);
    }
  }
  bits["memory"].require_kind(stage.state_sum() > 0, "that of a model: no bytes of it are held");
  for (const JsonField& rank : per_rank(bytes, "traffic", ranks)) {
    for (const Collective c : training_collectives) {
      add_bytes(stage.payload_bytes, rank[name(c)]["payload_bytes"]);
      add_bytes(stage.ring_bytes, rank[name(c)]["ring_bytes"]);
    }
  }
  stage.steps = bytes["steps"].whole();
  bytes["steps"].require_kind(stage.steps > 0 && stage.steps <= most_steps, "from 1 to 2^40");
  stage.reduce = bytes["reduce"].text();
  return stage;
}

std::optional<std::uint64_t> wire_bytes(const JsonField& wire, const std::string& stage,
                                        std::size_t ranks) {
  if (wire.is_null() || !wire.has(stage)) return std::nullopt;
  const auto per_rank = wire[stage].list();
  wire[stage].require_kind(per_rank.size() == ranks, fmt::format("a list of {} ranks", ranks));
  std::uint64_t sum = 0;
  for (const JsonField& bytes : per_rank) add_bytes(sum, bytes);
  return sum;
}

Job documents_job() {
  Job job;
  job.reduce = ReduceMode::mpi;
  return job;
}

}  // namespace

std::uint64_t MeasuredStage::state_sum() const {
  return std::accumulate(state.begin(), state.end(), std::uint64_t{0});
}

std::optional<MeasuredRun> measured_run(Results& results, std::size_t ranks) {
  MeasuredRun run;
  run.file = fmt::format("verify-{}.json", ranks);
  const nlohmann::json* all = results.json(run.file);
  if (all == nullptr) return std::nullopt;
  const JsonField file(results.folder() + "/" + run.file, *all);
  run.ranks = ranks;
  const JsonField wire = file["wire"];
  wire.require_kind(wire.is_null() || all->at("wire").is_object(), "null or bytes by stage");
  for (int stage = 0; stage < 4; ++stage) {
    const std::string key = std::to_string(stage);
    if (!file["stages"].has(key)) continue;  // verify --stages 0,3
    const JsonField bits = file["stages"][key], bytes = file["bytes"][key];
    if (run.stages.empty()) {
      run.parameters = bits["parameters"].whole();
      bits["parameters"].require_kind(run.parameters > 0 && run.parameters <= most_parameters,
                                      "from 1 to 10^15");
      bits["ranks"].require_kind(ranks <= most_ranks, "at most 2^20");
      run.precision = bits["precision"].text();
    }
    for (const JsonField& part : {bits, bytes}) {
      require_same(part["ranks"], ranks);
      require_same(part["parameters"], run.parameters);
    }
    run.stages[stage] = measured_stage(bits, bytes, ranks);
    require_fitting(run, run.stages[stage], bytes["steps"]);
    run.stages[stage].wire_bytes = wire_bytes(wire, key, ranks);
  }
  require(!run.stages.empty(), "{}/{}: stages holds none of the stages 0 to 3", results.folder(),
          run.file);
  return run;
}

std::vector<MeasuredRun> measured_runs(Results& results) {
  std::vector<MeasuredRun> runs;
  for (const std::size_t ranks : results.verified_ranks()) {
    auto run = measured_run(results, ranks);
    require(run.has_value(), "{}/verify-{}.json is a link to no file", results.folder(), ranks);
    runs.push_back(std::move(*run));
  }
  return runs;
}

std::uint64_t state_closed_form(int stage, Category category, std::uint64_t parameters,
                                std::uint64_t ranks) {
  const Placements place = placements_of(stage);
  const auto over_ranks = [&](Placement p) { return p == Placement::full ? ranks : 1; };
  switch (category) {
    case Category::parameters:
      return 2 * parameters * over_ranks(place.parameters);
    case Category::gradients:
      return 2 * parameters * over_ranks(place.gradients);
    case Category::master:
    case Category::momentum:
    case Category::variance:
      return 4 * parameters * over_ranks(place.optimizer_states);
    default:
      return 0;
  }
}

std::uint64_t payload_closed_form(int stage, std::uint64_t parameters, std::uint64_t ranks) {
  return 2 * parameters * ranks * volume(documents_job(), stage, ranks).payload;
}

std::uint64_t ring_closed_form(int stage, std::uint64_t parameters, std::uint64_t ranks) {
  return 2 * parameters * (ranks - 1) * volume(documents_job(), stage, ranks).wire;
}

}  // namespace zerolab
