// verify's table of what was really sent, beside the ring model.
#include <algorithm>
#include <numeric>

#include "verify_tables.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

using Bytes = std::vector<std::uint64_t>;

std::uint64_t sum(const Bytes& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

/// The ring model's bytes of a step, by rank; scalars apart.
Bytes ring_per_step(const Outcome& o) {
  Bytes bytes;
  for (const TrafficTable& formula : o.traffic_formula) {
    std::size_t ring = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(Collective::scalars); ++c)
      ring += formula[c].ring_bytes;
    bytes.push_back(ring / o.steps);
  }
  return bytes;
}

/// Bytes of a rank as multiples of Φ(N−1)/N elements; only where all elements have one width.
std::string multiple(double bytes, const Job& job, std::size_t ranks) {
  if (job.reduce == ReduceMode::exact) return "-";
  const auto n = static_cast<double>(ranks);
  const double elements = bytes / static_cast<double>(width(job.precision));
  return fmt::format("{:.4g}",
                     elements / (static_cast<double>(job.shape.parameters()) * (n - 1) / n));
}

/// `wire` is not below `ring` in sum: nothing sends less than a ring does.
std::string compared(const Bytes& wire, const Bytes& ring) {
  if (wire == ring) return "equal on every rank";
  return sum(wire) == sum(ring) ? "equal in sum" : "above";
}

}  // namespace

std::string wire_table(const std::vector<Outcome>& outcomes, const Job& job,
                       const WirePerStep& measured) {
  const std::size_t ranks = outcomes[0].reports.size();
  if (ranks == 1 || outcomes[0].steps == 0) return {};
  std::vector<std::vector<std::string>> rows{{"stage", "ring ×", "bytes", "wire ×", "mean bytes",
                                              "busiest ×", "bytes", "rank", "wire and ring"}};
  std::vector<int> above, uncounted;
  for (const Outcome& o : outcomes) {
    const Bytes ring = ring_per_step(o);
    const auto n = static_cast<double>(ranks);
    const double ring_mean = static_cast<double>(sum(ring)) / n;
    std::vector<std::string> row{std::to_string(o.stage), multiple(ring_mean, job, ranks),
                                 grouped(sum(ring) / ranks)};
    const auto found = measured.find(o.stage);
    const bool less = found != measured.end() && o.skipped == 0 && sum(found->second) < sum(ring);
    if (less) uncounted.push_back(o.stage);
    if (found == measured.end() || less) {
      row.insert(row.end(), {"not available", "-", "-", "-", "-", "-"});
    } else {
      const Bytes& wire = found->second;
      const auto busiest = std::max_element(wire.begin(), wire.end());
      const auto rank = static_cast<std::size_t>(busiest - wire.begin());
      row.insert(row.end(), {multiple(static_cast<double>(sum(wire)) / n, job, ranks),
                             grouped(sum(wire) / ranks),
                             multiple(static_cast<double>(*busiest), job, ranks), grouped(*busiest),
                             std::to_string(rank), o.skipped > 0 ? "-" : compared(wire, ring)});
      if (o.skipped == 0 && *busiest > *std::max_element(ring.begin(), ring.end()))
        above.push_back(o.stage);
    }
    rows.push_back(std::move(row));
  }
  std::string text = table(rows);
  if (!uncounted.empty()) {
    text += fmt::format(
        "  not available: stage {}. Fewer bytes were counted than any algorithm can do with, so "
        "this\n"
        "  MPI has ways that its counter does not see (shared memory, offload to a switch)\n",
        fmt::join(uncounted, ", "));
  }
  if (!above.empty()) {
    text += fmt::format(
        "  busiest rank above the ring: stage {}. The library has other algorithms for small "
        "units\n"
        "  and for N that are no power of two, and cuts ragged vectors in its own way; "
        "doctor\n  --collectives shows at which sizes\n",
        fmt::join(above, ", "));
  }
  return text;
}

}  // namespace zerolab
