#include "experiment.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zerolab/core/random.hpp"
#include "zerolab/report/experiments.hpp"

namespace zerolab {

namespace {

template <nlohmann::json (*measure)(Communicator&)>
nlohmann::json on_rank_0(Communicator& comm) {
  nlohmann::json measured = measure(comm);
  return comm.rank() == 0 ? measured : nlohmann::json();
}

}  // namespace

std::span<const Experiment> experiments() {
  static constexpr std::array all{
      Experiment{"experiment-batches.json", on_rank_0<experiment::batches>},
      Experiment{"experiment-states.json", on_rank_0<experiment::states>},
      Experiment{"experiment-sums.json", on_rank_0<experiment::sums>},
      Experiment{"experiment-averaging.json", on_rank_0<experiment::averaging>},
      Experiment{"experiment-accumulation.json", on_rank_0<experiment::accumulation>},
      Experiment{"experiment-activations.json", on_rank_0<experiment::activations>},
      Experiment{"experiment-empty-shards.json", on_rank_0<experiment::empty_shards>},
      Experiment{"experiment-identical-batches.json", on_rank_0<experiment::identical_batches>},
      Experiment{"experiment-variants.json", on_rank_0<experiment::variants>},
      Experiment{"experiment-wire.json", on_rank_0<experiment::wire>},
  };
  return all;
}

namespace experiment {

std::vector<std::size_t> in_turn(std::size_t size, std::size_t of) {
  std::vector<std::size_t> indices(size);
  for (std::size_t i = 0; i < size; ++i) indices[i] = i % of;
  return indices;
}

Job job_on(const Dataset& data, const std::vector<std::size_t>& hidden) {
  Job job;
  job.shape.widths = {data.features()};
  job.shape.widths.insert(job.shape.widths.end(), hidden.begin(), hidden.end());
  job.shape.widths.push_back(data.classes());
  job.loss_scale.fixed = 1024;
  return job;
}

Job plain_job_on(const Dataset& data, const std::vector<std::size_t>& hidden,
                 double learning_rate) {
  Job job = job_on(data, hidden);
  job.precision = NumberType::fp32;
  job.loss_scale.fixed = 1;
  job.optimizer = {.kind = OptimizerKind::sgd, .learning_rate = learning_rate};
  return job;
}

std::size_t share(std::size_t samples, std::size_t ranks) {
  return std::max(samples / ranks, std::size_t{1});
}

Outcome trained(const Job& job, int stage, std::size_t steps, const Dataset& data,
                Communicator& comm) {
  MemoryLedger memory;
  return run({.job = job,
              .stage = stage,
              .steps = steps,
              .data = data,
              .comm = comm,
              .memory = memory,
              .after_step = {}});
}

std::vector<float> values(const std::vector<Buffer>& units) {
  std::vector<float> all;
  for (const Buffer& unit : units) {
    all.resize(all.size() + unit.size());
    widen(unit, std::span(all).last(unit.size()));
  }
  return all;
}

std::vector<float> masters(const Stage& stage) {
  std::vector<float> all;
  for (const auto& unit : stage.optimizer_states().states()) {
    const auto master = unit.master.as<float>();
    all.insert(all.end(), master.begin(), master.end());
  }
  return all.empty() ? values(stage.stored_parameters()) : all;
}

double along_direction(const Stage& stage) {
  constexpr std::uint64_t direction = 0x646972;  // "dir"
  double sum = 0;
  std::uint64_t index = 0;
  for (const Sum& unit : stage.averaged_gradients()) {
    for (const float g : unit.stored.as<float>()) {
      sum += random_bits(direction, index++) % 2 == 0 ? double{g} : -double{g};
    }
  }
  return sum;
}

Moments moments(const std::vector<double>& values) {
  const auto size = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / size;
  double squares = 0, fourths = 0;
  for (const double value : values) {
    const double square = (value - mean) * (value - mean);
    squares += square;
    fourths += square * square;
  }
  return {mean, squares / (size - 1), fourths * size / (squares * squares) - 3};
}

nlohmann::json digests(const Outcome& outcome) {
  const StateDigest& digest = outcome.digest;
  return {{"parameters", hex(digest.parameters)},
          {"master", hex(digest.master)},
          {"moments", hex(digest.moments)},
          {"agrees", digest.agrees()},
          {"updates", outcome.steps - outcome.skipped}};
}

nlohmann::json gathered(Communicator& comm, const nlohmann::json& mine) {
  nlohmann::json all;
  for (const std::string& text : comm.gather(mine.dump())) {
    all.push_back(nlohmann::json::parse(text));
  }
  return all;
}

}  // namespace experiment

}  // namespace zerolab
