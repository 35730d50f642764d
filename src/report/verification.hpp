#pragma once

#include "zerolab/report/digest_recorder.hpp"
#include "zerolab/report/first_difference.hpp"
#include "zerolab/report/wire_file.hpp"

namespace zerolab {

// What verify measures: stages in turn on the same job, for their bits and for their bytes.

struct Part {
  std::vector<Outcome> outcomes;
  std::optional<Outcome> plain;  ///< the first without overlap or recomputed activations, if it had
  std::vector<FirstDifference> differences;  ///< one for each stage that parts from the first
};

struct Verification {
  Job job, bytes_job;
  Part bits, bytes;
};

/// The job of the part that shows bytes: a mode asked for shows both, otherwise it is mpi.
Job job_for_bytes(const Options& options, const Job& job);

/// All ranks together. `digests`, if any, trace the first stage.
Verification train_stages(const Options& options, const JobData& data, Communicator& comm,
                          MemoryLedger& memory, DigestRecorder* digests = nullptr);

/// Whether two stages end with the same bits, in every step.
bool same_bits(const Outcome& a, const Outcome& b);

/// Rank 0's judgement of both parts.
struct StageVerdict {
  bool ranks_agree = true, ledgers_hold = true;
  bool all_equal = true;    ///< every stage has the bits of the first
  bool as_required = true;  ///< those that must agree do
  bool like_plain = true;   ///< overlapped or recomputed or neither, the bits are the same
};
StageVerdict judge(const Verification& verification, std::size_t ranks);

/// verify-N.json.
nlohmann::json verify_json(const Verification& verification, const StageVerdict& verdict,
                           const WirePerStep& wire);

/// The whole of it for a job: verify-N.json on rank 0, elsewhere null.
nlohmann::json measured_verification(const Options& options, Communicator& comm);

}  // namespace zerolab
