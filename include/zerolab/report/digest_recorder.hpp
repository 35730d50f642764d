#pragma once

#include "zerolab/report/digest_trace.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

/// How a run, or a saved trace, compares with a saved trace.
struct Comparison {
  TraceHeader mine;
  std::string my_name;  ///< "here", or "in FILE"
  DigestTrace theirs;
  std::optional<Parting> first = std::nullopt;

  /// For people: the fields of the run that differ, and where the digests part if they do.
  std::string text(bool expect_difference) const;  ///< with its verdict in the last line
  nlohmann::json json() const;

 private:
  std::string body(bool expect_difference) const;
};

/// Traces a run as it trains, for --digests and --against: writes one file and compares with the
/// other, step by step. Digests are combined from shards; nothing is gathered.
class DigestRecorder {
 public:
  /// Reads and opens the files; all ranks together, before training.
  DigestRecorder(const Options& options, const JobData& data, int stage, Communicator& comm);

  /// The state after `step` steps, all ranks together, in ascending order. Entered under other.
  void record(std::size_t step, const Stage& stage);

  /// With --against, on rank 0, once training has ended.
  const std::optional<Comparison>& comparison() const { return comparison_; }

 private:
  const Job& job_;
  Communicator& comm_;
  bool wanted_;
  std::optional<LineFile> file_;
  std::optional<Comparison> comparison_;
};

/// verify --against A --against B: two saved traces, nothing trained. Returns the exit code.
int compare_traces(const Options& options, Communicator& comm);

}  // namespace zerolab
