#include "zerolab/comm/reductions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace zerolab {

namespace {

constexpr std::size_t max_contributions = std::size_t{1} << 13;  // 2^16 · 2^13 · 2^24 = 2^53
constexpr std::size_t block = 1024;                              // numbers widened at a time

/// Rounds an fp32 number to the grid of 2^-36, ties to even, on which contributions add without
/// rounding: below 2^17 in all they need 53 bits. From 2^-13 on an fp32 number lies on the grid by
/// itself; below 1, adding 1.5 · 2^16 leaves a double whose last bit is worth 2^-36.
double on_grid(double g) {
  constexpr double shift = 0x1.8p16;
  return std::abs(g) < 1 ? (g + shift) - shift : g;
}

/// sum = round(sum + more) in fp32, or sum = more for the first.
void add_rounded(ConstNumbers more, Numbers sum, bool first) {
  std::array<float, block> a, b;
  for (std::size_t i = 0; i < sum.size; i += block) {
    const std::size_t m = std::min(block, sum.size - i);
    widen(more.part(i, m), std::span(a).first(m));
    if (!first) {
      widen(sum.part(i, m), std::span(b).first(m));
      for (std::size_t j = 0; j < m; ++j) a[j] += b[j];
    }
    narrow(std::span<const float>(a).first(m), sum.part(i, m));
  }
}

/// Adds the equally long runs in `pieces` in order, in fp32, and rounds once into the first of
/// them.
void add_in_rank_order(Numbers pieces, std::size_t ranks) {
  const std::size_t length = pieces.size / ranks;
  std::array<float, block> sum, next;
  for (std::size_t i = 0; i < length; i += block) {
    const std::size_t m = std::min(block, length - i);
    widen(pieces.part(i, m), std::span(sum).first(m));
    for (std::size_t r = 1; r < ranks; ++r) {
      widen(pieces.part(r * length + i, m), std::span(next).first(m));
      for (std::size_t j = 0; j < m; ++j) sum[j] += next[j];
    }
    narrow(std::span<const float>(sum).first(m), pieces.part(i, m));
  }
}

}  // namespace

Reductions::Reductions(Communicator& comm, MemoryLedger& ledger, Trace& trace, ReduceMode mode,
                       std::size_t contributions, std::size_t chunk_elements,
                       std::vector<std::size_t> units)
    : comm_(comm),
      ledger_(ledger),
      trace_(trace),
      mode_(mode),
      per_rank_((contributions + comm.size() - 1) / comm.size()),
      chunk_elements_(chunk_elements),
      units_(std::move(units)) {
  require(mode != ReduceMode::exact || contributions <= max_contributions,
          "{} micro-batches a step: exact sums end at {} contributions", contributions,
          max_contributions);
  require(chunk_elements >= comm.size(), "chunks of {} elements are too small for {} ranks",
          chunk_elements, comm.size());
  range_ = std::ldexp(1.0, 17 - static_cast<int>(std::bit_width(contributions - 1)));
}

void Reductions::require_full(const char* what, const Sum& sum, std::size_t elements) const {
  if (units_.empty()) return;
  require(sum.unit < units_.size(), "{} of unit {}, but there are {}", what, sum.unit,
          units_.size());
  require(elements == units_[sum.unit], "{}: unit {} has {} elements, got {}", what, sum.unit,
          units_[sum.unit], elements);
}

void Reductions::require_shard(const Sum& shard, std::size_t elements) const {
  const std::size_t mine = Shards{elements, comm_.size()}.size(comm_.rank());
  require(shard.stored.size() == mine,
          "reduce-scatter of unit {}: this rank's shard of {} elements has {}, the sum has {}",
          shard.unit, elements, mine, shard.stored.size());
}

void Reductions::require_unit(std::size_t elements) const {
  require(units_.empty() || std::ranges::count(units_, elements) > 0,
          "all-gather takes a full unit, and none has {} elements", elements);
}

/// Contributions as doubles whose sum is exact. fp16 numbers are multiples of 2^-24 below 2^16 as
/// they are.
void Reductions::load_exact(ConstNumbers from, std::span<double> to) const {
  widen(from, to);
  if (from.type == NumberType::fp64) return;  // an accumulator: on the grid already
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (from.type == NumberType::fp16) {
    for (double& g : to) g = std::abs(g) <= 65504 ? g : std::copysign(infinity, g);
  } else {
    for (double& g : to) {
      g = std::abs(g) < range_ ? on_grid(g) : std::copysign(infinity, g);
    }
  }
}

void Reductions::store_average(std::span<double> sum, Numbers average) const {
  for (double& s : sum) s = (s + 0.0) / divisor_;  // a zero sum is +0
  narrow(std::span<const double>(sum), average);
}

/// The average of a sum held in the storage type. To divide by a power of two rounds no more often
/// in fp32; any other quotient is taken in fp64.
void Reductions::average(ConstNumbers sum, Numbers average) const {
  int exponent = 0;
  const bool power_of_two = std::frexp(divisor_, &exponent) == 0.5;
  const auto inverse = static_cast<float>(1 / divisor_);
  alignas(64) std::array<float, block> floats;
  std::array<double, block> doubles;
  for (std::size_t i = 0; i < sum.size; i += block) {
    const std::size_t m = std::min(block, sum.size - i);
    if (power_of_two) {
      widen(sum.part(i, m), std::span(floats).first(m));
      for (std::size_t j = 0; j < m; ++j) floats[j] = (floats[j] + 0.0F) * inverse;
      narrow(std::span<const float>(floats).first(m), average.part(i, m));
    } else {
      widen(sum.part(i, m), std::span(doubles).first(m));
      store_average(std::span(doubles).first(m), average.part(i, m));
    }
  }
}

void Reductions::add(ConstNumbers mine, Sum& sum) {
  require(mine.size == sum.stored.size(), "unit {}: {} elements cannot be added to a sum of {}",
          sum.unit, mine.size, sum.stored.size());
  const bool first = sum.state == Sum::State::empty;
  sum.state = Sum::State::summing;
  if (!accumulates(mode_, per_rank_)) return add_rounded(mine, sum.stored, first);
  std::array<double, block> exact;
  const auto total = sum.accumulator.as<double>();
  for (std::size_t i = 0; i < mine.size; i += block) {
    const std::size_t m = std::min(block, mine.size - i);
    load_exact(mine.part(i, m), std::span(exact).first(m));
    for (std::size_t j = 0; j < m; ++j) total[i + j] = exact[j] + (first ? 0.0 : total[i + j]);
  }
}

void Reductions::all_reduce(Sum& full) {
  require_full("all-reduce", full, full.stored.size());
  switch (mode_) {
    case ReduceMode::exact:
      exact_all_reduce(accumulates(mode_, per_rank_) ? full.accumulator : full.stored, full.stored);
      full.state = Sum::State::averaged;
      break;
    case ReduceMode::ordered: {
      const Shards cut{full.stored.size(), comm_.size()};
      const std::size_t first = cut.first(comm_.rank()), size = cut.size(comm_.rank());
      ordered_reduce_scatter(full.stored, full.stored.numbers().part(first, size), true);
      comm_.all_gather(full.stored);
      break;
    }
    case ReduceMode::mpi:
      comm_.all_reduce(full.stored);
      break;
  }
  trace_.event(full.unit, "all-reduce {} elements", full.stored.size());
}

void Reductions::reduce_scatter(Numbers full, Sum& shard) {
  require_full("reduce-scatter", shard, full.size);
  require_shard(shard, full.size);
  const bool first = shard.state == Sum::State::empty;
  switch (mode_) {
    case ReduceMode::exact:
      exact_reduce_scatter(full, shard);
      break;
    case ReduceMode::ordered:
      ordered_reduce_scatter(full, shard.stored, first);
      break;
    case ReduceMode::mpi:
      comm_.reduce_scatter(full);
      keep(full.part(0, shard.stored.size()), shard);
      break;
  }
  shard.state = state_after_reduce_scatter();
  trace_.event(shard.unit, "reduce-scatter {} elements, keeps {}", full.size, shard.stored.size());
}

// Without waiting: a whole unit in one call, since all of it is under way at once.

Reductions::UnderWay Reductions::start_reduce_scatter(Numbers full, Sum& shard) {
  require_full("reduce-scatter", shard, full.size);
  require_shard(shard, full.size);
  UnderWay under_way;
  under_way.sum_ = &shard;
  start(under_way, full);
  trace_.event(shard.unit, "start reduce-scatter of {} elements", full.size);
  return under_way;
}

Reductions::UnderWay Reductions::start_all_reduce(Sum& full) {
  require_full("all-reduce", full, full.stored.size());
  UnderWay under_way;
  under_way.sum_ = &full;
  under_way.full_sum_ = true;
  start(under_way, accumulates(mode_, per_rank_) ? full.accumulator : full.stored);
  trace_.event(full.unit, "start all-reduce of {} elements", full.stored.size());
  return under_way;
}

void Reductions::start(UnderWay& under_way, ConstNumbers from) {
  const std::size_t all = from.size, shard = Shards{all, comm_.size()}.size(comm_.rank());
  const auto make = [this](NumberType type, std::size_t elements) {
    return Buffer(ledger_, Category::buffers, type, elements);
  };
  const NumberType stored = under_way.sum_->stored.type();
  switch (mode_) {
    case ReduceMode::exact:
      under_way.widened_ = make(NumberType::fp64, all);
      load_exact(from, under_way.widened_.as<double>());
      under_way.received_ = make(NumberType::fp64, shard);
      under_way.request_ = comm_.start_reduce_scatter(under_way.widened_, under_way.received_);
      break;
    case ReduceMode::ordered:
      under_way.received_ = make(stored, comm_.size() * shard);
      under_way.request_ = comm_.start_all_to_all(from, under_way.received_);
      break;
    case ReduceMode::mpi:
      under_way.received_ = make(stored, shard);
      under_way.request_ = comm_.start_reduce_scatter(from, under_way.received_);
      break;
  }
}

void Reductions::complete(UnderWay& under_way) {
  under_way.request_.wait();
  Sum& sum = *under_way.sum_;
  if (mode_ == ReduceMode::ordered) add_in_rank_order(under_way.received_, comm_.size());
  if (under_way.full_sum_) {
    const Shards cut{sum.stored.size(), comm_.size()};
    place(under_way.received_,
          sum.stored.numbers().part(cut.first(comm_.rank()), cut.size(comm_.rank())));
    if (mode_ == ReduceMode::exact) sum.state = Sum::State::averaged;
  } else {
    if (mode_ == ReduceMode::exact) {
      keep(under_way.received_.as<double>(), 0, sum);
    } else if (mode_ == ReduceMode::ordered) {
      add_rounded(under_way.received_.numbers().part(0, sum.stored.size()), sum.stored,
                  sum.state == Sum::State::empty);
    } else {
      keep(under_way.received_, sum);
    }
    sum.state = state_after_reduce_scatter();
  }
  trace_.event(sum.unit, "my shard of the sum arrives");
}

/// What has arrived of a full sum to where it belongs, as all_reduce() leaves it there.
void Reductions::place(Buffer& received, Numbers shard) const {
  if (mode_ == ReduceMode::exact) {
    store_average(received.as<double>(), shard);
  } else if (shard.size > 0) {
    std::memcpy(shard.data, received.numbers().data, shard.bytes());
  }
}

Request Reductions::start_all_gather(Numbers full) {
  require_unit(full.size);
  trace_.event(trace_.unit(), "start all-gather of {} elements", full.size);
  return comm_.start_all_gather(full);
}

Sum::State Reductions::state_after_reduce_scatter() const {
  const bool averaged = per_rank_ == 1 && mode_ != ReduceMode::ordered;
  return averaged ? Sum::State::averaged : Sum::State::summing;
}

void Reductions::finish(Sum& sum) {
  if (sum.state == Sum::State::averaged) return;
  if (accumulates(mode_, per_rank_)) {
    store_average(sum.accumulator.as<double>(), sum.stored);
  } else {
    average(sum.stored, sum.stored);
  }
  sum.state = Sum::State::averaged;
}

void Reductions::all_gather(Numbers full) {
  require_unit(full.size);
  comm_.all_gather(full);
  trace_.event(trace_.unit(), "all-gather {} elements", full.size);
}

// Exact: each chunk is widened into one buffer of doubles, summed there by MPI, and rounded to its
// place.

Numbers Reductions::pack(ConstNumbers from, const Chunks& chunks, std::size_t c,
                         Buffer& buffer) const {
  std::size_t filled = 0;
  for (std::size_t r = 0; r < comm_.size(); ++r) {
    const std::size_t size = chunks.size(c, r);
    load_exact(from.part(chunks.first(c, r), size), buffer.as<double>().subspan(filled, size));
    filled += size;
  }
  return buffer.numbers().part(0, filled);
}

void Reductions::exact_all_reduce(ConstNumbers from, Numbers average) {
  const Chunks chunks({from.size, comm_.size()}, chunk_elements_);
  Buffer buffer(ledger_, Category::buffers, NumberType::fp64, chunk(from.size));
  for (std::size_t c = 0; c < chunks.count(); ++c) {
    comm_.all_reduce(pack(from, chunks, c, buffer));
    std::size_t taken = 0;
    for (std::size_t r = 0; r < comm_.size(); ++r) {
      const std::size_t size = chunks.size(c, r);
      store_average(buffer.as<double>().subspan(taken, size),
                    average.part(chunks.first(c, r), size));
      taken += size;
    }
  }
}

void Reductions::exact_reduce_scatter(ConstNumbers full, Sum& shard) {
  const Chunks chunks({full.size, comm_.size()}, chunk_elements_);
  Buffer buffer(ledger_, Category::buffers, NumberType::fp64, chunk(full.size));
  for (std::size_t c = 0; c < chunks.count(); ++c) {
    comm_.reduce_scatter(pack(full, chunks, c, buffer));
    keep(buffer.as<double>().first(chunks.size(c, comm_.rank())), c * chunks.piece, shard);
  }
}

void Reductions::keep(ConstNumbers sums, Sum& shard) const {
  if (per_rank_ == 1) return average(sums, shard.stored);
  add_rounded(sums, shard.stored, shard.state == Sum::State::empty);
}

void Reductions::keep(std::span<double> sums, std::size_t begin, Sum& shard) const {
  if (sums.empty()) return;
  if (!accumulates(mode_, per_rank_)) {
    return store_average(sums, shard.stored.numbers().part(begin, sums.size()));
  }
  const bool first = shard.state == Sum::State::empty;
  double* total = shard.accumulator.as<double>().data() + begin;
  for (std::size_t j = 0; j < sums.size(); ++j) total[j] = sums[j] + (first ? 0.0 : total[j]);
}

// Ordered: each chunk's pieces go to their owner, who adds them in rank order.

void Reductions::ordered_reduce_scatter(ConstNumbers full, Numbers shard, bool first) {
  const Chunks chunks({full.size, comm_.size()}, chunk_elements_);
  Buffer received(ledger_, Category::buffers, full.type,
                  comm_.size() * chunks.size(0, comm_.rank()));
  for (std::size_t c = 0; c < chunks.count(); ++c) {
    const std::size_t size = chunks.size(c, comm_.rank());
    const Numbers pieces = received.numbers().part(0, comm_.size() * size);
    comm_.all_to_all(full, c * chunks.piece, chunks.piece, pieces);
    add_in_rank_order(pieces, comm_.size());
    if (size > 0) add_rounded(pieces.part(0, size), shard.part(c * chunks.piece, size), first);
  }
}

}  // namespace zerolab
