#include <algorithm>
#include <numeric>

#include "lab.hpp"

namespace student {

namespace {

double communication_time(const Sent& sent, const Cluster& cluster) {
  return sent.bytes / cluster.bandwidth + sent.messages * cluster.latency;
}

}  // namespace

double step_time(const Step& step) {
  const double compute = step.flops / step.flops_per_second;
  const double communication = step.bytes / step.bandwidth + step.messages * step.latency;
  return step.overlap ? std::max(compute, communication) : compute + communication;
}

Sent sent(int stage, const std::vector<std::uint64_t>& units, std::uint64_t ranks) {
  // An all-reduce is a reduce-scatter and an all-gather, two rings.
  const double rings = stage == 1 || stage == 3 ? 3 : 2;
  const auto parameters =
      static_cast<double>(std::accumulate(units.begin(), units.end(), std::uint64_t{0}));
  const auto n = static_cast<double>(ranks), l = static_cast<double>(units.size());
  return {rings * 2 * parameters * (n - 1) / n, rings * l * (n - 1)};
}

double efficiency(double compute, double communication, bool overlap) {
  return compute / (overlap ? std::max(compute, communication) : compute + communication);
}

std::optional<double> bandwidth_for(double efficiency, double compute, double bytes, bool overlap) {
  if (overlap) return bytes * efficiency / compute;
  if (efficiency == 1) return std::nullopt;
  return bytes / (compute * (1 - efficiency) / efficiency);
}

std::uint64_t sweet_spot(double flops, const std::vector<std::uint64_t>& units,
                         const Cluster& cluster, std::uint64_t most) {
  std::uint64_t best = 1;
  double least = flops / cluster.flops_per_second;
  for (std::uint64_t ranks = 2; ranks <= most; ++ranks) {
    const double compute = flops / static_cast<double>(ranks) / cluster.flops_per_second;
    const double step = compute + communication_time(sent(3, units, ranks), cluster);
    if (step >= least) continue;
    least = step;
    best = ranks;
  }
  return best;
}

Times predict(const Job& job) {
  double products = 0, parameters = 0;
  std::vector<std::uint64_t> units;
  for (std::size_t l = 0; l + 1 < job.widths.size(); ++l) {
    const double weights = static_cast<double>(job.widths[l] * job.widths[l + 1]);
    products += (l == 0 ? 2 : 3) * 2 * static_cast<double>(job.batch) * weights;
    units.push_back((job.widths[l] + 1) * job.widths[l + 1]);
    parameters += static_cast<double>(units.back());
  }
  const double updated = job.stage == 0 ? parameters : parameters / static_cast<double>(job.ranks);
  return {(products + 17 * updated) / job.cluster.flops_per_second,
          communication_time(sent(job.stage, units, job.ranks), job.cluster)};
}

}  // namespace student
