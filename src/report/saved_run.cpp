#include "zerolab/report/saved_run.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "json_field.hpp"
#include "parsed_json.hpp"
#include "zerolab/report/job_json.hpp"

namespace zerolab {

using nlohmann::json;

namespace {

constexpr const char* format_key = "zerolab_checkpoint";

/// A number that counting can reach.
std::size_t counted(const JsonField& field) {
  constexpr std::uint64_t most = 1'000'000'000'000'000;
  field.require_kind(field.whole() <= most, "a count");
  return field.whole();
}

LossScaler::State scaler_in(const JsonField& state) {
  const JsonField scale = state["loss_scale"];
  int exponent = 0;
  scale.require_kind(scale.number() >= LossScaleSettings::smallest &&
                         scale.number() <= LossScaleSettings::largest &&
                         std::frexp(scale.number(), &exponent) == 0.5,
                     "a power of two from 1 to 2^24");
  return {scale.number(), counted(state["updates_in_a_row"]), counted(state["skips_in_a_row"]),
          counted(state["skipped_steps"])};
}

std::string option_name(std::string key) {
  std::ranges::replace(key, '_', '-');
  return key;
}

}  // namespace

std::string SavedRun::text() const {
  return json{{format_key, CheckpointHead::version},
              {"job", job},
              {"run", run},
              {"state",
               {{"step", at.step},
                {"epoch", at.position.epoch},
                {"sample", at.position.sample},
                {"samples_consumed", samples},
                {"optimizer_steps", at.updates},
                {"loss_scale", at.scaler.scale},
                {"updates_in_a_row", at.scaler.updates_in_a_row},
                {"skips_in_a_row", at.scaler.skips_in_a_row},
                {"skipped_steps", at.scaler.skips}}}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

SavedRun saved_run(const CheckpointReader& checkpoint) {
  const std::string& path = checkpoint.path();
  const json description = parsed_json(checkpoint.head().description, path);
  require(!description.is_discarded(), "{}: its description is not JSON", path);
  const JsonField whole(path, description);
  whole[format_key].require_kind(whole[format_key].whole() == CheckpointHead::version,
                                 fmt::format("{}", CheckpointHead::version));
  const JsonField state = whole["state"];
  for (const char* key : {"job", "run"})
    whole[key].require_kind(description[key].is_object(), "an object");
  return {description["job"],
          description["run"],
          {counted(state["step"]),
           {counted(state["epoch"]), counted(state["sample"])},
           counted(state["optimizer_steps"]),
           scaler_in(state)},
          counted(state["samples_consumed"])};
}

json resumable_job(const Job& job, const Dataset& data) {
  json fields = job_json(job);
  fields.update({{"accumulate", job.accumulate},
                 {"virtual_shards", job.virtual_shards},
                 {"gemm", job.gemm == GemmKind::reference ? "reference" : "openblas"},
                 {"data",
                  {{"training_samples", data.samples(Split::train)},
                   {"test_samples", data.samples(Split::test)},
                   {"checksum", data_checksum(data)}}}});
  return fields;
}

std::set<std::string> allowable() {
  return {"accumulate", "batch",          "clip-norm",   "data",
          "gemm",       "loss-scale",     "lr",          "loss-scale-growth-interval",
          "momentum",   "optimizer",      "precision",   "reduce",
          "seed",       "virtual-shards", "weight-decay"};
}

std::vector<std::string> require_resumable(const json& job, const SavedRun& saved,
                                           const std::string& path,
                                           const std::set<std::string>& allowed) {
  std::vector<std::string> faults, names, differences;
  for (const std::string& key : differing_keys(job, saved.job)) {
    const bool may = allowable().contains(option_name(key));
    const bool is_allowed = may && allowed.contains(option_name(key));
    (is_allowed ? differences : faults)
        .push_back(
            fmt::format("{} is {} there, {} here", key, shown(saved.job, key), shown(job, key)));
    if (may && !is_allowed) names.push_back(" --allow " + option_name(key));
  }
  require(faults.empty(), "{} is of another job: {}{}", path, fmt::join(faults, "; "),
          names.size() < faults.size()
              ? std::string()
              : fmt::format(" (to resume all the same:{})", fmt::join(names, "")));
  return differences;
}

}  // namespace zerolab
