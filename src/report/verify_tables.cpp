#include "verify_tables.hpp"

#include <cmath>
#include <numeric>

#include "zerolab/report/console.hpp"
#include "zerolab/report/options.hpp"

namespace zerolab {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string yes(bool holds) {
  return holds ? "yes" : "NO";
}

std::string stage_of(const Outcome& o) {
  return std::to_string(o.stage);
}

const MemoryLedger::Line& line(const MemoryTable& table, Category category) {
  return table[static_cast<std::size_t>(category)];
}

constexpr std::array state{Category::parameters, Category::gradients, Category::master,
                           Category::momentum, Category::variance};

std::size_t state_now(const MemoryTable& table) {
  std::size_t sum = 0;
  for (const Category c : state) sum += line(table, c).now;
  return sum;
}

/// Traffic of all ranks together, without scalars and what lies outside training.
Traffic sum_over_ranks(const Outcome& o) {
  Traffic sum;
  for (const RankReport& report : o.reports) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(Collective::scalars); ++c) {
      sum += report.traffic[c];
    }
  }
  return sum;
}

/// What all ranks send in the ring model, in elements: each collective's bytes over its own width,
/// as the sums of `exact` are wider than what is gathered.
std::size_t ring_elements(const Outcome& o) {
  std::size_t elements = 0;
  for (const RankReport& report : o.reports) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(Collective::scalars); ++c) {
      const Traffic& line = report.traffic[c];
      if (line.elements > 0) elements += line.ring_bytes / (line.payload_bytes / line.elements);
    }
  }
  return elements;
}

/// a / b for people: whole where it is whole.
std::string ratio(std::size_t a, std::size_t b) {
  if (b == 0) return "-";
  if (a % b == 0) return std::to_string(a / b);
  return fmt::format("{:.4g}", static_cast<double>(a) / static_cast<double>(b));
}

}  // namespace

std::string bits_table(const std::vector<Outcome>& outcomes) {
  Rows rows{{"stage", "digest of the parameters", fmt::format("= stage {}", outcomes[0].stage),
             "ranks agree", "skipped", "last loss", "test accuracy"}};
  for (const Outcome& o : outcomes) {
    const double accuracy = 100.0 * static_cast<double>(o.evaluation.correct) /
                            static_cast<double>(std::max<std::size_t>(o.evaluation.samples, 1));
    rows.push_back({stage_of(o), hex(o.digest.parameters),
                    yes(o.digest.parameters == outcomes[0].digest.parameters &&
                        o.digest.master == outcomes[0].digest.master &&
                        o.digest.moments == outcomes[0].digest.moments),
                    yes(o.digest.agrees()), std::to_string(o.skipped),
                    o.last ? fmt::format("{:.6f}", o.last->loss) : "-",
                    o.evaluation.samples == 0
                        ? "not available"
                        : fmt::format("{}/{} = {:.2f} %", o.evaluation.correct,
                                      o.evaluation.samples, accuracy)});
  }
  return table(rows);
}

std::string stored_table(const std::vector<Outcome>& outcomes, const Job& job) {
  Rows rows{{"stage", "parameters", "gradients", "master", "momentum", "variance", "sum", "sum/Φ",
             "formula", "holds"}};
  const auto phi = static_cast<double>(job.shape.parameters());
  for (const Outcome& o : outcomes) {
    std::vector<std::string> row{stage_of(o)};
    for (const Category c : state) row.push_back(grouped(line(o.reports[0].memory, c).now));
    const std::size_t sum = state_now(o.reports[0].memory);
    row.push_back(grouped(sum));
    row.push_back(fmt::format("{:.3f}", static_cast<double>(sum) / phi));
    row.push_back(formula(state_bytes(job, o.stage)));
    row.push_back(yes(o.memory_holds()));
    rows.push_back(std::move(row));
  }
  return table(rows);
}

std::string peak_table(const std::vector<Outcome>& outcomes) {
  Rows rows{{"stage", "parameters", "gradients", "accumulator", "activations", "buffers", "data",
             "process", "holds"}};
  for (const Outcome& o : outcomes) {
    std::vector<std::string> row{stage_of(o)};
    for (const Category c : {Category::parameters, Category::gradients, Category::accumulator,
                             Category::activations, Category::buffers, Category::data}) {
      row.push_back(grouped(line(o.reports[0].memory, c).peak));
    }
    row.push_back(o.reports[0].rss_peak ? grouped(*o.reports[0].rss_peak) : "not available");
    row.push_back(yes(o.memory_holds()));
    rows.push_back(std::move(row));
  }
  return table(rows);
}

std::string sent_table(const std::vector<Outcome>& outcomes, const Job& job) {
  const std::size_t ranks = outcomes[0].reports.size();
  if (outcomes[0].steps == 0) return "  nothing: there was no step\n";
  if (ranks == 1) return "  nothing: payload × (N−1)/N and the ring model are 0 at N = 1\n";
  Rows rows{{"stage", "elements", "payload ×", "formula", "bytes", "ratio", "ring ×", "formula",
             "bytes", "ratio", "holds"}};
  const std::size_t phi = job.shape.parameters();
  std::size_t payload0 = 0, ring0 = 0;
  for (const Outcome& o : outcomes) {
    const Traffic sum = sum_over_ranks(o);
    // The documents' volume of one rank and step: payload × (N−1)/N. The mean of the ring model
    // likewise.
    const std::size_t payload = sum.payload_bytes / ranks, ring = sum.ring_bytes / ranks;
    const std::size_t payload_volume = payload * (ranks - 1) / ranks;
    if (&o == &outcomes[0]) payload0 = payload, ring0 = ring;
    const Volume v = volume(job, o.stage, ranks);
    // A skipped step sends no updated parameters.
    const std::size_t unsent = o.stage == 1 || o.stage == 2 ? o.skipped : 0;
    rows.push_back({stage_of(o), grouped(sum.elements / ranks / o.steps),
                    ratio(sum.elements, ranks * o.steps * phi),
                    ratio(v.payload * o.steps - unsent, o.steps), grouped(payload_volume / o.steps),
                    ratio(payload, payload0), ratio(ring_elements(o), o.steps * phi * (ranks - 1)),
                    ratio(v.wire * o.steps - unsent, o.steps), grouped(ring / o.steps),
                    ratio(ring, ring0), yes(o.traffic_holds())});
  }
  std::string text = table(rows);
  if (outcomes[0].skipped > 0) {
    text += fmt::format("  {} of {} steps were skipped and sent no updated parameters\n",
                        outcomes[0].skipped, outcomes[0].steps);
  }
  return text;
}

std::string describe(const FirstDifference& d, const Job& job) {
  return fmt::format(
      "  stage {} parts from stage {} in step {}, unit {}, element {}: {:.9g} against {:.9g}\n"
      "    ({} ulp{}); {} of {} parameters differ after that step\n",
      d.stage, d.reference, d.step, d.unit, d.index, d.b, d.a, d.ulps, d.ulps == 1 ? "" : "s",
      grouped(d.differing), grouped(job.shape.parameters()));
}

}  // namespace zerolab
