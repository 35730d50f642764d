// What plan fit prints where no stage fits.
#include "plan_output.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/quantity.hpp"

namespace zerolab {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string checkpointing(const Remedies& r) {
  const std::string what = "  Activation checkpointing: ";
  if (!r.activations_at_most) {
    return what +
           fmt::format("not by itself; without any, stage {} is still too much\n", r.leanest_stage);
  }
  if (*r.activations_at_most == 0) {
    return what +
           fmt::format("not by itself; stage {} alone takes all the memory\n", r.leanest_stage);
  }
  return what + fmt::format("to at most {} bytes of activations, with stage {}\n",
                            spaced(*r.activations_at_most), r.leanest_stage);
}

std::string more_ranks(const PlanOptions& o, const Fit& fit) {
  std::string lines;
  for (const StageFit& s : fit.stages) {
    if (!s.min_ranks) continue;
    const Whole state = bytes_on_fullest(s.per_element, o.model.parameters, *s.min_power_of_two);
    lines +=
        wrapped(fmt::format("    stage {} from N = {}; a power of two: {}, then {} bytes a rank",
                            s.stage, spaced(*s.min_ranks), spaced(*s.min_power_of_two),
                            spaced(state + s.buffer + fit.activations)));
  }
  return lines.empty() ? "  More ranks: none are enough; activations and what is not sharded stay\n"
                       : "  More ranks\n" + lines;
}

std::string offload_table(const Remedies& r) {
  Rows rows{{"stage", "state left", "total", "fits", "on the host"}};
  for (const Remedies::Offload& o : r.offload) {
    rows.push_back({std::to_string(o.stage), spaced(o.left), spaced(o.total), o.fits ? "yes" : "no",
                    spaced(o.host)});
  }
  return "  Optimizer state in the host's memory, bytes of a rank\n" + table(rows);
}

std::string split_table(const Remedies& r, const PlanOptions& o) {
  Rows rows{{"stage", "smallest M", "ranks in all", "parameters of a part", "total, bytes"}};
  for (const Remedies::Split& s : r.split) {
    rows.push_back({std::to_string(s.stage), s.parts ? spaced(*s.parts) : "none"});
    const bool countable = s.ranks <= largest_quantity;
    rows.back().push_back(!s.parts ? "-" : countable ? spaced(s.ranks) : "above 10^18");
    for (const Whole bytes : {s.part, s.total}) {
      rows.back().push_back(s.parts ? spaced(bytes) : "-");
    }
  }
  return fmt::format("  Pipeline or tensor parallelism: the model in M parts, each on {}\n",
                     ranks_of(o.ranks)) +
         table(rows) +
         "    taken for granted: activations and buffer of a rank stay as they are, which a "
         "pipeline\n"
         "    with several micro-batches under way, or tensor parallelism, changes either way\n";
}

}  // namespace

std::string remedies_text(const PlanOptions& o, const Fit& fit) {
  const Remedies& r = *fit.remedies;
  return "What would, one thing at a time:\n" + checkpointing(r) + more_ranks(o, fit) +
         offload_table(r) + split_table(r, o);
}

}  // namespace zerolab
