#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "oracle.hpp"
#include "zerolab/comm/reductions.hpp"

namespace zerolab {

/// How a gradient is summed in a test; the number of micro-batches is that of the vectors given.
struct Way {
  ReduceMode mode;
  double divisor = 1;
  std::size_t limit = std::size_t{1} << 18U;  ///< elements of a chunk
};

/// This rank, and the two ways a gradient can go through Reductions.
struct Ranks {
  Communicator comm;
  MemoryLedger ledger;
  Trace trace;

  explicit Ranks(MPI_Comm ranks = MPI_COMM_WORLD) : comm(ranks) {}

  std::size_t size() const { return comm.size(); }
  std::size_t rank() const { return comm.rank(); }
  Shards cut(std::size_t elements) const { return {elements, comm.size()}; }
  ConstNumbers shard_of(ConstNumbers full) const {
    const Shards shards = cut(full.size);
    return full.part(shards.first(rank()), shards.size(rank()));
  }

  Reductions reductions(const Way& way, std::size_t micro_batches) {
    Reductions made(comm, ledger, trace, way.mode, micro_batches * comm.size(), way.limit);
    made.start(way.divisor);
    return made;
  }

  /// An empty sum; all its bytes are set, so that reading them before they are written shows.
  Sum sum(const Way& way, NumberType type, std::size_t elements, std::size_t micro_batches) {
    Sum empty;
    empty.stored = Buffer(ledger, Category::gradients, type, elements);
    if (Reductions::accumulates(way.mode, micro_batches))
      empty.accumulator = Buffer(ledger, Category::accumulator, NumberType::fp64, elements);
    for (const Numbers memory : {empty.stored.numbers(), empty.accumulator.numbers()})
      std::fill_n(memory.data, memory.bytes(), std::byte{0xFF});
    return empty;
  }

  /// Stages 0 and 1: micro-batches are added here, then one all-reduce. The full average.
  Buffer all_reduced(const Way& way, const std::vector<Guarded>& mine) {
    Reductions by = reductions(way, mine.size());
    const ConstNumbers first = mine.front();
    Sum full = sum(way, first.type, first.size, mine.size());
    if (by.takes_in_place()) {
      std::copy_n(first.data, first.bytes(), full.stored.numbers().data);
    } else {
      for (const Guarded& gradient : mine) by.add(gradient, full);
    }
    by.all_reduce(full);
    by.finish(full);
    EXPECT_EQ(full.state, Sum::State::averaged);
    return std::move(full.stored);
  }

  /// Stages 2 and 3: a reduce-scatter for every micro-batch. This rank's shard of the average.
  Buffer reduce_scattered(const Way& way, const std::vector<Guarded>& mine) {
    Reductions by = reductions(way, mine.size());
    const ConstNumbers first = mine.front();
    Sum shard = sum(way, first.type, cut(first.size).size(rank()), mine.size());
    for (Guarded gradient : mine) {
      by.reduce_scatter(gradient.numbers(), shard);
      EXPECT_TRUE(gradient.intact());
    }
    by.finish(shard);
    EXPECT_EQ(shard.state, Sum::State::averaged);
    return std::move(shard.stored);
  }

  /// Both ways give `average`.
  void expect(const Way& way, const std::vector<Guarded>& mine, ConstNumbers average) {
    EXPECT_TRUE(same_bits(all_reduced(way, mine), average)) << "all-reduce";
    EXPECT_TRUE(same_bits(reduce_scattered(way, mine), shard_of(average))) << "reduce-scatter";
  }
};

}  // namespace zerolab
