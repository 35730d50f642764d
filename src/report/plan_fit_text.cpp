// What plan fit prints.
#include <fmt/ranges.h>

#include "plan_output.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string or_none(const std::optional<Whole>& number) {
  return number ? spaced(*number) : "none";
}

std::string needs_table(const Fit& fit) {
  Rows rows{{"stage", "formula", "state", "buffer", "total"}};
  for (const StageFit& s : fit.stages) {
    rows.push_back({std::to_string(s.stage), formula(s.per_element), spaced(s.state),
                    spaced(s.buffer), spaced(s.total)});
  }
  return table(rows);
}

std::string fits_table(const Fit& fit) {
  Rows rows{{"stage", "fits", "bytes", "N ≥", "smallest N", "power of two"}};
  for (const StageFit& s : fit.stages) {
    rows.push_back({std::to_string(s.stage), s.fits ? "yes, to spare" : "no, missing",
                    spaced(s.difference), s.bound ? multiple(*s.bound) : "-", or_none(s.min_ranks),
                    or_none(s.min_power_of_two)});
  }
  return table(rows);
}

std::string traffic_table(const PlanOptions& o, const Fit& fit) {
  Rows rows{{"stage", "payload ×", "bytes", "ring ×", "bytes"}};
  const bool ours = sends_as_we_do(o);
  for (const StageFit& s : fit.stages) {
    rows.push_back({std::to_string(s.stage), "-", "-", "-", "-"});
    if (!s.traffic) continue;
    rows.back()[1] = grouped(s.traffic->times.payload);
    rows.back()[3] = grouped(s.traffic->times.wire);
    if (!ours) continue;
    rows.back()[2] = bytes_text(s.traffic->payload);
    rows.back()[4] = bytes_text(s.traffic->wire);
  }
  if (ours) return table(rows);
  return table(rows) +
         (of_another_system(o.model.layout)
              ? "  not available: the multiples are of zerolab's stages, and this system sends as "
                "it does\n"
              : "  bytes: not available, since this layout may send other widths than it computes "
                "in\n");
}

std::string verdict(const PlanOptions& o, const Fit& fit) {
  if (!fit.recommended) return "No stage fits. ";
  const std::string order = fmt::format("{}", fmt::join(fit.order, ", "));
  std::string text = fmt::format("Stage {} fits with the least traffic ", *fit.recommended);
  if (of_another_system(o.model.layout)) {
    text = fmt::format("Stage {} is the lowest that fits (by stage, {}; traffic is not compared)\n",
                       *fit.recommended, order);
  } else if (o.ranks == 1) {
    return text + "(on one rank nothing is sent: the plainest)\n";
  } else {
    text += fmt::format("(by {} the order is {}: payload first, then wire)\n",
                        sends_as_we_do(o) ? "traffic" : "elements", order);
  }
  if (*fit.recommended > 0) return text;
  return text +
         "  The model fits as it is: sharding would only free memory that is spare already\n";
}

}  // namespace

std::string fit_text(const PlanOptions& o, const Fit& fit) {
  std::vector<std::string> words = describe(o, true);
  words.push_back(fmt::format("memory {}", spaced(fit.memory)));
  words.push_back(fmt::format("activations {}", spaced(fit.activations)));
  if (o.model.largest_unit) {
    words.push_back(fmt::format("largest unit {}", spaced(*o.model.largest_unit)));
  }
  std::string text = joined(words);
  for (const std::string& line : source_of(o.model.layout)) text += line + "\n";
  text += "\nBytes of the fullest rank; the total has the activations, which no stage shards\n" +
          needs_table(fit);
  if (!o.model.largest_unit) text += "  buffer: not counted without --largest-unit\n";
  text += "\nAnd the ranks it takes\n" + fits_table(fit);
  text +=
      "\nTraffic of a rank and step, one direction; ×: Φ(N−1)/N elements\n" + traffic_table(o, fit);
  text += "\n";
  text += verdict(o, fit);
  return text + (fit.remedies ? remedies_text(o, fit) : "");
}

}  // namespace zerolab
