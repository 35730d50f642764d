#include "folder.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "zerolab/report/cost_model.hpp"

namespace zerolab {

namespace {

constexpr int stages = 4;

/// Lists of as many ranks as the file's name says, and each part of the same model.
void require_whole(const VerifyRun& run, const std::string& part) {
  const std::string name = run.results.folder() + "/" + run.file;
  for (const char* key : {"ranks", "parameters"}) {
    const std::uint64_t value = run.at(part + "." + key).whole();
    const std::uint64_t wanted = std::string_view(key) == "ranks" ? run.ranks : run.parameters;
    require(value == wanted, "{}: {}.{} is {}, and not {}", name, part, key, value, wanted);
  }
  for (const char* list :
       {"memory.per_rank", "memory.formula", "traffic.per_rank", "traffic.formula"}) {
    const std::size_t size = run.at(fmt::format("{}.{}[*]", part, list)).fields().size();
    require(size == run.ranks, "{}: {}.{} has {} ranks, and not {}", name, part, list, size,
            run.ranks);
  }
}

/// The formulas in the file are those of the documents' job; what was counted is judged elsewhere.
void require_documents_job(const VerifyRun& run, int stage) {
  const std::string name = run.results.folder() + "/" + run.file;
  const std::uint64_t state = run.at(fmt::format("stages.{}.memory.formula[*].{{parameters,"
                                                 "gradients,master,momentum,variance}}.now",
                                                 stage))
                                  .sum();
  require(state == right_state(run, stage),
          "{}: stages.{}.memory.formula is not that of 16-bit numbers and Adam, which the page is "
          "about",
          name, stage);
  Job sending;
  sending.reduce = ReduceMode::mpi;
  const std::uint64_t payload =
      run.at(fmt::format("bytes.{}.traffic.formula[*].{{allreduce,reduce_scatter,allgather,"
                         "alltoall}}.payload_bytes",
                         stage))
          .sum();
  const std::uint64_t multiple = volume(sending, stage, run.ranks).payload;
  require(run.steps > 0 && payload == 2 * multiple * run.parameters * run.ranks * run.steps,
          "{}: bytes.{}.traffic.formula is not that of some steps of one micro-batch under "
          "--reduce mpi, none skipped, which the page is about",
          name, stage);
}

}  // namespace

const VerifyRun* Folder::run(std::uint64_t ranks) const {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const VerifyRun& run) { return run.ranks == ranks; });
  return found == runs.end() ? nullptr : &*found;
}

Folder open_folder(Results& results) {
  Folder folder{results, {}};
  for (const std::size_t ranks : results.verified_ranks()) {
    VerifyRun run{results, fmt::format("verify-{}.json", ranks), ranks, 0, 0};
    run.parameters = run.at("stages.0.parameters").whole();
    run.steps = run.at("bytes.0.steps").whole();
    for (int stage = 0; stage < stages; ++stage) {
      require_whole(run, fmt::format("stages.{}", stage));
      require_whole(run, fmt::format("bytes.{}", stage));
      const std::uint64_t steps = run.at(fmt::format("bytes.{}.steps", stage)).whole();
      require(steps == run.steps, "{}/{}: bytes.{}.steps is {}, and not {}", results.folder(),
              run.file, stage, steps, run.steps);
      require_documents_job(run, stage);
    }
    folder.runs.push_back(std::move(run));
  }
  return folder;
}

std::string held(const std::string& stage, const std::string& category) {
  return fmt::format("stages.{}.memory.per_rank[*].{}.now", stage, category);
}

std::string state(const std::string& stage) {
  return held(stage, "{parameters,gradients,master,momentum,variance}");
}

std::string sent(const std::string& stage, const std::string& collective, const std::string& what) {
  return fmt::format("bytes.{}.traffic.per_rank[*].{}.{}", stage, collective, what);
}

std::string sent(const std::string& stage, const std::string& what) {
  return sent(stage, "{allreduce,reduce_scatter,allgather,alltoall}", what);
}

std::string verify_files(const std::vector<std::uint64_t>& ranks) {
  const std::string numbers = fmt::format("{}", fmt::join(ranks, ","));
  return ranks.size() == 1 ? fmt::format("verify-{}.json", numbers)
                           : fmt::format("verify-{{{}}}.json", numbers);
}

Evidence over_runs(const Folder& folder, std::string how, std::string what,
                   const std::vector<std::string>& paths, const Look& look,
                   std::uint64_t least_ranks) {
  Evidence evidence{std::move(how), std::move(what), {}, {}};
  std::vector<std::uint64_t> shown;
  for (const VerifyRun& run : folder.runs) {
    if (run.ranks < least_ranks) continue;
    std::vector<Selection> found;
    for (const std::string& path : paths) found.push_back(run.at(path));
    Judged judged = look(run, found);
    if (judged.number.empty()) continue;  // the file has nothing to say about it
    evidence.values.push_back(
        {fmt::format("N = {}", run.ranks), std::move(judged.number), judged.holds});
    shown.push_back(run.ranks);
  }
  if (shown.empty()) return evidence;
  for (const std::string& path : paths) {
    evidence.sources.push_back({verify_files(shown), path});
  }
  return evidence;
}

void add(Finding& finding, Evidence evidence, const std::string& otherwise) {
  if (!evidence.values.empty()) {
    finding.evidence.push_back(std::move(evidence));
  } else if (!otherwise.empty()) {
    finding.open.push_back(otherwise);
  }
}

std::uint64_t right_state(const VerifyRun& run, int stage) {
  const StateBytes bytes = state_bytes(Job{}, stage);
  return (bytes.full * run.ranks + bytes.sharded) * run.parameters;
}

std::string digest_of(const VerifyRun& run, int stage) {
  return run.at(fmt::format("stages.{}.digest.parameters", stage)).field().text();
}

bool same_bits(const VerifyRun& run) {
  bool same = run.at("agree").field().truth();
  for (const char* what : {"parameters", "master", "moments"}) {
    const Selection digests = run.at(fmt::format("stages.{{0,1,2,3}}.digest.{}", what));
    for (const JsonField& digest : digests.fields()) {
      same &= digest.text() == digests.fields()[0].text();
    }
  }
  const Selection agree = run.at("stages.{0,1,2,3}.digest_agrees");
  for (const JsonField& field : agree.fields()) same &= field.truth();
  return same;
}

}  // namespace zerolab
