#include "train_text.hpp"

#include "zerolab/report/console.hpp"

namespace zerolab {

void print_trace(const Trace& trace, Communicator& comm) {
  std::string mine;
  for (const std::string& line : trace.lines())
    mine += fmt::format("rank {} · {}\n", comm.rank(), line);
  for (const std::string& lines : comm.gather(mine)) fmt::print("{}\n", lines);
}

void print_outcome(const Outcome& o, const Job& job, bool stopped) {
  if (o.last) {
    fmt::print("loss {:.6f} · gradient norm {:.6g} · {} of {} steps skipped · loss scale {}\n",
               o.last->loss, o.last->grad_norm, o.skipped, o.steps, o.last->loss_scale);
  }
  if (o.evaluation.samples > 0) {
    fmt::print("test accuracy {}/{} = {:.2f} %\n", o.evaluation.correct, o.evaluation.samples,
               100.0 * static_cast<double>(o.evaluation.correct) /
                   static_cast<double>(o.evaluation.samples));
  } else {
    fmt::print("test accuracy not available: {}\n",
               stopped ? "stopped before the last step" : "the data has no test samples");
  }
  fmt::print("digest {} · master {} · moments {} · {}\n", hex(o.digest.parameters),
             hex(o.digest.master), hex(o.digest.moments),
             o.digest.agrees() ? "all ranks agree" : "ranks differ");
  fmt::print("  with {}\n", bits_hold_for(job));
  std::vector<std::vector<std::string>> rows{
      {"bytes on rank 0", "now", "peak", "formula now", "peak"}};
  for (std::size_t c = 0; c < categories; ++c) {
    const auto& line = o.reports[0].memory[c];
    const auto& formula = o.memory_formula[0][c];
    if (line.peak == 0 && formula.peak == 0) continue;
    rows.push_back({std::string(name(static_cast<Category>(c))), grouped(line.now),
                    grouped(line.peak), grouped(formula.now), grouped(formula.peak)});
  }
  fmt::print("{}", table(rows));
  rows = {{"traffic of rank 0", "calls", "elements", "payload bytes", "ring-model bytes"}};
  for (std::size_t c = 0; c < collectives; ++c) {
    const Traffic& line = o.reports[0].traffic[c];
    if (line.calls == 0) continue;
    rows.push_back({std::string(name(static_cast<Collective>(c))), grouped(line.calls),
                    grouped(line.elements), grouped(line.payload_bytes), grouped(line.ring_bytes)});
  }
  fmt::print("{}", table(rows));
  fmt::print("stored and sent, all ranks: {} the formulas\n",
             o.memory_holds() && o.traffic_holds() ? "equal" : "DIFFER from");
  fmt::print("step {:.3f} ms (median) · {:.0f} samples/s", o.step_median * 1e3,
             o.samples_per_second);
  if (o.compute_median) {
    fmt::print("\nsimulated: compute {:.6f} ms, exposed communication {:.6f} ms",
               *o.compute_median * 1e3, *o.communication_median * 1e3);
  }
  if (o.reports[0].rss_peak) {
    fmt::print(" · process peak of rank 0 {} bytes", grouped(*o.reports[0].rss_peak));
  }
  fmt::print("\n");
  if (job.reduce == ReduceMode::exact && o.reports.size() > 1) {
    fmt::print(
        "gradients travel as 8-byte sums, the price of equal bits; --reduce mpi sends what ZeRO "
        "counts\n");
  }
}

}  // namespace zerolab
