#include "folder.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "folder_checks.hpp"
#include "zerolab/report/cost_model.hpp"

namespace zerolab {

const VerifyRun* Folder::run(std::uint64_t ranks) const {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const VerifyRun& run) { return run.ranks == ranks; });
  return found == runs.end() ? nullptr : &*found;
}

Folder open_folder(Results& results) {
  return {results, VerifyRuns(results)};
}

const std::vector<VerifyRun>& VerifyRuns::all() const {
  if (all_) return *all_;
  std::vector<VerifyRun> runs;
  for (const std::size_t ranks : results_.verified_ranks()) {
    VerifyRun run{results_, fmt::format("verify-{}.json", ranks), ranks, 0, 0};
    run.parameters = run.at("stages.0.parameters").whole();
    run.steps = run.at("bytes.0.steps").whole();
    require_documents_runs(run);
    runs.push_back(std::move(run));
  }
  return all_.emplace(std::move(runs));
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

void add_first(Finding& finding, std::vector<Evidence> evidence) {
  evidence.insert(evidence.end(), finding.evidence.begin(), finding.evidence.end());
  finding.evidence = std::move(evidence);
}

namespace {

void take_back(Finding& finding) {
  for (Evidence& one : finding.evidence) {
    bool taken_back = false;
    for (Value& value : one.values) {
      if (!value.holds.value_or(false)) continue;
      value.holds.reset();
      taken_back = true;
    }
    if (taken_back) one.what += " (shown, not judged)";
  }
}

}  // namespace

void add_part(Finding& finding, Finding part) {
  if (finding.status() == Status::not_measured) take_back(part);
  finding.evidence.insert(finding.evidence.end(), part.evidence.begin(), part.evidence.end());
  finding.open.insert(finding.open.end(), part.open.begin(), part.open.end());
}

void leave_undecided(Finding& finding, const std::string& missing) {
  take_back(finding);
  finding.open.push_back(missing);
}

bool several_ranks(const Folder& folder) {
  return std::any_of(folder.runs.begin(), folder.runs.end(), [&](const VerifyRun& one) {
    return std::any_of(folder.runs.begin(), folder.runs.end(), [&](const VerifyRun& other) {
      return one.ranks != other.ranks && one.parameters == other.parameters;
    });
  });
}

std::uint64_t right_state(const VerifyRun& run, int stage) {
  const StateBytes bytes = state_bytes(Job{}, stage);
  return (bytes.full * run.ranks + bytes.sharded) * run.parameters;
}

std::uint64_t units_of(const VerifyRun& run) {
  return run.at("bytes.0.traffic.formula[0].allreduce.calls").whole() / run.steps;
}

bool own_shares(const VerifyRun& run, int stage, const std::string& which) {
  const auto lines = [&](const char* list) {
    return run.at(fmt::format("stages.{}.memory.{}[*].{}.now", stage, list, which)).wholes();
  };
  return lines("per_rank") == lines("formula");
}

std::string digest_of(const VerifyRun& run, int stage) {
  return run.at(fmt::format("stages.{}.digest.parameters", stage)).field().text();
}

bool same_digests(const JsonField& a, const JsonField& b) {
  bool same = true;
  for (const char* what : {"parameters", "master", "moments"}) {
    same &= a[what].text() == b[what].text();
  }
  return same;
}

bool same_bits(const VerifyRun& run) {
  bool same = run.at("agree").field().truth();
  const Selection digests = run.at("stages.{0,1,2,3}.digest");
  for (const JsonField& digest : digests.fields()) {
    same &= same_digests(digest, digests.fields()[0]);
  }
  const Selection agree = run.at("stages.{0,1,2,3}.digest_agrees");
  for (const JsonField& field : agree.fields()) same &= field.truth();
  return same;
}

}  // namespace zerolab
