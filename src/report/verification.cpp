// The training and the judgement behind verify, without its words.
#include "verification.hpp"

#include <algorithm>

#include "zerolab/report/progress.hpp"

namespace zerolab {

namespace {

constexpr std::size_t steps_for_bytes = 3;

/// Stages that add in the same order in a mode, and so must end with the same bits (DESIGN: order
/// rule).
bool must_agree(const Job& job, std::size_t ranks, int a, int b) {
  const bool one_round = job.rounds(ranks) == 1;
  const bool all = job.reduce == ReduceMode::exact ||
                   (job.reduce == ReduceMode::ordered && one_round) || ranks == 1 ||
                   (job.reduce == ReduceMode::mpi && ranks == 2 && one_round);
  return all || (a <= 1) == (b <= 1);
}

class Trainer {
 public:
  Trainer(const Options& options, const JobData& data, Communicator& comm, MemoryLedger& memory)
      : options_(options), data_(data), comm_(comm), memory_(memory) {}

  /// With `digests` the first stage is traced.
  Part train(const Job& job, std::size_t steps, bool compare, DigestRecorder* digests) {
    Part part;
    const auto training = [&](int stage) {
      return Training{.job = job,
                      .stage = stage,
                      .steps = steps,
                      .data = *data_.data,
                      .comm = comm_,
                      .memory = memory_,
                      .digest_steps = compare,
                      .rss_from_now = true,
                      .trace = nullptr,
                      .timeline = nullptr,
                      .before_steps = {},
                      .after_step = {}};
    };
    for (const int stage : options_.stages) {
      Progress progress(comm_.rank() == 0 && !options_.quiet && !options_.json_only(),
                        fmt::format("stage {} under {}", stage, name(job.reduce)), data_, steps);
      Training one = training(stage);
      const bool traced = digests != nullptr && stage == options_.stages[0];
      one.before_steps = [&](const Stage& trained) {
        if (traced) digests->record(0, trained);
      };
      one.after_step = [&](std::size_t s, const StepResult& r, const Stage& trained) {
        progress.show(s, r);
        if (traced) digests->record(s + 1, trained);
      };
      part.outcomes.push_back(run(one));
    }
    if (compare && (job.overlap || job.activation_segments > 0)) {
      Job without = job;
      without.overlap = false;
      without.activation_segments = 0;
      Training one = training(options_.stages[0]);
      part.plain = run({.job = without,
                        .stage = one.stage,
                        .steps = steps,
                        .data = one.data,
                        .comm = comm_,
                        .memory = memory_,
                        .digest_steps = true,
                        .after_step = {}});
    }
    for (std::size_t i = 1; compare && i < part.outcomes.size(); ++i) {
      const auto found = find_first_difference(training(options_.stages[0]), part.outcomes[0],
                                               training(options_.stages[i]), part.outcomes[i]);
      if (found) part.differences.push_back(*found);
    }
    return part;
  }

 private:
  const Options& options_;
  const JobData& data_;
  Communicator& comm_;
  MemoryLedger& memory_;
};

}  // namespace

Job job_for_bytes(const Options& options, const Job& job) {
  Job bytes_job = job;
  bytes_job.reduce = options.reduce.value_or(ReduceMode::mpi);
  if (!options.reduce)
    bytes_job.loss_scale.fixed = 1;  // 16-bit sums overflow sooner; no step is to be skipped
  return bytes_job;
}

Verification train_stages(const Options& options, const JobData& data, Communicator& comm,
                          MemoryLedger& memory, DigestRecorder* digests) {
  Trainer trainer(options, data, comm, memory);
  Verification trained{data.job, job_for_bytes(options, data.job), {}, {}};
  trained.bits = trainer.train(trained.job, data.steps, true, digests);
  // Asked for one mode: that run shows both. Otherwise the bytes get a short run of their own.
  trained.bytes =
      options.reduce
          ? trained.bits
          : trainer.train(trained.bytes_job, std::min(steps_for_bytes, data.steps), false, nullptr);
  return trained;
}

bool same_bits(const Outcome& a, const Outcome& b) {
  return a.digest.parameters == b.digest.parameters && a.digest.master == b.digest.master &&
         a.digest.moments == b.digest.moments && a.step_digests == b.step_digests;
}

StageVerdict judge(const Verification& verification, std::size_t ranks) {
  const auto& [job, bytes_job, bits, bytes] = verification;
  StageVerdict v;
  for (const Part* part : {&bits, &bytes}) {
    for (const Outcome& o : part->outcomes) {
      v.ranks_agree &= o.digest.agrees();
      v.ledgers_hold &= o.memory_holds() && o.traffic_holds();
    }
  }
  if (bits.plain) {
    v.ranks_agree &= bits.plain->digest.agrees();
    v.ledgers_hold &= bits.plain->memory_holds() && bits.plain->traffic_holds();
    v.like_plain = same_bits(*bits.plain, bits.outcomes[0]);
    // A non-blocking sum of the library's own may add in another order.
    v.as_required = v.like_plain || (job.overlap && job.reduce == ReduceMode::mpi && ranks > 1);
  }
  for (const Outcome& a : bits.outcomes) {
    v.all_equal &= same_bits(bits.outcomes[0], a);
    for (const Outcome& b : bits.outcomes) {
      v.as_required &= !must_agree(job, ranks, a.stage, b.stage) || same_bits(a, b);
    }
  }
  return v;
}

nlohmann::json verify_json(const Verification& verification, const StageVerdict& verdict,
                           const WirePerStep& wire) {
  const auto& [job, bytes_job, bits, bytes] = verification;
  nlohmann::json summary{{"agree", verdict.all_equal && verdict.ranks_agree},
                         {"plain_agrees", nullptr},
                         {"first_difference", nullptr},
                         {"wire", nullptr}};
  if (bits.plain) summary["plain_agrees"] = verdict.like_plain;
  for (const auto& [stage, per_rank] : wire) summary["wire"][std::to_string(stage)] = per_rank;
  for (const Outcome& o : bits.outcomes) {
    summary["stages"][std::to_string(o.stage)] = summary_json(o, job);
  }
  for (const Outcome& o : bytes.outcomes) {
    summary["bytes"][std::to_string(o.stage)] = summary_json(o, bytes_job);
  }
  if (!bits.differences.empty()) {
    const FirstDifference& d = bits.differences[0];
    summary["first_difference"] = {
        {"stage", d.stage}, {"step", d.step}, {"unit", d.unit}, {"index", d.index},
        {"a", d.a},         {"b", d.b},       {"ulps", d.ulps}, {"differing", d.differing}};
  }
  return summary;
}

nlohmann::json measured_verification(const Options& options, Communicator& comm) {
  MemoryLedger memory;
  const JobData data = open_job(options, comm, memory);
  const Verification trained = train_stages(options, data, comm, memory);
  nlohmann::json file;
  together(comm, [&] {
    if (comm.rank() == 0) file = verify_json(trained, judge(trained, comm.size()), {});
  });
  return file;
}

}  // namespace zerolab
