// What a verify-N.json must be before anything in it is shown.
#include "folder_checks.hpp"

#include "zerolab/report/cost_model.hpp"

namespace zerolab {

namespace {

constexpr std::uint64_t most_run_parameters = 1'000'000'000'000'000;
constexpr std::uint64_t most_run_ranks = std::uint64_t{1} << 20,
                        most_run_steps = std::uint64_t{1} << 40;
/// Φ·N·steps, so that bytes of all ranks in all steps stay whole numbers of 64 bits.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 56;

std::string name_of(const VerifyRun& run) {
  return run.results.folder() + "/" + run.file;
}

void require_at_most(const VerifyRun& run, const std::string& key, std::uint64_t most) {
  const std::uint64_t value = run.at(key).whole();
  require(value >= 1 && value <= most, "{}: {} is {}, and not from 1 to {}", name_of(run), key,
          value, most);
}

void require_bounds(const VerifyRun& run) {
  require_at_most(run, "stages.0.parameters", most_run_parameters);
  require_at_most(run, "stages.0.ranks", most_run_ranks);
  for (const char* part : {"stages", "bytes"}) {
    for (int stage = 0; stage < stage_count; ++stage) {
      require_at_most(run, fmt::format("{}.{}.steps", part, stage), most_run_steps);
    }
  }
  require(run.ranks <= most_run_ranks && run.ranks * run.steps <= most_elements / run.parameters,
          "{}: parameters times ranks times bytes.0.steps is more than {}", name_of(run),
          most_elements);
}

void require_text(const VerifyRun& run, const std::string& key, const std::string& wanted) {
  const std::string value = run.at(key).field().text();
  require(value == wanted, "{}: {} is {}, and not {}", name_of(run), key, value, wanted);
}

void require_number(const VerifyRun& run, const std::string& key, std::uint64_t wanted) {
  const std::uint64_t value = run.at(key).whole();
  require(value == wanted, "{}: {} is {}, and not {}", name_of(run), key, value, wanted);
}

/// Lists of as many ranks as the file's name says.
void require_lists(const VerifyRun& run, const std::string& part) {
  for (const char* list :
       {"memory.per_rank", "memory.formula", "traffic.per_rank", "traffic.formula"}) {
    const std::size_t size = run.at(fmt::format("{}.{}[*]", part, list)).fields().size();
    require(size == run.ranks, "{}: {}.{} has {} ranks, and not {}", name_of(run), part, list, size,
            run.ranks);
  }
}

/// One part of the file: the same training in every stage.
void require_alike(const VerifyRun& run, const std::string& part, const char* reduce) {
  const std::uint64_t seed = run.at("stages.0.seed").whole();
  const std::uint64_t steps = run.at(part + ".0.steps").whole();
  for (int stage = 0; stage < stage_count; ++stage) {
    const std::string here = fmt::format("{}.{}", part, stage);
    require_number(run, here + ".ranks", run.ranks);
    require_number(run, here + ".parameters", run.parameters);
    require_number(run, here + ".stage", static_cast<std::uint64_t>(stage));
    require_number(run, here + ".seed", seed);
    require_number(run, here + ".steps", steps);
    require_text(run, here + ".reduce", reduce);
    const std::uint64_t skipped = run.at(here + ".skipped_steps").whole();
    require(skipped < steps, "{}: {}.skipped_steps is {} of {} steps: nothing was updated",
            name_of(run), here, skipped, steps);
    for (const char* key : {"precision", "blas_kernel"}) {
      require_text(run, fmt::format("{}.{}", here, key),
                   run.at(fmt::format("stages.0.{}", key)).field().text());
    }
    require_lists(run, here);
  }
}

/// A full state is wΦ bytes. A sharded one is the shards of units, each Φ/N rounded up or down, so
/// less than an element away from that for every unit.
void require_share(const VerifyRun& run, int stage, const State& state, std::uint64_t units) {
  const std::string list =
      fmt::format("stages.{}.memory.formula[*].{}.now", stage, std::string(name(state.category)));
  const auto bytes = run.at(list).wholes();
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    const std::uint64_t elements = bytes[rank] / state.bytes, whole = run.parameters;
    bool right = bytes[rank] % state.bytes == 0 && elements <= whole;
    if (state.placement == Placement::full) {
      right = right && elements == whole;
    } else {
      right = right && elements + units > whole / run.ranks &&
              elements < (whole + run.ranks - 1) / run.ranks + units;
    }
    require(right, "{}: stages.{}.memory.formula[{}].{}.now is {}, which is not this rank's share",
            name_of(run), stage, rank, std::string(name(state.category)), bytes[rank]);
  }
}

/// The formulas in the file are those of the documents' job; what was counted is judged elsewhere.
void require_documents_job(const VerifyRun& run, int stage, std::uint64_t units) {
  for (const State& state : model_states(Job{}, stage)) require_share(run, stage, state, units);
  const std::uint64_t state = run.at(fmt::format("stages.{}.memory.formula[*].{{parameters,"
                                                 "gradients,master,momentum,variance}}.now",
                                                 stage))
                                  .sum();
  require(state == right_state(run, stage),
          "{}: stages.{}.memory.formula is not that of 16-bit numbers and Adam, which the page is "
          "about",
          name_of(run), stage);
  Job sending;
  sending.reduce = ReduceMode::mpi;
  const std::uint64_t payload =
      run.at(fmt::format("bytes.{}.traffic.formula[*].{{allreduce,reduce_scatter,allgather,"
                         "alltoall}}.payload_bytes",
                         stage))
          .sum();
  const std::uint64_t multiple = volume(sending, stage, run.ranks).payload;
  require(payload == 2 * multiple * run.parameters * run.ranks * run.steps,
          "{}: bytes.{}.traffic.formula is not that of some steps of one micro-batch under "
          "--reduce mpi, none skipped, which the page is about",
          name_of(run), stage);
}

}  // namespace

void require_documents_runs(const VerifyRun& run) {
  require_bounds(run);
  require_alike(run, "stages", "exact");
  require_alike(run, "bytes", "mpi");
  const std::uint64_t units = units_of(run);
  require(units >= 1 && units <= run.parameters,
          "{}: bytes.0.traffic.formula[0].allreduce.calls is not one for each unit and step",
          name_of(run));
  for (int stage = 0; stage < stage_count; ++stage) {
    const std::string agrees = fmt::format("bytes.{}.digest_agrees", stage);
    require(run.at(agrees).field().truth(), "{}: {} is false: the ranks ended with other bits",
            name_of(run), agrees);
    require_documents_job(run, stage, units);
  }
}

}  // namespace zerolab
