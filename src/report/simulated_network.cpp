#include "simulated_network.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace zerolab {

namespace {

/// Rings of each unit in a step, of stages 0 to 3; an all-reduce is two.
constexpr std::array<std::uint64_t, 4> rings{2, 3, 2, 3};
constexpr double flops_of_update = 17;
constexpr double envelope = 16;    // bytes that SMPI adds to a message
constexpr double scalars = 7 * 8;  // bytes that all ranks sum once a step

double real(std::uint64_t whole) {
  return static_cast<double>(whole);
}

/// Messages one after the other in an all-reduce of the scalars, at most: up and down a binomial
/// tree, each rank's one after the other, and rings where there is a word for each rank.
double messages_of_scalars(std::uint64_t ranks) {
  const double levels = static_cast<double>(std::bit_width(ranks - 1));
  return levels * (levels + 1) + (ranks <= 7 ? 2 * real(ranks - 1) : 0);
}

SimulatedStep job_at(const JsonField& field, Source source) {
  SimulatedStep job{};
  job.source = std::move(source);
  job.platform = field["platform"].text();
  job.bandwidth = field["bandwidth"].number();
  job.latency = field["latency"].number();
  job.flops = field["flops"].number();
  job.ranks = field["ranks"].whole();
  job.stage = static_cast<int>(field["stage"].whole());
  job.overlap = field["overlap"].truth();
  job.parameters = field["parameters"].whole();
  job.batch = field["batch"].whole();
  for (const JsonField& width : field["widths"].list()) job.widths.push_back(width.whole());
  job.step = field["step_seconds"].number();
  job.compute = field["compute_seconds"].number();
  job.communication = field["communication_seconds"].number();
  job.state = field["state_bytes"].whole();
  job.ring = field["ring_bytes"].whole();
  field["reduce"].require_kind(field["reduce"].text() == "mpi", "mpi, as the documents count");
  field["precision"].require_kind(field["precision"].text() == "fp16", "fp16");
  field["stage"].require_kind(job.stage >= 0 && job.stage <= 3, "a stage");
  field["ranks"].require_kind(job.ranks > 0 && job.ranks <= 1 << 20, "a number of ranks");
  for (const char* key : {"bandwidth", "latency", "flops"}) {
    field[key].require_kind(field[key].number() > 0, "above 0");
  }
  std::uint64_t elements = 0;
  for (std::size_t l = 0; l + 1 < job.widths.size(); ++l) {
    elements += (job.widths[l] + 1) * job.widths[l + 1];
  }
  field["parameters"].require_kind(elements > 0 && elements == job.parameters,
                                   "the number of parameters of these widths");
  return job;
}

}  // namespace

bool Range::has(double value) const {
  constexpr double exact = 1e-9;
  return value >= least - exact * std::abs(least) && value <= most + exact * std::abs(most);
}

double SimulatedStep::compute_formula() const {
  double products = 0;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    products += (l == 0 ? 2 : 3) * 2 * real(batch) * real(widths[l]) * real(widths[l + 1]);
  }
  double updated = 0;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const std::uint64_t elements = (widths[l] + 1) * widths[l + 1];
    updated += real(stage == 0 ? elements : (elements + ranks - 1) / ranks);
  }
  return (products + flops_of_update * updated) / flops;
}

std::uint64_t SimulatedStep::ring_formula() const {
  return rings[static_cast<std::size_t>(stage)] * 2 * parameters * (ranks - 1);
}

double SimulatedStep::ring_seconds() const {
  return real(ring_formula()) / real(ranks) / bandwidth;
}

Range SimulatedStep::communication_formula() const {
  double messages = 0;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const std::uint64_t shard = ((widths[l] + 1) * widths[l + 1] + ranks - 1) / ranks;
    messages += real(ranks - 1) * (latency + (2 * real(shard) + envelope) / bandwidth);
  }
  const double least = real(rings[static_cast<std::size_t>(stage)]) * messages;
  const double scalar = latency + (scalars + envelope) / bandwidth;
  return {least, least + 2 * messages_of_scalars(ranks) * scalar};
}

Range SimulatedStep::step_formula() const {
  const double t = compute_formula();
  const auto [least, most] = communication_formula();
  if (!overlap) return {t + least, t + most};
  const double elements =
      2 * real((widths[0] + 1) * widths[1]) + real((widths[widths.size() - 2] + 1) * widths.back());
  const double share = elements / (3 * real(parameters));  // of what is sent
  return {std::max(t + share * ring_seconds(), ring_seconds()),
          std::max(t, least) + share * least + (most - least)};
}

bool SimulatedStep::as_formula() const {
  const double t = compute_formula();
  constexpr std::array<std::uint64_t, 4> full{16, 4, 2, 0};
  const std::uint64_t copies = full[static_cast<std::size_t>(stage)];
  return Range{t, t}.has(compute) && Range{step, step}.has(compute + communication) &&
         step_formula().has(step) && ring == ring_formula() &&
         state == (copies * ranks + 16 - copies) * parameters;
}

std::string SimulatedStep::network() const {
  return bandwidth < 1e8 ? fmt::format("{:.6g} kB/s ({})", bandwidth / 1e3, platform)
                         : fmt::format("{:.6g} GB/s ({})", bandwidth / 1e9, platform);
}

std::vector<SimulatedStep> simulated_steps(Results& results, const std::string& list) {
  const Selection all(results, {network_file, list + "[*]"});
  std::vector<SimulatedStep> jobs;
  for (const JsonField& field : all.fields()) {
    jobs.push_back(job_at(field, {network_file, fmt::format("{}[{}]", list, jobs.size())}));
  }
  require(!jobs.empty(), "{}: {} has no jobs", network_file, list);
  return jobs;
}

double exercise_bandwidth(const SimulatedStep& job) {
  constexpr double parameters = 175e9;
  return 2 * job.bandwidth * parameters / real(job.parameters);
}

const SimulatedStep& job_of(const std::vector<SimulatedStep>& jobs, const std::string& platform,
                            int stage) {
  const auto found = std::find_if(jobs.begin(), jobs.end(), [&](const SimulatedStep& job) {
    return job.platform == platform && job.stage == stage;
  });
  require(found != jobs.end(), "{}: no job of stage {} on {}", network_file, stage, platform);
  return *found;
}

}  // namespace zerolab
