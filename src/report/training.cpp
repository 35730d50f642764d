#include "zerolab/report/training.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "zerolab/core/process.hpp"

namespace zerolab {

namespace {

/// Plain words for the trip to rank 0; all ranks run the same program.
struct PackedReport {
  MemoryTable memory;
  TrafficTable traffic;
  std::size_t memory_peak, rss_peak;
  bool rss_known;
};

RankReport measure(const Training& training, bool rss_known) {
  RankReport report;
  for (std::size_t c = 0; c < categories; ++c) {
    report.memory[c] = training.memory.line(static_cast<Category>(c));
  }
  report.memory_peak = training.memory.total().peak;
  if (rss_known) report.rss_peak = peak_resident_bytes();
  report.traffic = training.comm.ledger().table();
  return report;
}

std::vector<RankReport> collect(Communicator& comm, const RankReport& mine) {
  PackedReport packed{mine.memory, mine.traffic, mine.memory_peak, mine.rss_peak.value_or(0),
                      mine.rss_peak.has_value()};
  std::string bytes(sizeof packed, '\0');
  std::memcpy(bytes.data(), &packed, sizeof packed);
  std::vector<RankReport> reports;
  for (const std::string& text : comm.gather(bytes)) {
    std::memcpy(&packed, text.data(), sizeof packed);
    RankReport report{packed.memory, packed.memory_peak, {}, packed.traffic};
    if (packed.rss_known) report.rss_peak = packed.rss_peak;
    reports.push_back(report);
  }
  return reports;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Ledger, communicator and trace tell a timeline, if there is one, as long as this lives.
class Watch {
 public:
  Watch(const Training& training, Trace& trace) : training_(training), trace_(trace) {
    tell(training.timeline);
  }
  ~Watch() { tell(nullptr); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  void tell(Timeline* timeline) {
    training_.memory.watch(timeline);
    training_.comm.watch(timeline);
    trace_.watch(timeline);
  }
  const Training& training_;
  Trace& trace_;
};

void train_steps(const Training& training, Stage& stage, Outcome& outcome) {
  Communicator& comm = training.comm;
  std::vector<double> seconds, compute, communication;
  double samples = 0, total = 0;
  bool untold = training.trace != nullptr;
  outcome.steps = outcome.first_step = training.from.step;
  while (outcome.steps < training.steps) {
    const std::size_t s = outcome.steps++;
    if (untold) training.trace->start();
    const double begin = comm.now();
    const auto computed = comm.compute_seconds();
    comm.note_step(s + 1);
    if (training.timeline != nullptr) training.timeline->start(s, training.memory);
    const StepResult result = stage.step(s);
    if (training.timeline != nullptr) training.timeline->stop(!result.skipped);
    seconds.push_back(comm.now() - begin);
    if (computed) {
      compute.push_back(*comm.compute_seconds() - *computed);
      communication.push_back(seconds.back() - compute.back());
    }
    if (untold) training.trace->stop();
    untold = untold && result.skipped;
    total += seconds.back();
    samples += static_cast<double>(result.samples);
    outcome.last = result;
    if (training.digest_steps) {
      outcome.step_digests.push_back(my_parameter_digest(stage, training.job, comm));
    }
    if (training.after_step) training.after_step(s, result, stage);
    if (training.stop && training.stop()) break;
  }
  comm.note_step(0);
  outcome.step_median = median(std::move(seconds));
  if (comm.compute_seconds()) {
    outcome.compute_median = median(std::move(compute));
    outcome.communication_median = median(std::move(communication));
  }
  outcome.samples_per_second = total > 0 ? samples / total : 0;
}

}  // namespace

Outcome run(const Training& training) {
  Communicator& comm = training.comm;
  comm.restart_ledger();
  training.memory.restart_peaks();
  // In a simulation all ranks are one process.
  const bool rss_known =
      !comm.compute_seconds() && (!training.rss_from_now || reset_peak_resident());

  Trace silent;
  Trace& trace = training.trace != nullptr ? *training.trace : silent;
  std::unique_ptr<Stage> stage;
  together(comm, [&] {
    check_job(training.job, comm.size());
    stage =
        training.make(training.stage, {training.job, training.data, comm, training.memory, trace});
    if (!training.load) return;
    stage->resume(training.from);
    training.load(*stage);
  });

  Outcome outcome;
  outcome.stage = training.stage;
  if (training.before_steps) training.before_steps(*stage);
  {
    const Watch watch(training, trace);
    train_steps(training, *stage, outcome);
  }
  outcome.skipped = stage->scaler().skips();
  if (outcome.steps == training.steps) outcome.evaluation = stage->evaluate();
  const RankReport mine = measure(training, rss_known);
  outcome.digest = digest_of(*stage, training.job, comm);
  const auto outside = comm.outside_training();
  comm.sum(outcome.step_digests);

  outcome.reports = collect(comm, mine);
  const Run facts{training.job,
                  training.stage,
                  comm.size(),
                  outcome.steps - training.from.step,
                  outcome.skipped - training.from.scaler.skips,
                  training.data.samples(Split::train),
                  outcome.evaluation.samples,
                  Stage::evaluation_block,
                  training.data.bytes(),
                  stage->plan().origin};
  for (std::size_t r = 0; r < outcome.reports.size(); ++r) {
    outcome.memory_formula.push_back(memory_formula(facts, r));
    outcome.traffic_formula.push_back(traffic_formula(facts, r));
  }
  return outcome;
}

bool Outcome::memory_holds() const {
  for (std::size_t r = 0; r < reports.size(); ++r) {
    if (reports[r].memory != memory_formula[r]) return false;
  }
  return true;
}

bool Outcome::traffic_holds() const {
  for (std::size_t r = 0; r < reports.size(); ++r) {
    for (std::size_t c = 0; c < collectives; ++c) {
      const bool training = static_cast<Collective>(c) != Collective::other;
      if (training && reports[r].traffic[c] != traffic_formula[r][c]) return false;
    }
  }
  return true;
}

void together(Communicator& comm, const std::function<void()>& work) {
  std::string fault;
  try {
    work();
  } catch (const Error& error) {
    fault = error.what();
  } catch (const std::bad_alloc&) {
    fault = "out of memory";
  }
  const auto outside = comm.outside_training();
  const std::uint64_t lowest =
      comm.maximum(fault.empty() ? 0 : comm.size() - comm.rank());  // 0: none; else N − rank
  if (lowest == 0) return;
  const std::size_t speaker = comm.size() - lowest;
  throw AgreedError(fmt::format("rank {}: {}", speaker, comm.broadcast(fault, speaker)));
}

}  // namespace zerolab
