#include "zerolab/report/wire_run.hpp"

#include <algorithm>
#include <numeric>

#include "zerolab/report/console.hpp"
#include "zerolab/report/summary.hpp"
#include "zerolab/report/wire_file.hpp"

namespace zerolab {

namespace {

std::string describe(const WireBytes& wire) {
  if (wire.per_rank.empty()) return "wire bytes: not available: " + wire.reason + "\n";
  const auto busiest = std::max_element(wire.per_rank.begin(), wire.per_rank.end());
  const auto sum = std::accumulate(wire.per_rank.begin(), wire.per_rank.end(), std::uint64_t{0});
  return fmt::format(
      "wire bytes sent by a rank, counted by the MPI: mean {}, busiest {} (rank {})\n"
      "  the run's total, start-up, evaluation and digests included\n",
      grouped(sum / wire.per_rank.size()), grouped(*busiest), busiest - wire.per_rank.begin());
}

}  // namespace

WireRun::WireRun(const Options& options, const JobData& data, Communicator& comm,
                 const std::string& dump)
    : dump_(comm, dump),
      json_(options.json),
      file_(options.wire),
      job_(wire_job(options.data, data.job, comm.size())),
      first_(comm.rank() == 0),
      simulated_(comm.compute_seconds().has_value()),
      trace_(simulated_ ? dump : ""),
      stage_(options.stage) {
  together(comm, [&] {
    if (file_.empty()) return;
    require(data.steps <= wire_scalar_sums, "{}: a run of at most {} steps is measured, not {}",
            file_, wire_scalar_sums, data.steps);
    if (first_) check_wire_file(file_, job_);
  });
}

void WireRun::finish(const Outcome& outcome, Communicator& comm) {
  steps_ = outcome.steps;
  skipped_ = outcome.skipped;
  for (const RankReport& report : outcome.reports)
    for (std::size_t c = 0; c < static_cast<std::size_t>(Collective::other); ++c)
      least_ += report.traffic[c].ring_bytes;
  if (!file_.empty()) {
    const auto outside = comm.outside_training();
    for (std::size_t s = steps_; s < wire_scalar_sums; ++s) {
      std::array<std::uint64_t, Stage::scalar_words> words{};
      comm.sum(words);
    }
  }
  if (!simulated_) dump_.open_folder();
}

/// No algorithm sends less than a ring; a library may have ways that its counter does not see, such
/// as reductions in shared memory or in a switch.
WireBytes WireRun::believed(WireBytes wire) const {
  const auto sum = std::accumulate(wire.per_rank.begin(), wire.per_rank.end(), std::uint64_t{0});
  if (wire.per_rank.empty() || sum >= least_) return wire;
  return {{}, "fewer bytes were counted than any algorithm can do with"};
}

void WireRun::conclude(nlohmann::json summary) const {
  const WireBytes wire =
      simulated_ ? WireBytes{{},
                             "a simulation's trace is whole when it has ended; run_labs.sh wire "
                             "--mpi smpi reads it"}
                 : believed(dump_.collect());
  if (!first_) return;
  if (json_ != "-") fmt::print("{}", describe(wire));
  if (!wire.per_rank.empty()) summary["traffic"]["wire_bytes_per_rank"] = wire.per_rank;
  if (!json_.empty()) write_file(json_, summary.dump(2) + "\n");
  if (!file_.empty()) enter(wire);
}

void WireRun::enter(const WireBytes& wire) const {
  require(!wire.per_rank.empty() || !trace_.empty(),
          "{}: nothing to enter, wire bytes are not available: {}", file_, wire.reason);
  require(skipped_ == 0, "{}: {} of {} steps were skipped and sent less; --loss-scale 1 avoids it",
          file_, skipped_, steps_);
  add_wire_run(file_, job_, stage_, steps_, wire.per_rank, trace_);
}

}  // namespace zerolab
