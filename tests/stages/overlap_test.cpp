// The overlapped twins under an MPI that makes the most of its freedom: between start and wait it
// hides the user's memory (fills it with NaN and works on a copy) and finds out whether anyone
// wrote there, ranks sleep at random before and after they start and wait, and every request must
// be waited for. MPI's profiling interface (PMPI) lets this program stand in front of the library.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "job_run.hpp"
#include "samples.hpp"

namespace {

using Bytes = std::vector<std::byte>;

/// One collective under way: what the user lent to MPI, and what MPI really works on.
struct Hidden {
  MPI_Request request;
  std::byte* user;
  Bytes copy;
  const std::byte* read_only;  ///< a send buffer that may be read but not written
  Bytes as_sent;

  void lend(const void* send, std::size_t bytes) {
    read_only = static_cast<const std::byte*>(send);
    as_sent.assign(read_only, read_only + bytes);
  }
};

struct Interposed {
  std::vector<Hidden> under_way;
  std::size_t started = 0, written_too_early = 0, most_under_way = 0;
  bool sleeps = false;
  std::uint64_t counter = 0;

  void sleep() {
    if (!sleeps) return;
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const auto bits = zerolab::random_bits(static_cast<std::uint64_t>(rank), counter++);
    std::this_thread::sleep_for(std::chrono::microseconds(bits % 400));
  }
  /// Hides `bytes` at `user`; MPI gets the copy. On one rank requests may be done at once and share
  /// one handle, so nothing is hidden there.
  Hidden hide(void* user, std::size_t bytes) {
    Hidden hidden{MPI_REQUEST_NULL, static_cast<std::byte*>(user), Bytes(bytes), nullptr, {}};
    if (bytes > 0) {
      std::memcpy(hidden.copy.data(), user, bytes);
      std::memset(user, 0xFF, bytes);
    }
    return hidden;
  }
  void add(Hidden hidden, MPI_Request request) {
    ++started;
    hidden.request = request;
    under_way.push_back(std::move(hidden));
    most_under_way = std::max(most_under_way, under_way.size());
    sleep();
  }
};

Interposed mpi;

std::size_t bytes_of(int elements, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::size_t>(elements) * static_cast<std::size_t>(size);
}

int ranks_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): MPI's own names
extern "C" {

int MPI_Ireduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  if (ranks_of(comm) == 1)
    return PMPI_Ireduce_scatter(send, receive, counts, type, op, comm, request);
  mpi.sleep();
  int rank = 0, total = 0;
  PMPI_Comm_rank(comm, &rank);
  for (int r = 0; r < ranks_of(comm); ++r) total += counts[r];
  Hidden hidden = mpi.hide(receive, bytes_of(counts[rank], type));
  hidden.lend(send, bytes_of(total, type));
  const int code = PMPI_Ireduce_scatter(send, hidden.copy.data(), counts, type, op, comm, request);
  mpi.add(std::move(hidden), *request);
  return code;
}

int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   int count, MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  if (ranks_of(comm) == 1)
    return PMPI_Iallgather(send, send_count, send_type, receive, count, type, comm, request);
  EXPECT_EQ(send, MPI_IN_PLACE);
  mpi.sleep();
  Hidden hidden = mpi.hide(receive, bytes_of(count * ranks_of(comm), type));
  const int code =
      PMPI_Iallgather(send, send_count, send_type, hidden.copy.data(), count, type, comm, request);
  mpi.add(std::move(hidden), *request);
  return code;
}

int MPI_Iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    const int counts[], const int displacements[], MPI_Datatype type, MPI_Comm comm,
                    MPI_Request* request) {
  if (ranks_of(comm) == 1)
    return PMPI_Iallgatherv(send, send_count, send_type, receive, counts, displacements, type, comm,
                            request);
  EXPECT_EQ(send, MPI_IN_PLACE);
  mpi.sleep();
  int total = 0;
  for (int r = 0; r < ranks_of(comm); ++r) total += counts[r];
  Hidden hidden = mpi.hide(receive, bytes_of(total, type));
  const int code = PMPI_Iallgatherv(send, send_count, send_type, hidden.copy.data(), counts,
                                    displacements, type, comm, request);
  mpi.add(std::move(hidden), *request);
  return code;
}

int MPI_Ialltoallv(const void* send, const int send_counts[], const int send_displacements[],
                   MPI_Datatype send_type, void* receive, const int counts[],
                   const int displacements[], MPI_Datatype type, MPI_Comm comm,
                   MPI_Request* request) {
  if (ranks_of(comm) == 1)
    return PMPI_Ialltoallv(send, send_counts, send_displacements, send_type, receive, counts,
                           displacements, type, comm, request);
  mpi.sleep();
  int sent = 0, received = 0;
  for (int r = 0; r < ranks_of(comm); ++r) {
    sent += send_counts[r];
    received += counts[r];
  }
  Hidden hidden = mpi.hide(receive, bytes_of(received, type));
  hidden.lend(send, bytes_of(sent, send_type));
  const int code = PMPI_Ialltoallv(send, send_counts, send_displacements, send_type,
                                   hidden.copy.data(), counts, displacements, type, comm, request);
  mpi.add(std::move(hidden), *request);
  return code;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  mpi.sleep();
  const auto found = std::find_if(mpi.under_way.begin(), mpi.under_way.end(),
                                  [&](const Hidden& h) { return h.request == *request; });
  const int code = PMPI_Wait(request, status);
  if (found == mpi.under_way.end()) return code;
  const auto untouched = [&] {
    return std::all_of(found->user, found->user + found->copy.size(),
                       [](std::byte b) { return b == std::byte{0xFF}; });
  };
  const bool sent_unchanged =
      found->as_sent.empty() ||
      std::memcmp(found->read_only, found->as_sent.data(), found->as_sent.size()) == 0;
  if (!untouched() || !sent_unchanged) ++mpi.written_too_early;
  if (!found->copy.empty()) std::memcpy(found->user, found->copy.data(), found->copy.size());
  mpi.under_way.erase(found);
  mpi.sleep();
  return code;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

namespace zerolab {
namespace {

Job small_job(ReduceMode mode, std::size_t accumulate) {
  Job job;
  job.shape.widths = {13, 7, 5, 3};
  job.reduce = mode;
  job.accumulate = accumulate;
  job.batch = 2;
  job.clip_norm = 0.25;
  job.loss_scale.growth_interval = 3;
  return job;
}

std::vector<std::string> told(const Job& job, int stage, const Dataset& data, Communicator& comm) {
  constexpr std::size_t steps = 12;
  std::vector<std::string> lines;
  JobRun run(job, stage, data, comm);
  for (std::size_t s = 0; s < steps; ++s) lines.push_back(exactly(run.step()));
  lines.push_back(fmt::format("{} correct", run.stage().evaluate().correct));
  for (const std::uint64_t word : words(run.digest())) lines.push_back(hex(word));
  return lines;
}

// Steps that are skipped among them: the blocking stage's bits, memory that nobody touches in
// between, and no request left, twenty times over.
TEST(Overlap, NothingIsTouchedWhileItIsUnderWay) {
  Communicator comm(MPI_COMM_WORLD);
  Samples data(13, 3, 7 * comm.size() + 1, 300);
  data.sample(4)[2] = std::numeric_limits<float>::infinity();
  for (const ReduceMode mode : {ReduceMode::exact, ReduceMode::ordered}) {
    for (const int stage : {0, 2, 3}) {
      Job job = small_job(mode, mode == ReduceMode::exact ? 2 : 1);
      const auto plain = told(job, stage, data, comm);
      EXPECT_NE(fmt::format("{}", fmt::join(plain, " ")).find("skipped true"), std::string::npos);
      job.overlap = true;
      for (int repeat = 0; repeat < 20; ++repeat) {
        SCOPED_TRACE(fmt::format("stage {} repeat {}", stage, repeat));
        mpi = {};
        mpi.sleeps = repeat % 4 == 0;
        EXPECT_EQ(told(job, stage, data, comm), plain);
        if (comm.size() > 1) {
          EXPECT_GT(mpi.started, 12U * job.shape.units());
        }
        EXPECT_EQ(mpi.written_too_early, 0U);
        EXPECT_EQ(mpi.under_way.size(), 0U) << "requests that nobody waited for";
      }
    }
  }
}

// At most one sum at a time, in stage 3 with one gather; stage 0 may have gathers of all units.
TEST(Overlap, HowManyAreUnderWay) {
  Communicator comm(MPI_COMM_WORLD);
  const Samples data(13, 3, 20 * comm.size(), 100);
  const std::size_t most[]{3, 0, 3, 2};
  for (const int stage : {0, 2, 3}) {
    Job job = small_job(ReduceMode::exact, 1);
    job.overlap = true;
    mpi = {};
    told(job, stage, data, comm);
    EXPECT_LE(mpi.most_under_way, most[stage]) << "stage " << stage;
    if (comm.size() > 1) {
      EXPECT_GE(mpi.most_under_way, 2U) << "stage " << stage;
    }
  }
}

// A fault between start and wait leaves nothing behind: whatever ends, waits.
TEST(Overlap, AFaultWaits) {
  Communicator comm(MPI_COMM_WORLD);
  MemoryLedger memory;
  Trace trace;
  Reductions sums(comm, memory, trace, ReduceMode::exact, comm.size(), 1000);
  Sum shard;
  shard.stored = Buffer(memory, Category::gradients, NumberType::fp16,
                        Shards{100, comm.size()}.size(comm.rank()));
  mpi = {};
  try {
    Buffer full(memory, Category::gradients, NumberType::fp16, 100);
    full.fill_zero();
    InFlight in_flight(sums);
    in_flight.reduce_scatter({std::move(full), trace, "", 0, 0}, shard);
    Buffer parameters(memory, Category::parameters, NumberType::fp16, 100);
    parameters.fill_zero();
    Request gather = sums.start_all_gather(parameters);
    if (comm.size() > 1) {
      EXPECT_EQ(mpi.under_way.size(), 2U);
    }
    throw Error("a fault on all ranks");
  } catch (const Error&) {
  }
  EXPECT_EQ(mpi.under_way.size(), 0U);
  EXPECT_EQ(memory.line(Category::buffers).now, 0U);
}

TEST(Overlap, StageOneHasNoTwin) {
  Communicator comm(MPI_COMM_WORLD);
  const Samples data(13, 3, 20, 10);
  Job job = small_job(ReduceMode::exact, 1);
  job.overlap = true;
  EXPECT_THROW(JobRun(job, 1, data, comm), Error);
}

}  // namespace
}  // namespace zerolab
