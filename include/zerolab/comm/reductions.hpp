#pragma once

#include <array>
#include <vector>

#include "zerolab/comm/communicator.hpp"
#include "zerolab/core/buffer.hpp"
#include "zerolab/core/trace.hpp"

namespace zerolab {

/// How vectors are summed over ranks, and so whether the sum has the same bits for every algorithm.
///   exact    MPI_SUM on fp64 numbers that add without rounding: any order gives the same bits
///   ordered  MPI_Alltoallv, then the owner adds in rank order in fp32 and rounds once
///   mpi      the library's own sum in the storage type, in the library's own order
enum class ReduceMode { exact, ordered, mpi };

/// A sum over ranks and micro-batches in the making: full, or this rank's shard of it.
struct Sum {
  std::size_t unit = 0;
  Buffer stored;       ///< storage type; in the end the average
  Buffer accumulator;  ///< fp64, only under exact with several contributions a rank; else empty
  enum class State { empty, summing, averaged } state = State::empty;

  operator ConstNumbers() const { return stored; }
};

/// Collectives on vectors of the storage type, with the order rule. What is added is rounded once:
/// the sum is divided by the divisor of start() in fp64, then rounded to the storage type.
class Reductions {
 public:
  /// `contributions` enter a sum, dealt to ranks: N·k micro-batches, or V virtual shards. Throws
  /// Error when they are more than 2^13 under exact (the sum would no longer fit a double), or
  /// chunk_elements is below N. `units`: elements of each, so that what has another size (a shard
  /// where the full vector belongs) throws Error; none: any size may come.
  Reductions(Communicator& comm, MemoryLedger& ledger, Trace& trace, ReduceMode mode,
             std::size_t contributions, std::size_t chunk_elements,
             std::vector<std::size_t> units = {});

  void start(double divisor) { divisor_ = divisor; }

  /// Whether a rank's only contribution may be written where the sum is stored.
  bool takes_in_place() const { return per_rank_ == 1; }
  /// Adds a vector of this rank's own into its sum, without any message.
  void add(ConstNumbers mine, Sum& sum);
  /// Sums over ranks; every rank ends with the full sum.
  void all_reduce(Sum& full);
  /// Sums `full` over ranks and adds this rank's shard of the result into `shard`. Overwrites
  /// `full`.
  void reduce_scatter(Numbers full, Sum& shard);
  /// A sum over ranks that goes on while this rank computes: from start_… to complete(). Owns what
  /// MPI works on beside the vector itself; one that ends early waits, and its sum is lost.
  class UnderWay {
   public:
    /// Whether every rank is to have the full sum; it then needs an all-gather after complete().
    bool of_full_sum() const { return full_sum_; }
    Sum& sum() { return *sum_; }

   private:
    friend class Reductions;
    Sum* sum_ = nullptr;
    bool full_sum_ = false;
    Buffer widened_, received_;
    Request request_;  // last, so that it waits before the buffers go
  };
  /// reduce_scatter() without waiting. `full` must stay until complete().
  UnderWay start_reduce_scatter(Numbers full, Sum& shard);
  /// The first half of all_reduce(): after complete() this rank's shard of the sum lies in its
  /// place, and an all_gather of it is the second half. An all-reduce is its two halves.
  UnderWay start_all_reduce(Sum& full);
  void complete(UnderWay& under_way);
  /// all_gather() without waiting.
  Request start_all_gather(Numbers full);

  /// Turns a complete sum into the average where that has not happened yet.
  void finish(Sum& sum);
  /// Every rank's shard to all ranks, in place.
  void all_gather(Numbers full);

  /// Whether a sum needs an accumulator of its own.
  static bool accumulates(ReduceMode mode, std::size_t per_rank) {
    return mode == ReduceMode::exact && per_rank > 1;
  }

 private:
  void require_full(const char* what, const Sum& sum, std::size_t elements) const;
  void require_shard(const Sum& shard, std::size_t elements) const;
  void require_unit(std::size_t elements) const;
  void exact_all_reduce(ConstNumbers from, Numbers average);
  void exact_reduce_scatter(ConstNumbers full, Sum& shard);
  void ordered_reduce_scatter(ConstNumbers full, Numbers shard, bool first);
  /// Chunk c of every rank's shard as doubles, one after the other in `buffer`.
  Numbers pack(ConstNumbers from, const Chunks& chunks, std::size_t c, Buffer& buffer) const;
  void load_exact(ConstNumbers from, std::span<double> to) const;
  Sum::State state_after_reduce_scatter() const;
  void start(UnderWay& under_way, ConstNumbers from);
  void place(Buffer& received, Numbers shard) const;
  /// Adds what one reduce-scatter brought to the shard's sum, or keeps its average: from doubles to
  /// element `begin` and on, or in the storage type.
  void keep(std::span<double> sums, std::size_t begin, Sum& shard) const;
  void keep(ConstNumbers sums, Sum& shard) const;
  void average(ConstNumbers sum, Numbers average) const;
  void store_average(std::span<double> sum, Numbers average) const;
  std::size_t chunk(std::size_t elements) const { return std::min(chunk_elements_, elements); }

  Communicator& comm_;
  MemoryLedger& ledger_;
  Trace& trace_;
  ReduceMode mode_;
  std::size_t per_rank_;  ///< contributions of a rank at most
  std::size_t chunk_elements_;
  std::vector<std::size_t> units_;
  double range_;  ///< under exact, fp32 and bf16 contributions at or above it become infinite
  double divisor_ = 1;
};

}  // namespace zerolab
