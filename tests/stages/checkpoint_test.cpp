// A run saved by stage s on N ranks goes on in stage s′ on N′ ranks: the checkpoint holds the same
// bits when it is loaded and saved again, and the run ends as if it had never been interrupted,
// where the batches are the same. The everyday entry tries some of the pairs, the exhaustive one
// all.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "job_run.hpp"
#include "report/checkpoint_states.hpp"
#include "samples.hpp"
#include "zerolab/report/checkpoint.hpp"
#include "zerolab/report/job_json.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {
namespace {

constexpr std::size_t steps = 14;

/// A stage on the first N ranks.
struct Place {
  int stage;
  std::size_t ranks;
};

std::vector<Place> places(std::size_t world) {
  std::vector<Place> all;
  for (int stage = 0; stage < 4; ++stage)
    for (const std::size_t ranks : {1U, 2U, 3U, 4U, 6U, 8U})
      if (ranks <= world) all.push_back({stage, ranks});
  return all;
}

/// Whether a pair of places is taken: all, or for each place two others.
bool taken(std::size_t from, std::size_t to, std::size_t places) {
  return exhaustive() || to == (5 * from + 7) % places || to == (from + 1) % places;
}

/// A folder that all ranks see and that goes with the test; all ranks together.
class SharedFolder {
 public:
  explicit SharedFolder(Communicator& comm) : comm_(comm) {
    std::string name = std::filesystem::temp_directory_path() / "zerolab-checkpoint-XXXXXX";
    if (comm.rank() == 0) {
      EXPECT_NE(mkdtemp(name.data()), nullptr);
    }
    path_ = comm.broadcast(name, 0);
  }
  ~SharedFolder() {
    comm_.barrier();
    std::error_code none;
    if (comm_.rank() == 0) std::filesystem::remove_all(path_, none);
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  Communicator& comm_;
  std::filesystem::path path_;
};

/// A job, its data, and runs of it that may be saved and resumed.
struct Runs {
  const Job& job;
  const Dataset& data;
  Communicator& world;

  /// What a run told in its last steps, and its digests at the end.
  struct Told {
    std::vector<std::string> steps;
    std::vector<std::uint64_t> digest;
    std::size_t skipped = 0, samples = 0;
  };

  SavedRun saved(const Place& place, const Stage& stage, std::size_t step,
                 std::size_t samples) const {
    return {resumable_job(job, data),
            run_json("samples", job, place.stage, place.ranks),
            {step, stage.plan().position(step), stage.optimizer_states().updates(),
             stage.scaler().state()},
            samples};
  }

  /// Trains up to `last` steps, from the file `from` or the beginning; saves at the end, if asked.
  /// Ranks beyond the place's stand aside, and get nothing told.
  Told train(const Place& place, const std::string& from, std::size_t last,
             const std::string& to) const {
    Told told;
    const auto comm = world.first(place.ranks);
    if (!comm) return told;
    std::optional<CheckpointReader> file;
    ResumePoint at;
    if (!from.empty()) {
      file.emplace(from);
      const SavedRun before = saved_run(*file);
      at = before.at;
      told.samples = before.samples;
    }
    MemoryLedger memory;
    Training training{.job = job,
                      .stage = place.stage,
                      .steps = last,
                      .data = data,
                      .comm = *comm,
                      .memory = memory,
                      .from = at,
                      .after_step = {}};
    if (file) training.load = [&](Stage& stage) { load_states(*file, stage, job, *comm); };
    const auto save = [&](std::size_t step, const Stage& stage) {
      if (step != last || to.empty()) return;
      save_states(to, saved(place, stage, step, told.samples).text(), stage, job, *comm);
    };
    training.before_steps = [&](const Stage& stage) { save(at.step, stage); };
    training.after_step = [&](std::size_t step, const StepResult& result, const Stage& stage) {
      told.samples += result.samples;
      told.steps.push_back(exactly(result));
      save(step + 1, stage);
    };
    const Outcome outcome = run(training);
    EXPECT_TRUE(outcome.digest.agrees());
    EXPECT_TRUE(outcome.memory_holds());
    EXPECT_TRUE(outcome.traffic_holds());
    EXPECT_EQ(outcome.steps, last);
    told.digest = words(outcome.digest);
    told.skipped = outcome.skipped;
    return told;
  }
};

/// The same bits in both, and in counters, position and job; rank 0.
void expect_equal_files(const Communicator& world, const std::string& a, const std::string& b) {
  if (world.rank() > 0) return;
  EXPECT_EQ(differences(open_checkpoint(a), open_checkpoint(b)), std::vector<std::string>());
}

void expect_end_of(const Runs::Told& whole, const Runs::Told& resumed) {
  ASSERT_LE(resumed.steps.size(), whole.steps.size());
  EXPECT_TRUE(std::equal(resumed.steps.rbegin(), resumed.steps.rend(), whole.steps.rbegin()));
  EXPECT_EQ(resumed.digest, whole.digest);
  EXPECT_EQ(resumed.skipped, whole.skipped);
  EXPECT_EQ(resumed.samples, whole.samples);
}

Job job_of(NumberType precision, OptimizerSettings optimizer) {
  Job job;
  job.shape.widths = {13, 7, 5, 3};
  job.batch = 2;
  job.clip_norm = 0.25;
  job.loss_scale.growth_interval = 5;
  job.precision = precision;
  job.optimizer = optimizer;
  return job;
}

/// All kinds of states: with and without master weights, momentum and variance.
std::vector<Job> jobs() {
  return {job_of(NumberType::fp16, {}),
          job_of(NumberType::bf16, {.kind = OptimizerKind::adamw, .weight_decay = 0.01}),
          job_of(NumberType::fp32,
                 {.kind = OptimizerKind::sgd, .learning_rate = 0.02, .momentum = 0.9}),
          job_of(NumberType::fp16, {.kind = OptimizerKind::sgd, .learning_rate = 0.02})};
}

/// Four steps an epoch at a global batch of `batch`, the last one short; one sample is not finite,
/// so that each epoch skips a step, and the loss scale falls and grows.
Samples samples_for(std::size_t batch) {
  Samples data(13, 3, 3 * batch + 3, 100);
  data.sample(1)[3] = std::numeric_limits<float>::infinity();
  return data;
}

// Virtual shards: any stage and number of ranks to any other. Loaded and saved again nothing has
// changed; trained on, the run ends with the bits of one that was never interrupted, told step by
// step: loss, norm, clip factor, loss scale, skips.
TEST(Checkpoint, GoesOnInAnyStageOnAnyRanks) {
  Communicator world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  const std::vector<Place> all = places(world.size());
  std::size_t pairs = 0;
  for (std::size_t j = 0; j < jobs().size(); ++j) {
    Job job = jobs()[j];
    job.virtual_shards = 8;
    const Samples data = samples_for(8 * job.batch);
    const Runs runs{job, data, world};
    const Runs::Told whole = runs.train({0, world.size()}, "", steps, "");
    EXPECT_GT(whole.skipped, 1U);
    EXPECT_LT(whole.skipped, steps / 2);
    for (std::size_t from = 0; from < all.size(); ++from) {
      // Stops at the beginning, inside and at the end of epochs and growth intervals, after skips.
      const std::size_t stop = (3 * from + j) % (steps + 1);
      const std::string file = folder.file("saved"), again = folder.file("again");
      runs.train(all[from], "", stop, file);
      for (std::size_t to = 0; to < all.size(); ++to) {
        if (!taken(from, to, all.size())) continue;
        SCOPED_TRACE(fmt::format("job {} step {}: stage {} on {} to stage {} on {}", j, stop,
                                 all[from].stage, all[from].ranks, all[to].stage, all[to].ranks));
        runs.train(all[to], file, stop, again);
        expect_equal_files(world, file, again);
        const Runs::Told resumed = runs.train(all[to], file, steps, "");
        if (world.rank() < all[to].ranks) expect_end_of(whole, resumed);
        ++pairs;
      }
    }
  }
  if (world.rank() == 0) fmt::print("{} pairs of stage and ranks\n", pairs);
}

// Without virtual shards: equal bits on as many ranks, in every stage, wherever it was stopped.
TEST(Checkpoint, GoesOnWithTheSameBitsOnAsManyRanks) {
  Communicator world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  const std::string file = folder.file("saved");
  Job job = jobs()[0];
  job.accumulate = 2;
  const Samples data = samples_for(2 * world.size() * job.batch);
  const Runs runs{job, data, world};
  const Runs::Told whole = runs.train({0, world.size()}, "", steps, "");
  for (std::size_t stop = 0; stop <= steps; ++stop) {
    const int from = static_cast<int>(stop % 4);
    runs.train({from, world.size()}, "", stop, file);
    for (int to = 0; to < 4; ++to) {
      SCOPED_TRACE(fmt::format("step {}: stage {} to {}", stop, from, to));
      expect_end_of(whole, runs.train({to, world.size()}, file, steps, ""));
    }
  }
}

// On fewer ranks without virtual shards batches are others, but every sample of an epoch is still
// used once: the rest of the epoch first, by the new batch.
TEST(Checkpoint, NoSampleIsLostOrRepeatedOnOtherRanks) {
  Communicator world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "there are no other ranks";
  const SharedFolder folder(world);
  const Job job = jobs()[2];
  const std::size_t N = world.size();
  const Samples data(13, 3, 5 * N * job.batch + 1, 100);  // six steps an epoch
  const Runs runs{job, data, world};
  const std::size_t samples = data.samples(Split::train), stop = 8;
  runs.train({1, N}, "", stop, folder.file("saved"));
  const CheckpointReader file(folder.file("saved"));
  const SavedRun saved = saved_run(file);
  EXPECT_EQ(saved.at.position, (DataPosition{1, 2 * N * job.batch}));
  EXPECT_EQ(saved.samples, samples + 2 * N * job.batch);
  BatchPlan plan{samples, N - 1, N - 1, job.batch, job.seed, stop, saved.at.position};
  const std::size_t total = plan.steps_until(3);
  const Runs::Told resumed = runs.train({2, N - 1}, folder.file("saved"), total, "");
  if (world.rank() < N - 1) {
    EXPECT_EQ(resumed.samples, 3 * samples);
  }
}

// A rank that cannot open the file: one fault, on all ranks, and nothing is left behind.
TEST(Checkpoint, AFaultOfOneRankIsToldOnAllAndLeavesNothing) {
  Communicator world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  const Job job = jobs()[0];
  const Samples data = samples_for(16);
  JobRun run(job, 2, data, world);
  const std::string file =
      world.rank() + 1 == world.size() ? folder.file("no/saved") : folder.file("saved");
  try {
    save_states(file, "{}", run.stage(), job, world);
    ADD_FAILURE() << "saved";
  } catch (const AgreedError& error) {
    EXPECT_NE(std::string(error.what()).find(fmt::format("rank {}: ", world.size() - 1)),
              std::string::npos)
        << error.what();
  }
  world.barrier();
  EXPECT_FALSE(std::filesystem::exists(folder.file("saved")));
  EXPECT_FALSE(std::filesystem::exists(partial(folder.file("saved"))));
}

}  // namespace
}  // namespace zerolab
