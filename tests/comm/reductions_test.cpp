// `exact`: equal bits by either way, for any chunk limit, number of ranks and micro-batches, and
// they are those of an integer sum, divided and rounded once. Its bounds, its buffers, its traffic.
#include "zerolab/comm/reductions.hpp"

#include "ranks.hpp"

namespace zerolab {
namespace {

using Sizes = std::vector<std::size_t>;
constexpr std::array types{NumberType::fp16, NumberType::bf16, NumberType::fp32};
constexpr std::size_t default_limit = std::size_t{1} << 18U;

/// Random contributions over the whole range, of k micro-batches a rank, against the oracle.
void check_exact(Ranks& ranks, NumberType type, std::size_t size, std::size_t k,
                 const Sizes& limits) {
  const std::size_t n = ranks.size();
  const std::uint64_t sixteenths = 16 * n * k - size % 7;  // a short step: no whole number
  std::vector<Guarded> mine(k, Guarded(type, size));
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t pattern = contribution(type, i, j * n + ranks.rank(), n * k);
      std::memcpy(mine[j].numbers().part(i, 1).data, &pattern, width(type));
    }
  }
  const std::size_t first = ranks.cut(size).first(ranks.rank());
  const Guarded shard =
      exact_average(type, first, ranks.cut(size).size(ranks.rank()), n * k, sixteenths);
  Guarded average(type, size);  // each rank works its shard out
  const ConstNumbers worked_out = shard;
  std::copy_n(worked_out.data, worked_out.bytes(),
              average.numbers().part(first, worked_out.size).data);
  ranks.comm.all_gather(average.numbers());
  for (const std::size_t limit : limits) {
    SCOPED_TRACE(
        fmt::format("{} of {}, {} ranks x {}, chunks of {}", size, name(type), n, k, limit));
    ranks.expect({ReduceMode::exact, static_cast<double>(sixteenths) / 16, limit}, mine, average);
  }
}

// Chunks of N elements, one of every shard, are the smallest; each is a call, so larger vectors are
// cut that finely in one type only, and the largest less finely.
TEST(Exact, BothWaysEqualTheIntegerSum) {
  Ranks ranks;
  const std::size_t n = ranks.size();
  for (const NumberType type : types) {
    for (const std::size_t size : Sizes{0, 1, 3, 7, 1000})
      check_exact(ranks, type, size, 1, {n, 1000, default_limit});
    for (const std::size_t size : Sizes{4096, 10'007})
      check_exact(ranks, type, size, 1, {1000, default_limit});
  }
  for (const std::size_t size : Sizes{4096, 10'007})
    check_exact(ranks, NumberType::fp16, size, 1, {n});
  check_exact(ranks, NumberType::bf16, 50'000, 1, {10 * n + n / 2, 1000, default_limit});
  check_exact(ranks, NumberType::fp32, 50'000, 1, {1000, default_limit});
  check_exact(ranks, NumberType::fp32, 300'000, 1, {100 * n + n / 2, 1000, default_limit});
  check_exact(ranks, NumberType::fp16, 300'000, 1, {1000, default_limit});
}

// At 8 ranks the first 5, 6 and 7 of them.
TEST(Exact, OnPartOfTheJob) {
  const Ranks all;
  for (int part = 5; part < static_cast<int>(all.size()); ++part) {
    MPI_Comm some = MPI_COMM_NULL;
    const int rank = static_cast<int>(all.rank());
    MPI_Comm_split(MPI_COMM_WORLD, rank < part ? 0 : MPI_UNDEFINED, rank, &some);
    if (some == MPI_COMM_NULL) continue;
    {
      Ranks ranks(some);
      for (const NumberType type : types) {
        for (const std::size_t size : Sizes{1, 7, 1000, 10'007})
          check_exact(ranks, type, size, 1, {size < 1000 ? ranks.size() : 100, 1000});
      }
    }
    MPI_Comm_free(&some);
  }
}

// Micro-batches of a rank are contributions like those of more ranks: full, added before the
// all-reduce, and sharded, added after each reduce-scatter. 24 / N of them give the same sum for
// every N.
TEST(Exact, MicroBatchesAreLikeMoreRanks) {
  Ranks ranks;
  for (const NumberType type : types) {
    for (const std::size_t k : {std::size_t{2}, std::size_t{4}, 24 / ranks.size()}) {
      for (const std::size_t size : Sizes{1, 7, 1000, 4096})
        check_exact(ranks, type, size, k, {1000, default_limit});
    }
  }
}

/// k micro-batches of ones; this rank's last has `value` at `index` if it is the culprit.
std::vector<Guarded> ones(const Ranks& ranks, NumberType type, std::size_t size, std::size_t k,
                          std::size_t culprit, std::size_t index, double value) {
  std::vector<double> last(size, 1.0);
  std::vector<Guarded> mine(k, Guarded(type, last));
  if (ranks.rank() == culprit) last[index] = value;
  mine.back() = Guarded(type, last);
  return mine;
}

// An infinity, a NaN or a number beyond the range, of any rank, in anyone's shard, is not finite in
// the average of whoever owns the element, by either way; its neighbours are as they were.
TEST(Exact, WhatDoesNotFitBecomesNonFinite) {
  Ranks ranks;
  const std::size_t n = ranks.size(), size = 2 * n + 1;
  const auto check = [&](const Buffer& part, std::size_t first, std::size_t bad) {
    const auto average = values(part);
    for (std::size_t i = 0; i < average.size(); ++i) {
      EXPECT_EQ(std::isfinite(average[i]), first + i != bad) << average[i] << " at " << first + i;
      if (first + i != bad) {
        EXPECT_EQ(average[i], 1.0);
      }
    }
  };
  for (const NumberType type : types) {
    for (const std::size_t k : Sizes{1, 2}) {
      const double range = std::ldexp(1.0, 17 - static_cast<int>(std::bit_width(n * k - 1)));
      std::vector<double> bad{INFINITY, -INFINITY, NAN, -NAN};
      if (type != NumberType::fp16) bad.insert(bad.end(), {range, -range, 1e30});
      for (std::size_t c = 0; c < n * bad.size(); ++c) {
        const std::size_t culprit = c % n, index = c % size;
        const double value = bad[c / n];
        SCOPED_TRACE(fmt::format("{} in {} of rank {} at {}", value, name(type), culprit, index));
        const Way way{ReduceMode::exact, static_cast<double>(n * k), n + 1};
        const auto mine = ones(ranks, type, size, k, culprit, index, value);
        check(ranks.all_reduced(way, mine), 0, index);
        check(ranks.reduce_scattered(way, mine), ranks.cut(size).first(ranks.rank()), index);
      }
    }
  }
}

// Infinities of both signs do not cancel.
TEST(Exact, OppositeInfinitiesStayNonFinite) {
  Ranks ranks;
  const Way way{ReduceMode::exact};
  for (const NumberType type : types) {
    const double sign = ranks.rank() % 2 == 0 ? 1 : -1;
    const std::vector<double> one(3, sign * INFINITY), two(3, -INFINITY);
    const std::vector<Guarded> mine{Guarded(type, one), Guarded(type, two)};
    for (const double average : values(ranks.all_reduced(way, mine)))
      EXPECT_FALSE(std::isfinite(average));
    for (const double average : values(ranks.reduce_scattered(way, mine)))
      EXPECT_FALSE(std::isfinite(average));
  }
}

// The largest numbers in range from everyone add without rounding, so their average is themselves.
TEST(Exact, LargestContributionsFit) {
  Ranks ranks;
  for (const std::size_t k : {std::size_t{1}, (std::size_t{1} << 13U) / ranks.size()}) {
    const std::size_t contributions = ranks.size() * k;
    const double range = std::ldexp(1.0, 17 - static_cast<int>(std::bit_width(contributions - 1)));
    for (const NumberType type : types) {
      const int digits = format_of(type).fraction_bits + 1;
      const double largest = type == NumberType::fp16 ? 65504 : range - std::ldexp(range, -digits);
      const std::vector<double> mine{largest, -largest, largest};
      const Guarded average(type, mine);
      const Way way{ReduceMode::exact, static_cast<double>(contributions)};
      ranks.expect(way, std::vector<Guarded>(k, average), average);
    }
  }
}

// Eight gradients of 10000 sum to 80000, more than fp16 holds; the average is 10000 all the same.
TEST(Exact, SumsBeyondFp16DoNotOverflow) {
  Ranks ranks;
  const std::size_t k = (8 + ranks.size() - 1) / ranks.size();
  const Guarded average(NumberType::fp16, std::vector<double>(9, 10'000));
  const Way way{ReduceMode::exact, static_cast<double>(ranks.size() * k)};
  ranks.expect(way, std::vector<Guarded>(k, average), average);
  if (ranks.size() == 8) ranks.expect(way, {average}, average);
}

// Division comes after the sum: what a division by N beforehand would flush to zero survives. 1e-7
// is 2 steps of 2^-24 in fp16.
TEST(Exact, SmallGradientsSurvive) {
  Ranks ranks;
  for (const NumberType type : types) {
    const Guarded average(type, std::vector<double>(9, 1e-7));
    const Way way{ReduceMode::exact, static_cast<double>(ranks.size())};
    const auto result = values(ranks.all_reduced(way, {average}));
    for (const double value : result) EXPECT_NEAR(value, 1e-7, 2.5e-8) << name(type);
    EXPECT_TRUE(same_bits(ranks.reduce_scattered(way, {average}),
                          ranks.shard_of(ranks.all_reduced(way, {average}))));
  }
  const Guarded smallest(NumberType::fp16, std::vector<double>(9, 0x1p-24));
  ranks.expect({ReduceMode::exact, static_cast<double>(ranks.size())}, {smallest}, smallest);
}

// The division is a division: d (2 - 2^-24) divided by d is a tie of fp32, which goes to the even
// neighbour, 2; d (2 - 3 · 2^-24) goes to 2 - 2^-22. Products with 1 / d miss the tie for some d.
TEST(Exact, DividesWithOneRounding) {
  Ranks ranks;
  for (double d = 1; d <= 100; ++d) {
    const double mine = ranks.rank() == 0 ? d : 0;
    const auto average = [&](double half_steps) {
      const std::vector<double> large(1, 2 * mine), small(1, -half_steps * 0x1p-24 * mine);
      const std::vector<Guarded> parts{Guarded(NumberType::fp32, large),
                                       Guarded(NumberType::fp32, small)};
      return values(ranks.all_reduced({ReduceMode::exact, d}, parts))[0];
    };
    EXPECT_EQ(average(1), 2) << d;
    EXPECT_EQ(average(3), 2 - 0x1p-22) << d;
  }
}

// What is exactly zero is +0, for every sign of the contributions; below zero it rounds to -0.
TEST(Exact, ZeroSumsArePositive) {
  Ranks ranks;
  for (const NumberType type : types) {
    const double sign = ranks.rank() % 2 == 0 ? 1 : -1;
    const double pair = ranks.rank() + 1 == ranks.size() && ranks.size() % 2 == 1 ? 0 : sign;
    const std::vector<double> mine{-0.0, 0.0, sign * 0.0, pair * 3.0}, zeros(4, 0.0);
    for (const std::size_t k : Sizes{1, 3})
      ranks.expect({ReduceMode::exact}, std::vector<Guarded>(k, Guarded(type, mine)),
                   Guarded(type, zeros));
  }
  const std::vector<double> tiny(3, ranks.rank() == 0 ? -0x1p-24 : 0.0), negative(3, -0.0);
  ranks.expect({ReduceMode::exact, 4}, {Guarded(NumberType::fp16, tiny)},
               Guarded(NumberType::fp16, negative));
}

TEST(Exact, RefusesMoreContributionsThanADoubleHolds) {
  Ranks ranks;
  const std::size_t most = (std::size_t{1} << 13U) / ranks.size();
  EXPECT_NO_THROW(ranks.reductions({ReduceMode::exact}, most));
  EXPECT_THROW(ranks.reductions({ReduceMode::exact}, most + 1), Error);
  EXPECT_NO_THROW(ranks.reductions({ReduceMode::ordered}, most + 1));
  EXPECT_NO_THROW(ranks.reductions({ReduceMode::mpi}, most + 1));
}

TEST(Reductions, RefuseChunksThatCannotServeEveryRank) {
  Ranks ranks;
  for (const ReduceMode mode : {ReduceMode::exact, ReduceMode::ordered, ReduceMode::mpi}) {
    EXPECT_NO_THROW(ranks.reductions({mode, 1, ranks.size()}, 1));
    EXPECT_THROW(ranks.reductions({mode, 1, ranks.size() - 1}, 1), Error);
  }
}

// What is held beside the operands at most: a chunk of doubles under exact, the received pieces
// under ordered, nothing under mpi; and nothing afterwards.
TEST(Reductions, BuffersAsInTheCostModel) {
  for (const std::size_t size : Sizes{0, 1, 7, 503, 5003}) {
    for (const std::size_t limit : Sizes{size < 1000 ? 8U : 1003U, default_limit}) {
      Ranks ranks;
      const std::size_t n = ranks.size();
      const std::vector<Guarded> mine{Guarded(NumberType::fp16, std::vector<double>(size, 1.0))};
      const auto peak = [&](ReduceMode mode, bool scatter) {
        ranks.ledger.restart_peaks();
        const Way way{mode, 1, limit};
        scatter ? ranks.reduce_scattered(way, mine) : ranks.all_reduced(way, mine);
        EXPECT_EQ(ranks.ledger.total().now, 0U);
        return ranks.ledger.line(Category::buffers).peak;
      };
      const std::size_t piece = size <= limit ? ranks.cut(size).size(ranks.rank()) : limit / n;
      const std::size_t pieces = std::min(piece, ranks.cut(size).size(ranks.rank()));
      for (const bool scatter : {false, true}) {
        EXPECT_EQ(peak(ReduceMode::exact, scatter), 8 * std::min(limit, size)) << size;
        EXPECT_EQ(peak(ReduceMode::ordered, scatter), 2 * n * pieces) << size << '/' << limit;
        EXPECT_EQ(peak(ReduceMode::mpi, scatter), 0U);
      }
    }
  }
}

/// Elements, payload and ring bytes of one line over all ranks.
std::array<std::uint64_t, 3> over_ranks(const Ranks& ranks, Collective collective) {
  const Traffic& line = ranks.comm.ledger().line(collective);
  std::array<std::uint64_t, 3> sums{line.elements, line.payload_bytes, line.ring_bytes};
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sums;
}

// Chunks of any size add up to the whole: NΦ elements handed over by the ranks together, and a
// ring's (N-1)Φ each way, times 8 bytes under exact and the storage width otherwise.
TEST(Reductions, TrafficInClosedForm) {
  Ranks ranks;
  const std::size_t n = ranks.size();
  using Totals = std::array<std::uint64_t, 3>;
  const Totals nothing{};
  for (const NumberType type : types) {
    for (const std::size_t size : Sizes{0, 1, 7, 503, 5003}) {
      for (const std::size_t limit : Sizes{size < 1000 ? 8U : 1003U, default_limit}) {
        SCOPED_TRACE(fmt::format("{} of {} in chunks of {}", size, name(type), limit));
        const std::vector<Guarded> mine{Guarded(type, std::vector<double>(size, 1.0))};
        const auto once = [&](std::size_t w) {
          return Totals{n * size, n * size * w, (n - 1) * size * w};
        };
        const auto twice = [&](std::size_t w) {
          return Totals{n * size, n * size * w, 2 * (n - 1) * size * w};
        };
        const auto check = [&](ReduceMode mode, bool scatter, const std::array<Totals, 4>& lines) {
          ranks.comm.restart_ledger();
          const Way way{mode, 1, limit};
          scatter ? ranks.reduce_scattered(way, mine) : ranks.all_reduced(way, mine);
          for (std::size_t c = 0; c < lines.size(); ++c) {
            const auto collective = static_cast<Collective>(c);
            EXPECT_EQ(over_ranks(ranks, collective), lines[c]) << name(collective);
          }
        };
        const std::size_t w =
            width(type);  // lines: all-reduce, reduce-scatter, all-gather, all-to-all
        check(ReduceMode::exact, false, {twice(8), nothing, nothing, nothing});
        check(ReduceMode::exact, true, {nothing, once(8), nothing, nothing});
        check(ReduceMode::ordered, false, {nothing, nothing, once(w), once(w)});
        check(ReduceMode::ordered, true, {nothing, nothing, nothing, once(w)});
        check(ReduceMode::mpi, false, {twice(w), nothing, nothing, nothing});
        check(ReduceMode::mpi, true, {nothing, once(w), nothing, nothing});
      }
    }
  }
}

// One call for each started chunk of the longest shard, as many on every rank.
TEST(Reductions, CallsCountChunks) {
  Ranks ranks;
  const std::size_t n = ranks.size(), size = 1001, limit = 100;
  const std::size_t piece = limit / n, chunks = (ranks.cut(size).size(0) + piece - 1) / piece;
  const std::vector<Guarded> mine{Guarded(NumberType::fp16, std::vector<double>(size, 1.0))};
  ranks.all_reduced({ReduceMode::exact, 1, limit}, mine);
  ranks.reduce_scattered({ReduceMode::ordered, 1, limit}, mine);
  EXPECT_EQ(ranks.comm.ledger().line(Collective::all_reduce).calls, chunks);
  EXPECT_EQ(ranks.comm.ledger().line(Collective::all_to_all).calls, chunks);
}

}  // namespace
}  // namespace zerolab
