// What the meters say of a broken stage on the ranks it is started on:
//   lab_12_patient STAGE NUMBER FAULT FILE       the file gets a line for answers.inc
#include <cstdio>
#include <cstdlib>

#include "answers.hpp"
#include "stage_lab.hpp"
#include "student_stage.hpp"
#include "zerolab/partition/digest.hpp"
#include "zerolab/report/cost_model.hpp"

namespace {

using namespace zerolab;

struct Examination {
  std::vector<StepResult> results;
  std::vector<std::string> digests;  ///< by step and unit: of the shards, then of each rank's copy
  MemoryTable memory;
  TrafficTable traffic;
};

/// Digests of a unit: the shards together, and, where every rank has a copy, each of them.
std::string digests(const Stage& stage, const Job& job, Communicator& comm, std::size_t unit) {
  const auto brief = [](std::uint64_t digest) { return fmt::format("{:08x}", digest >> 32U); };
  std::string text = brief(lab::unit_digest(stage, job, comm, unit));
  if (stage.placements().parameters != Placement::full) return text;
  const std::uint64_t own =
      digest(Digested::parameters, stage.stored_parameters()[unit], job.shape.first(unit));
  const auto outside = comm.outside_training();
  for (const std::string& rank : comm.gather(brief(own))) text += " " + rank;
  return text;
}

Examination examine(const lab::KeyJob& key, Communicator& comm) {
  const auto data = lab::key_data(key, comm.size());
  MemoryLedger memory;
  Trace trace;
  comm.restart_ledger();
  const auto stage = student_stage({key.job, *data, comm, memory, trace});
  Examination seen{{}, {}, {}, {}};
  for (std::size_t s = 0; s <= key.steps; ++s) {
    if (s > 0) seen.results.push_back(stage->step(s - 1));
    for (std::size_t l = 0; l < key.job.shape.units(); ++l)
      seen.digests.push_back(digests(*stage, key.job, comm, l));
  }
  for (std::size_t c = 0; c < categories; ++c)
    seen.memory[c] = memory.line(static_cast<Category>(c));
  seen.traffic = comm.ledger().table();
  return seen;
}

void print_memory(const Run& run, const Examination& seen, Communicator& comm) {
  std::string mine;
  for (const auto category :
       {Category::parameters, Category::gradients, Category::momentum, Category::variance}) {
    const auto c = static_cast<std::size_t>(category);
    const MemoryTable right = memory_formula(run, comm.rank());
    mine += fmt::format("  {:<10} {:>4} {:>7} {:>7} {:>12} {:>7}\n", name(category), comm.rank(),
                        seen.memory[c].now, right[c].now, seen.memory[c].peak, right[c].peak);
  }
  const auto all = comm.gather(mine);
  if (comm.rank() != 0) return;
  fmt::print("  bytes      rank     now formula   at a time formula\n");
  for (const std::string& lines : all) fmt::print("{}", lines);
}

void print_traffic(const Run& run, const Examination& seen) {
  const TrafficTable right = traffic_formula(run, 0);
  fmt::print("  sent by a rank in {} steps, elements   formula\n", run.steps);
  for (const auto line :
       {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
    const auto c = static_cast<std::size_t>(line);
    fmt::print("  {:<28} {:>9} {:>9}\n", name(line), seen.traffic[c].elements, right[c].elements);
  }
}

void print_steps(const lab::KeyJob& key, const Examination& seen, std::size_t ranks) {
  for (std::size_t s = 0; s < key.steps; ++s) {
    const StepResult& result = seen.results[s];
    fmt::print("  step {}: loss {:.6f}, gradient norm {:.6f}{}\n", s + 1, result.loss,
               result.grad_norm, result.skipped ? ", skipped" : "");
  }
  fmt::print("  digests of the parameters\n  after unit    right   shards{}\n",
             seen.digests[0].size() > 8 ? "  copy of rank 0, 1, 2" : "");
  for (std::size_t s = 0; s <= key.steps; ++s) {
    for (std::size_t l = 0; l < key.job.shape.units(); ++l) {
      const auto right = lab::right_digest("patients", ranks, l, s);
      fmt::print("  {:>5} {:>4} {:08x} {}\n", s, l, right >> 32U,
                 seen.digests[s * key.job.shape.units() + l]);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc == 5) {
    Communicator comm(MPI_COMM_WORLD);
    const lab::KeyJob& key = lab::key_job("patients");
    const int stage = std::atoi(argv[1]);
    const Examination seen = examine(key, comm);
    const Run run{
        key.job, stage, comm.size(), key.steps, 0, key.samples, 0, Stage::evaluation_block, 0};
    if (comm.rank() == 0)
      fmt::print(
          "patient {}, stage {} on {} ranks, units of 70, 40 and 24 parameters, fp32, Adam\n",
          argv[2], stage, comm.size());
    print_memory(run, seen, comm);
    if (comm.rank() == 0) {
      print_traffic(run, seen);
      print_steps(key, seen, comm.size());
      fmt::print("\n");
      if (std::FILE* file = std::fopen(argv[4], "a")) {
        fmt::print(file, "0x{:016x},\n", lab::answer(std::strtoul(argv[2], nullptr, 10), argv[3]));
        std::fclose(file);
      }
    }
  }
  MPI_Finalize();
}
