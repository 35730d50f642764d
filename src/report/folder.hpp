#pragma once

#include <functional>

#include "selection.hpp"

namespace zerolab {

inline constexpr int stage_count = 4;  ///< of each run of verify

/// One verify-N.json, known to be of the documents' job.
struct VerifyRun {
  Results& results;
  std::string file;
  std::uint64_t ranks, parameters;  ///< N, Φ
  std::uint64_t steps;              ///< of the part that shows bytes

  Selection at(std::string path) const { return {results, {file, std::move(path)}}; }
};

/// The runs of verify, ascending in N; looked for, and looked at, when first used.
class VerifyRuns {
 public:
  explicit VerifyRuns(Results& results) : results_(results) {}

  std::vector<VerifyRun>::const_iterator begin() const { return all().begin(); }
  std::vector<VerifyRun>::const_iterator end() const { return all().end(); }
  bool empty() const { return all().empty(); }
  const VerifyRun& back() const { return all().back(); }

 private:
  const std::vector<VerifyRun>& all() const;

  Results& results_;
  mutable std::optional<std::vector<VerifyRun>> all_;
};

/// A folder of results. Results keep what is read, so they are not const.
struct Folder {
  Results& results;
  VerifyRuns runs;

  const VerifyRun* run(std::uint64_t ranks) const;
  bool has(const std::string& file) const { return results.json(file) != nullptr; }
};

/// Its runs throw Error when a file is broken, or of another job than the documents speak of:
/// 16-bit numbers and Adam, one micro-batch a step, nothing skipped where bytes are shown, and
/// every stage trained alike, under --reduce exact where bits are shown and --reduce mpi where
/// bytes are.
Folder open_folder(Results& results);

/// Every line of a ledger, of memory or traffic, that is not its formula's, wherever a file
/// has it: "verify-4.json stages.3.memory.per_rank[1].buffers.peak". Right results have none.
std::vector<std::string> ledger_faults(const Folder& folder);

// Paths in a verify-N.json.

/// Bytes after the last step, by rank: of a category, or of the model state. `stage` may be {0,1}.
std::string held(const std::string& stage, const std::string& category);
std::string state(const std::string& stage);
/// Of all ranks in all steps of the part that shows bytes: calls, elements, payload_bytes or
/// ring_bytes of a collective, or of all that carry gradients and parameters.
std::string sent(const std::string& stage, const std::string& collective, const std::string& what);
std::string sent(const std::string& stage, const std::string& what);

/// verify-4.json, or verify-{1,2}.json.
std::string verify_files(const std::vector<std::uint64_t>& ranks);

/// What one file says.
struct Judged {
  std::string number;
  std::optional<bool> holds;
};
using Look = std::function<Judged(const VerifyRun& run, const std::vector<Selection>& found)>;

/// The same paths in each run of at least so many ranks; nothing when there is none.
Evidence over_runs(const Folder& folder, std::string how, std::string what,
                   const std::vector<std::string>& paths, const Look& look,
                   std::uint64_t least_ranks = 1);

/// Adds what was found, or says what is missing.
void add(Finding& finding, Evidence evidence, const std::string& otherwise);

/// Adds it in front of what is there, for a line on the item to show.
void add_first(Finding& finding, std::vector<Evidence> evidence);

/// Adds what belongs to the finding and does not decide it alone: shown, not judged, where nothing
/// else is judged.
void add_part(Finding& finding, Finding part);

/// For a finding that lacks what decides it: what is right in it is shown from now on, and not
/// judged; what is wrong stays wrong.
void leave_undecided(Finding& finding, const std::string& missing);

/// There are two runs or more of one model, so that something can be seen to grow with N.
bool several_ranks(const Folder& folder);

/// The closed form of the model state of all ranks: aΦN + bΦ bytes.
std::uint64_t right_state(const VerifyRun& run, int stage);

/// Units of the model: stage 0 all-reduces each once a step.
std::uint64_t units_of(const VerifyRun& run);
/// Each rank holds after the last step what its own formula says, of one category or of {a,b}. A
/// sum alone does not see a rank that holds another's share.
bool own_shares(const VerifyRun& run, int stage, const std::string& which);
inline constexpr const char* all_states = "{parameters,gradients,master,momentum,variance}";

/// Digests of parameters, master weights and moments are the same.
bool same_digests(const JsonField& a, const JsonField& b);
/// Stages end with the same bits: digests of parameters, master weights and moments, on every rank.
bool same_bits(const VerifyRun& run);
std::string digest_of(const VerifyRun& run, int stage);

}  // namespace zerolab
