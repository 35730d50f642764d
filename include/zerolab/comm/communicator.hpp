#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zerolab/comm/traffic_ledger.hpp"
#include "zerolab/core/number.hpp"
#include "zerolab/core/shards.hpp"
#include "zerolab/core/timeline.hpp"
#include "zerolab/core/watchdog.hpp"

namespace zerolab {

/// Name and version of the MPI library, one line.
std::string mpi_library();
/// What MPICH sends through, as it says itself; empty for a library that does not say.
std::string mpi_device();
/// The name MPI has for the machine this rank runs on.
std::string host_name();

/// Counts and displacements of one part per rank, in elements, as MPI wants them.
struct Layout {
  std::vector<int> counts, displacements;

  void append(std::size_t elements, std::size_t first);
};

/// A non-blocking collective under way. Its memory must stay and must not be touched until wait();
/// a request that ends waits, so no path leaves one behind.
class Request {
 public:
  Request() = default;
  ~Request() { wait(); }
  Request(Request&& other) noexcept;
  Request& operator=(Request&& other) noexcept;  ///< waits for the one before
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  void wait();

 private:
  friend class Communicator;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::unique_ptr<const std::array<Layout, 2>> layouts_;  ///< read by MPI until the end
  Timeline::Running running_;
  Watchdog* watchdog_ = nullptr;
  std::size_t elements_ = 0;
};

/// The ranks of a job, and the only way they talk. Each method is one MPI call on the memory it is
/// given, entered in the ledger. Full vectors are cut by Shards{size, N}. MPI's own error handler
/// ends the job on a fault inside MPI; counts above INT_MAX throw Error.
class Communicator {
 public:
  explicit Communicator(MPI_Comm comm);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  std::size_t rank() const { return rank_; }
  std::size_t size() const { return size_; }
  /// The first `ranks` of these ranks (MPI_Comm_split), by themselves; none on the others. All
  /// ranks together.
  std::unique_ptr<Communicator> first(std::size_t ranks);
  const TrafficLedger& ledger() const { return ledger_; }
  void restart_ledger() { ledger_ = {}; }

  /// MPI_Allreduce in place, sum in the vector's own type. 16-bit numbers are summed by an MPI_Op
  /// of ours: each addition in fp32, rounded to 16 bits.
  void all_reduce(Numbers full);
  /// MPI_Reduce_scatter in place: the sum of this rank's shard ends at the front of `full`, what
  /// lies behind it is undefined.
  void reduce_scatter(Numbers full);
  /// MPI_Allgather (MPI_Allgatherv where ragged) in place: every shard lies where it belongs.
  void all_gather(Numbers full);
  /// MPI_Alltoallv: elements [begin, begin + count) of every rank's shard of `full` go to that
  /// rank, clipped to the shard's size; this rank's arrive in `received`, one after the other in
  /// rank order.
  void all_to_all(ConstNumbers full, std::size_t begin, std::size_t count, Numbers received);

  // The same without waiting: MPI_Ireduce_scatter, MPI_Iallgather(v), MPI_Ialltoallv. Entered in
  // the ledger when started; all ranks start them in the same order.
  /// Not in place: SimGrid 3.32 frees its copy of an operand in place before large messages have
  /// left. shard: [this rank's shard].
  Request start_reduce_scatter(ConstNumbers full, Numbers shard);
  Request start_all_gather(Numbers full);
  Request start_all_to_all(ConstNumbers full, Numbers received);  ///< whole shards

  /// MPI_Allreduce of a few 64-bit words, sum modulo 2^64 or maximum, entered under scalars.
  void sum(std::span<std::uint64_t> words);
  std::uint64_t maximum(std::uint64_t word);
  /// MPI_Allreduce of words, bit by bit exclusive-or, entered under other.
  void exclusive_or(std::span<std::uint32_t> words);
  /// MPI_Gatherv of one string a rank to rank 0 (empty elsewhere), entered under other.
  std::vector<std::string> gather(const std::string& text);
  /// MPI_Bcast of a string from rank `root`, entered under other.
  std::string broadcast(std::string text, std::size_t root);
  /// MPI_Sendrecv to the next rank (of the last: rank 0) and from the one before, entered under
  /// other.
  void pass_on(std::span<const char> to_next, std::span<char> from_previous);
  void barrier();
  /// A barrier for a long wait: MPI_Ibarrier, looked at now and then, so that a rank which waits
  /// leaves its core to others.
  void patient_barrier();

  /// Seconds from some moment on, by MPI_Wtime: simulated where the cluster is (SMPI).
  double now() const;
  /// This rank has computed `flops` floating-point operations. In a simulation (smpi_execute_flops)
  /// the time they take at the host's speed passes now; elsewhere it has passed already.
  void compute(double flops);
  /// Seconds spent in compute() so far; none where time is real.
  std::optional<double> compute_seconds() const;
  /// Tells every collective of training to a timeline from now on, or with nullptr to none.
  void watch(Timeline* timeline) { timeline_ = timeline; }
  /// Tells every MPI call to a watchdog from now on, or with nullptr to none. It outlives this
  /// communicator, its requests, and those made by first().
  void guard(Watchdog* watchdog) { watchdog_ = watchdog; }
  /// The step that is trained from now on, from 1, for a watchdog; 0: none.
  void note_step(std::size_t step) {
    if (watchdog_ != nullptr) watchdog_->note_step(step);
  }

  /// While one of these lives, everything is entered under other.
  class Outside {
   public:
    explicit Outside(Communicator& comm) : comm_(comm), before_(comm.outside_) {
      comm.outside_ = true;
    }
    ~Outside() { comm_.outside_ = before_; }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    Communicator& comm_;
    bool before_;
  };
  [[nodiscard]] Outside outside_training() { return Outside(*this); }

 private:
  void record(Collective collective, std::size_t elements, std::size_t width,
              std::size_t ring_elements);
  /// A span from here to the end of the scope, or of the request.
  Timeline::Running running(Collective collective, bool blocking = true) const;
  /// Until the end of the scope this rank is in an MPI call.
  Watchdog::Inside inside(const char* mpi_name, std::size_t elements = 0) const {
    return {watchdog_, mpi_name, elements};
  }
  MPI_Op sum_of(NumberType type) const;
  std::size_t next() const { return (rank_ + 1) % size_; }

  MPI_Comm comm_;
  bool owned_ = false;
  MPI_Op half_sum_ = MPI_OP_NULL;
  MPI_Op bfloat16_sum_ = MPI_OP_NULL;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  bool outside_ = false;
  double compute_seconds_ = 0;
  TrafficLedger ledger_;
  Timeline* timeline_ = nullptr;
  Watchdog* watchdog_ = nullptr;
};

}  // namespace zerolab
