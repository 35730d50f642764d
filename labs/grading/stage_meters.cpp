// Bytes and calls: what a stage stores and sends, by its ledgers and by the check's own meters.
#include <algorithm>
#include <array>
#include <map>

#include "meters.hpp"
#include "stage_lab.hpp"
#include "zerolab/report/cost_model.hpp"

namespace lab {

using namespace zerolab;

namespace {

/// A job of random numbers, and a stage that trains it.
struct Running {
  KeyJob key;
  std::unique_ptr<Dataset> data;
  MemoryLedger memory;
  Trace trace;
  std::optional<HeapWatch> heap;  // begins before the stage, and ends after it
  std::unique_ptr<Stage> stage;

  Running(const StageLab& lab, Communicator& comm, std::vector<std::size_t> widths,
          std::size_t accumulate)
      : key{"", "", {}, 0, 4096, false} {
    key.job.shape.widths = std::move(widths);
    key.job.reduce = ReduceMode::mpi;
    key.job.loss_scale.fixed = 1;
    key.job.batch = 8;
    key.job.accumulate = accumulate;
    data = key_data(key, comm.size());
    memory.spoil_released();
    heap.emplace(memory);
    stage = lab.make({key.job, *data, comm, memory, trace});
  }
  MemoryTable formula(const StageLab& lab, const Communicator& comm, std::size_t steps) const {
    const Run run{
        key.job, lab.stage, comm.size(), steps, 0, key.samples, 0, Stage::evaluation_block, 0};
    MemoryTable table = memory_formula(run, comm.rank());
    auto& parameters = table[static_cast<std::size_t>(Category::parameters)];
    if (lab.keeps)
      parameters.peak = parameters.now + width(key.job.precision) * key.job.shape.parameters();
    return table;
  }
};

constexpr std::array states{Category::parameters, Category::gradients, Category::master,
                            Category::momentum, Category::variance};

/// all-reduce | reduce-scatter | all-gather, or the function's own name.
std::string kind(std::string_view function) {
  for (const auto& [mpi, word] : {std::pair{"MPI_Allreduce", "all-reduce"},
                                  {"MPI_Iallreduce", "all-reduce"},
                                  {"MPI_Reduce_scatter", "reduce-scatter"},
                                  {"MPI_Ireduce_scatter", "reduce-scatter"},
                                  {"MPI_Allgather", "all-gather"},
                                  {"MPI_Iallgather", "all-gather"}}) {
    if (function.starts_with(mpi)) return word;
  }
  return std::string(function);
}

struct Sent {
  std::size_t calls = 0, elements = 0;
  bool operator==(const Sent&) const = default;
};
using SentByKind = std::map<std::string, Sent>;

SentByKind expected(const Running& run, const StageLab& lab, std::size_t ranks) {
  const UnitCalls each = calls_per_unit(run.key.job, lab.stage, ranks);
  const std::size_t units = run.key.job.shape.units(), phi = run.key.job.shape.parameters();
  SentByKind sent;
  const auto add = [&](const char* what, std::size_t times) {
    if (times > 0) sent[what] = {times * units, times * phi};
  };
  add("all-reduce", each.all_reduce);
  add("reduce-scatter", each.reduce_scatter);
  add("all-gather", lab.keeps ? each.all_gather / 2 : each.all_gather);
  return sent;
}

/// One step, without the few words of norm, overflow and loss.
SentByKind measured(Running& run, std::size_t step) {
  take_calls();
  run.stage->step(step);
  SentByKind sent;
  for (const Call& call : take_calls()) {
    const bool scalars = call.function == "MPI_Allreduce" && call.elements == Stage::scalar_words &&
                         call.bytes == sizeof(std::uint64_t) * Stage::scalar_words;
    if (scalars) continue;
    Sent& line = sent[kind(call.function)];
    ++line.calls;
    line.elements += call.elements;
  }
  return sent;
}

void compare(Check& check, const SentByKind& right, const SentByKind& got, std::size_t k) {
  const auto of = [](const SentByKind& sent, const std::string& what) {
    const auto found = sent.find(what);
    return found == sent.end() ? Sent{} : found->second;
  };
  for (const auto& [what, line] : got) {
    if (right.contains(what)) continue;
    check.fail("a step of {} micro-batch{}: {} {} of {} elements in all, where this stage has none",
               k, k == 1 ? "" : "es", line.calls, what, line.elements);
  }
  for (const auto& [what, line] : right) {
    const Sent found = of(got, what);
    check.expect(
        found == line,
        "a step of {} micro-batch{}, {}: expected {} calls of {} elements in all, got {} of {}", k,
        k == 1 ? "" : "es", what, line.calls, line.elements, found.calls, found.elements);
  }
}

/// The ledger says of all calls what the check has counted.
void compare_ledger(Check& check, const TrafficTable& before, const SentByKind& counted) {
  for (const auto& [line, what] : {std::pair{Collective::all_reduce, "all-reduce"},
                                   {Collective::reduce_scatter, "reduce-scatter"},
                                   {Collective::all_gather, "all-gather"}}) {
    const auto index = static_cast<std::size_t>(line);
    const Traffic& now = check.comm.ledger().table()[index];
    const auto found = counted.find(what);
    const Sent sent = found == counted.end() ? Sent{} : found->second;
    check.expect(now.calls - before[index].calls == sent.calls &&
                     now.elements - before[index].elements == sent.elements,
                 "{}: MPI was called {} times for {} elements, and the ledger says {} and {}: a "
                 "call went past "
                 "the Communicator, or the ledger was changed",
                 what, sent.calls, sent.elements, now.calls - before[index].calls,
                 now.elements - before[index].elements);
  }
}

}  // namespace

void stored(Check& check, const StageLab& lab) {
  Running small(lab, check.comm, {4, 3, 2}, 1);
  small.stage->step(0);
  const MemoryTable right = small.formula(lab, check.comm, 1);
  for (const Category category : states) {
    const std::size_t now = small.memory.line(category).now,
                      want = right[static_cast<std::size_t>(category)].now;
    check.expect(now == want,
                 "{} of 4-3-2 (23 parameters) after a step: expected {} bytes, got {}{}",
                 name(category), want, now,
                 now > want   ? ": more than this rank's share"
                 : now < want ? ": less than this rank's share"
                              : "");
  }
  // Is there more than the ledger knows? Once to warm MPI up, once to look.
  constexpr std::size_t allowed = std::size_t{256} * 1024;
  for (const bool warm : {false, true}) {
    Running large(lab, check.comm, {64, 1024, 10}, 1);
    for (std::size_t s = 0; s < 2; ++s) large.stage->step(s);
    large.heap->look();
    const std::size_t more = large.heap->unaccounted().value_or(0);
    check.expect(!warm || more <= allowed,
                 "{} bytes of the heap are in use that the memory ledger does not know", more);
  }
}

void held_at_most(Check& check, const StageLab& lab) {
  for (const std::size_t k : {1, 3}) {
    Running run(lab, check.comm, {4, 3, 2}, k);
    run.memory.restart_peaks();
    for (std::size_t s = 0; s < 2; ++s) run.stage->step(s);
    const MemoryTable right = run.formula(lab, check.comm, 2);
    for (std::size_t c = 0; c < categories; ++c) {
      const auto category = static_cast<Category>(c);
      const std::size_t now = run.memory.line(category).now, peak = run.memory.line(category).peak;
      const auto words = [&](std::size_t got, std::size_t want) {
        return fmt::format("expected {} bytes, got {}{}", want, got,
                           got <= want ? ""
                           : now == peak
                               ? ": more than this rank's share is stored, or something is kept"
                               : ": something is kept that is used no more");
      };
      check.expect(peak == right[c].peak,
                   "most {} at a time in a step of {} micro-batch{} of 4-3-2: {}", name(category),
                   k, k == 1 ? "" : "es", words(peak, right[c].peak));
      check.expect(now == right[c].now, "{} after a step of {} micro-batch{} of 4-3-2: {}",
                   name(category), k, k == 1 ? "" : "es", words(now, right[c].now));
    }
  }
}

void released_in_time(Check& check, const StageLab& lab) {
  Running run(lab, check.comm, {4, 3, 2}, 1);
  run.stage->step(0);
  run.stage->evaluate();
  run.memory.restart_peaks();
  const std::size_t before = run.heap->parameters_held().size();
  run.stage->step(1);
  const std::size_t right = run.formula(lab, check.comm, 2)[0].peak,
                    got = run.memory.line(Category::parameters).peak;
  check.expect(
      got == right,
      "most parameters at a time in a step after an evaluation: expected {} bytes, got {}: "
      "the evaluation's units are still there when forward() begins",
      right, got);
  const NetworkShape& shape = run.key.job.shape;
  const std::vector<std::size_t>& held = run.heap->parameters_held();
  const std::size_t stored = run.memory.line(Category::parameters).now;
  std::size_t kept = shape.parameters();  // those that are not through yet, and the one that is
  for (std::size_t i = 0; i < shape.units() && before + i < held.size(); ++i) {
    const std::size_t unit = shape.units() - 1 - i,
                      most = stored + width(run.key.job.precision) * kept;
    check.expect(held[before + i] <= most,
                 "when the gradient of unit {} is sent: expected {} bytes of parameters at most, "
                 "got {}: a unit that backward() has run is not released at once",
                 unit, most, held[before + i]);
    kept -= shape.elements(unit);
  }
}

void sent(Check& check, const StageLab& lab) {
  for (const std::size_t k : {1, 3}) {
    Running run(lab, check.comm, {4, 3, 2}, k);
    run.stage->step(0);
    const TrafficTable before = check.comm.ledger().table();
    const SentByKind got = measured(run, 1);
    compare(check, expected(run, lab, check.ranks()), got, k);
    compare_ledger(check, before, got);
  }
}

}  // namespace lab
