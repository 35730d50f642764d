// Digest traces: the same whatever the stage, equal in sum to the digest, sent outside training;
// and a planted difference is found at its step, unit and range.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "../stages/job_run.hpp"
#include "summary_keys.hpp"
#include "zerolab/report/digest_recorder.hpp"

namespace zerolab {
namespace {

struct DigestTraces : testing::Test {
  Communicator comm{MPI_COMM_WORLD};
  MemoryLedger memory;
  std::string file = comm.broadcast(
      testing::TempDir() + "zerolab trace " + std::to_string(getpid()) + ".jsonl", 0);

  bool first() const { return comm.rank() == 0; }
  ~DigestTraces() override {
    comm.barrier();
    if (first()) std::filesystem::remove(file);
  }

  /// Trains three steps, recorded; `plant` may change the state before each record.
  std::optional<Comparison> record(const Options& options,
                                   const std::function<void(std::size_t, JobRun&)>& plant = {}) {
    const JobData data = open_job(options, comm, memory);
    DigestRecorder recorder(options, data, options.stage, comm);
    JobRun run(data.job, options.stage, *data.data, comm);
    for (std::size_t step = 0; step <= data.steps; ++step) {
      if (step > 0) run.step();
      if (plant) plant(step, run);
      recorder.record(step, run.stage());
    }
    parameters = run.digest().parameters;
    return recorder.comparison();
  }
  std::uint64_t parameters = 0;  ///< digest at the end of the last run
};

/// Flips the last bit of one element, wherever it lies.
void flip(JobRun& run, const Communicator& comm, std::size_t unit, std::size_t index) {
  const Numbers stored = run.stage().stored_parameters()[unit];
  const Shards cut = run.cut(unit);
  const bool full = stored.size == cut.elements;
  if (!full && cut.owner(index) != comm.rank()) return;
  const std::size_t place = full ? index : index - cut.first(comm.rank());
  stored.part(place, 1).data[0] ^= std::byte{1};
}

TEST_F(DigestTraces, AreTheSameInEveryStageAndAddUpToTheDigest) {
  for (const NumberType precision : {NumberType::fp16, NumberType::bf16, NumberType::fp32}) {
    Options o = small(0);
    o.job.precision = precision;
    o.digests = file;
    record(o);
    std::vector<RangeDigests> wanted;
    for (int stage = 0; stage < 4; ++stage) {
      o.stage = stage;
      o.job.activation_segments = static_cast<std::size_t>(stage);  // no job of another kind
      record(o);
      if (!first()) continue;
      const DigestTrace trace = read_trace(file);
      EXPECT_EQ(trace.steps, 3U);
      EXPECT_EQ(trace.shape.widths, (std::vector<std::size_t>{13, 7, 5, 3}));
      EXPECT_EQ(trace.header.run.at("stage"), stage);
      EXPECT_EQ(trace.header.run.at("checkpoint_activations"), stage);
      EXPECT_EQ(trace.header.run.at("ranks"), comm.size());
      if (stage == 0) wanted = trace.digests;
      EXPECT_EQ(trace.digests, wanted) << stage;
      std::uint64_t sum = 0;
      for (std::size_t l = 0; l < 3; ++l) {
        const RangeDigests& unit = trace.at(3, l);
        EXPECT_EQ(unit.size(), (std::array{64U, 40U, 18U}[l]));
        sum = std::accumulate(unit.begin(), unit.end(), sum);
      }
      EXPECT_EQ(sum, parameters);
    }
  }
}

TEST_F(DigestTraces, APlantedDifferenceIsFoundWhereItIs) {
  Options o = small(1);
  o.digests = file;
  record(o);
  o.digests.clear();
  o.against = {file};
  struct Place {
    std::size_t step, unit, index, first, last;
  };
  // Unit 0 has 98 elements in 64 ranges, the first 34 of two; units 1 and 2 a range each element.
  for (const Place& p :
       {Place{0, 0, 0, 0, 1}, Place{1, 0, 67, 66, 67}, Place{2, 0, 68, 68, 68},
        Place{2, 1, 39, 39, 39}, Place{3, 2, 17, 17, 17}, Place{3, 0, 97, 97, 97}}) {
    for (const int stage : {0, 3}) {
      o.stage = stage;
      const auto found = record(o, [&](std::size_t step, JobRun& run) {
        if (step == p.step) flip(run, comm, p.unit, p.index);
      });
      EXPECT_EQ(found.has_value(), first());
      if (!found || !found->first) {
        EXPECT_FALSE(found) << "not found";
        continue;
      }
      EXPECT_EQ(found->first->step, p.step);
      EXPECT_EQ(found->first->unit, p.unit);
      EXPECT_EQ(found->first->first, p.first);
      EXPECT_EQ(found->first->last, p.last);
      EXPECT_EQ(found->first->differing, 1U);
    }
  }
  const auto none = record(o);
  EXPECT_TRUE(!none || !none->first) << "nothing was planted";
}

// Elements 68 and 97 of unit 0 and one of unit 2, at two steps: the first of the first step is
// named.
TEST_F(DigestTraces, TheFirstOfSeveralDifferencesIsNamed) {
  Options o = small(0);
  o.digests = file;
  record(o);
  o.digests.clear();
  o.against = {file};
  const auto found = record(o, [&](std::size_t step, JobRun& run) {
    if (step != 1 && step != 2) return;
    for (const std::size_t index : {97U, 68U}) flip(run, comm, 0, index);
    flip(run, comm, 2, 17);
  });
  if (!first()) return;
  ASSERT_TRUE(found && found->first);
  EXPECT_EQ(found->first->step, 1U);
  EXPECT_EQ(found->first->unit, 0U);
  EXPECT_EQ(found->first->first, 68U);
  EXPECT_EQ(found->first->last, 68U);
  EXPECT_EQ(found->first->differing, 2U);
}

TEST_F(DigestTraces, AreSentOutsideTraining) {
  const Options o = small(3);
  const JobData data = open_job(o, comm, memory);
  JobRun run(data.job, 3, *data.data, comm);
  run.step();
  const TrafficTable before = comm.ledger().table();
  Options traced = o;
  traced.digests = file;
  DigestRecorder recorder(traced, data, 3, comm);
  recorder.record(0, run.stage());
  for (std::size_t c = 0; c < collectives; ++c) {
    const bool other = static_cast<Collective>(c) == Collective::other;
    EXPECT_EQ(comm.ledger().table()[c] == before[c], !other) << c;
  }
}

TEST_F(DigestTraces, AnotherJobIsRefusedByName) {
  Options o = small(0);
  o.digests = file;
  record(o);
  o.digests.clear();
  o.against = {file};
  const auto refused = [&](const std::string& field, const std::function<void(Options&)>& change) {
    Options other = o;
    change(other);
    try {
      record(other);
      ADD_FAILURE() << field << " was not refused";
    } catch (const AgreedError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("another job: "), std::string::npos) << text;
      EXPECT_NE(text.find(field + " is "), std::string::npos) << text;
    }
  };
  refused("seed", [](Options& x) { x.job.seed = 2; });
  refused("widths", [](Options& x) { x.hidden = {7, 6}; });
  refused("precision", [](Options& x) { x.job.precision = NumberType::bf16; });
  refused("reduce", [](Options& x) { x.job.reduce = ReduceMode::mpi; });
  refused("optimizer", [](Options& x) { x.job.optimizer.kind = OptimizerKind::adamw; });
  refused("lr", [](Options& x) { x.job.optimizer.learning_rate = 0.25; });
  refused("weight_decay", [](Options& x) { x.job.optimizer.weight_decay = 0.25; });
  refused("clip_norm", [](Options& x) { x.job.clip_norm = 0.25; });
  refused("loss_scale", [](Options& x) { x.job.loss_scale.fixed.reset(); });
  refused("batch", [](Options& x) { x.job.batch = 2; });
  refused("global_batch", [](Options& x) { x.job.accumulate = 2; });
  refused("steps", [](Options& x) { x.steps = 2; });
  refused("training_samples", [](Options& x) { x.data = "synthetic:65,13,3"; });
}

TEST_F(DigestTraces, OneOtherNumberInTheDataIsRefused) {
  const std::string table = file + ".csv";
  const auto write = [&](int number) {
    comm.barrier();
    if (first()) {
      std::ofstream rows(table);
      for (int i = 0; i < 64; ++i) rows << (i == 0 ? number : i % 7) << ',' << i % 3 << '\n';
    }
    comm.barrier();
  };
  Options o = small(0);
  o.data = "csv:" + table;
  o.digests = file;
  write(1);
  record(o);
  write(2);
  o.digests.clear();
  o.against = {file};
  try {
    record(o);
    ADD_FAILURE() << "not refused";
  } catch (const AgreedError& error) {
    EXPECT_NE(std::string(error.what()).find("another job: data_checksum is "), std::string::npos)
        << error.what();
  }
  comm.barrier();
  if (first()) std::filesystem::remove(table);
}

}  // namespace
}  // namespace zerolab
