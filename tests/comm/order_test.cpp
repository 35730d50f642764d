// `ordered` and `mpi`: the first equals a loop that adds in rank order, the second what addition in
// the storage type must give; where their bits may differ from exact sums, and where they may not.
#include "ranks.hpp"

namespace zerolab {
namespace {

using Sizes = std::vector<std::size_t>;
constexpr std::array types{NumberType::fp16, NumberType::bf16, NumberType::fp32};
constexpr auto ordered = ReduceMode::ordered;

/// Contribution c: exponents from 2^-26 (subnormal in fp16) to 2^8, signs and zeros.
double moderate(NumberType type, std::size_t index, std::size_t c) {
  const std::uint64_t bits = random_bits(c, index);
  if (index % 16 == 0) return -0.0;
  const double significand = 1 + static_cast<double>(bits >> 41U) * 0x1p-23;
  const double x = std::ldexp(significand, static_cast<int>(bits % 35) - 26);
  return format_of(type).nearest((bits >> 40U) % 2 == 0 ? x : -x);
}

std::vector<Guarded> contributions(const Ranks& ranks, NumberType type, std::size_t size,
                                   std::size_t k) {
  std::vector<Guarded> mine;
  for (std::size_t j = 0; j < k; ++j) {
    std::vector<double> some(size);
    for (std::size_t i = 0; i < size; ++i)
      some[i] = moderate(type, i, j * ranks.size() + ranks.rank());
    mine.emplace_back(type, some);
  }
  return mine;
}

/// What the storage holds after one rounding of an fp32 number.
float rounded(NumberType type, float x) {
  return static_cast<float>(format_of(type).nearest(static_cast<double>(x)));
}

/// Adds in rank order in fp32; `mine_of(rank)` is a contribution.
template <class Contribution>
float in_rank_order(const Ranks& ranks, Contribution mine_of) {
  float sum = mine_of(0);
  for (std::size_t r = 1; r < ranks.size(); ++r) sum += mine_of(r);
  return sum;
}

double divided(NumberType type, float sum, double divisor) {
  return format_of(type).nearest((static_cast<double>(sum) + 0.0) / divisor);
}

TEST(Ordered, AddsInRankOrderAndRoundsOnce) {
  Ranks ranks;
  const double divisor = static_cast<double>(ranks.size()) - 0.25;
  for (const NumberType type : types) {
    for (const std::size_t size : Sizes{0, 1, 3, 7, 1000, 4096, 10'007, 50'000}) {
      std::vector<double> average(size);
      for (std::size_t i = 0; i < size; ++i) {
        const float sum = in_rank_order(
            ranks, [&](std::size_t r) { return static_cast<float>(moderate(type, i, r)); });
        average[i] = divided(type, rounded(type, sum), divisor);
      }
      for (const std::size_t limit : Sizes{ranks.size(), 1000, 1U << 18U}) {
        if (limit < 1000 && size > 1000 && type != NumberType::bf16) continue;  // a call each
        if (limit < 1000 && size > 5000) continue;
        SCOPED_TRACE(fmt::format("{} of {}, chunks of {}", size, name(type), limit));
        ranks.expect({ordered, divisor, limit}, contributions(ranks, type, size, 1),
                     Guarded(type, average));
      }
    }
  }
}

// Two micro-batches are added in the gradient store, in fp32 and rounded: before the ranks in the
// full form, after them in the sharded one.
TEST(Ordered, AddsMicroBatchesInTheStore) {
  Ranks ranks;
  const std::size_t n = ranks.size(), size = 5003;
  const double divisor = static_cast<double>(2 * n);
  for (const NumberType type : types) {
    std::vector<double> before(size), after(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto g = [&](std::size_t c) { return static_cast<float>(moderate(type, i, c)); };
      const float full =
          in_rank_order(ranks, [&](std::size_t r) { return rounded(type, g(r) + g(n + r)); });
      const float first = rounded(type, in_rank_order(ranks, g));
      const float second =
          rounded(type, in_rank_order(ranks, [&](std::size_t r) { return g(n + r); }));
      before[i] = divided(type, rounded(type, full), divisor);
      after[i] = divided(type, rounded(type, first + second), divisor);
    }
    const Way way{ordered, divisor, 1000};
    const auto mine = contributions(ranks, type, size, 2);
    EXPECT_TRUE(same_bits(ranks.all_reduced(way, mine), Guarded(type, before))) << name(type);
    EXPECT_TRUE(same_bits(ranks.reduce_scattered(way, mine), ranks.shard_of(Guarded(type, after))))
        << name(type);
  }
}

/// `large` on one rank, `small` on the others, at element 0.
std::vector<Guarded> one_large(const Ranks& ranks, NumberType type, std::size_t who, double large,
                               double small) {
  return {Guarded(type, std::vector<double>(1, ranks.rank() == who ? large : small))};
}

double first_of(const Buffer& full) {
  return values(full)[0];
}

// 1 + 2^-11 + 2^-11 over 3 ranks: 2^-11 is half a step of fp16 above 1. Exact and ordered sums keep
// both; a sum in the storage type rounds in between and, depending on the library's order, may lose
// them. All ranks see the same.
TEST(Order, HalfStepsInFp16) {
  Ranks ranks;
  if (ranks.size() != 3) GTEST_SKIP() << "for 3 ranks";
  for (std::size_t who = 0; who < 3; ++who) {
    const auto mine = one_large(ranks, NumberType::fp16, who, 1, 0x1p-11);
    const double kept = 1 + 0x1p-10;
    EXPECT_EQ(first_of(ranks.all_reduced({ReduceMode::exact}, mine)), kept);
    EXPECT_EQ(first_of(ranks.all_reduced({ordered}, mine)), kept);
    const double third = format_of(NumberType::fp16).nearest(kept / 3);
    EXPECT_EQ(first_of(ranks.all_reduced({ReduceMode::exact, 3}, mine)), third);
    EXPECT_EQ(first_of(ranks.all_reduced({ordered, 3}, mine)), third);
    const double sum = first_of(ranks.all_reduced({ReduceMode::mpi}, mine));
    EXPECT_TRUE(sum == 1 || sum == kept) << sum;
  }
}

// The same in fp32 with 2^-24: an ordered sum keeps them only if they come before the one.
TEST(Order, HalfStepsInFp32) {
  Ranks ranks;
  const std::size_t n = ranks.size();
  for (std::size_t who = 0; who < n; ++who) {
    const auto mine = one_large(ranks, NumberType::fp32, who, 1, 0x1p-24);
    const auto all = static_cast<double>(n - 1), before = static_cast<double>(who);
    const Format fp32 = format_of(NumberType::fp32);
    EXPECT_EQ(first_of(ranks.all_reduced({ReduceMode::exact}, mine)),
              fp32.nearest(1 + all * 0x1p-24));
    // A single 2^-24 after a sum of 1 + 2^-23 j is a tie: it goes to the even neighbour.
    double sum = fp32.nearest(1 + before * 0x1p-24);
    for (std::size_t r = who + 1; r < n; ++r) sum = fp32.nearest(sum + 0x1p-24);
    EXPECT_EQ(first_of(ranks.all_reduced({ordered}, mine)), sum)
        << "the one is rank " << who << "'s";
  }
}

// 10000 from each rank passes fp16's largest number at 7 ranks: ordered and mpi round the sum
// before they divide it, so it is an overflow, on either way alike.
TEST(Order, OverflowOfTheSumShowsOnEitherWay) {
  Ranks ranks;
  const auto n = static_cast<double>(ranks.size());
  const double average = n * 10'000 < 65'520 ? 10'000 : INFINITY;
  const std::vector<double> mine(9, 10'000), expected(9, average);
  for (const ReduceMode mode : {ordered, ReduceMode::mpi})
    ranks.expect({mode, n}, {Guarded(NumberType::fp16, mine)}, Guarded(NumberType::fp16, expected));
}

// A NaN or an infinity of any rank is not finite at its owner in these modes either.
TEST(Order, NonFiniteReachesTheOwner) {
  Ranks ranks;
  const std::size_t size = 2 * ranks.size() + 1;
  for (const ReduceMode mode : {ordered, ReduceMode::mpi}) {
    for (const NumberType type : types) {
      for (std::size_t bad = 0; bad < size; ++bad) {
        std::vector<double> some(size, 1.0);
        if (ranks.rank() == bad % ranks.size()) some[bad] = bad % 2 == 0 ? NAN : INFINITY;
        const std::vector<Guarded> mine{Guarded(type, some)};
        const auto full = values(ranks.all_reduced({mode}, mine));
        const auto shard = values(ranks.reduce_scattered({mode}, mine));
        const std::size_t first = ranks.cut(size).first(ranks.rank());
        for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(std::isfinite(full[i]), i != bad) << i;
        for (std::size_t i = 0; i < shard.size(); ++i)
          EXPECT_EQ(std::isfinite(shard[i]), first + i != bad) << first + i;
      }
    }
  }
}

// Up to two ranks only one order exists: the sum is rounded once, by either way.
TEST(Mpi, EqualsTheOracleUpToTwoRanks) {
  Ranks ranks;
  if (ranks.size() > 2) GTEST_SKIP() << "more than one order";
  for (const NumberType type : types) {
    for (const std::size_t size : Sizes{1, 3, 1000, 10'007, 50'000}) {
      std::vector<double> average(size);
      for (std::size_t i = 0; i < size; ++i) {
        double sum = moderate(type, i, 0);
        if (ranks.size() == 2) sum += moderate(type, i, 1);
        average[i] = divided(type, static_cast<float>(format_of(type).nearest(sum)), 1.75);
      }
      ranks.expect({ReduceMode::mpi, 1.75}, contributions(ranks, type, size, 1),
                   Guarded(type, average));
    }
  }
}

// Whatever the order: all ranks get the same bits, and an error of at most (N-1) roundings of
// partial sums, none of which exceeds the sum of magnitudes by more than those roundings: (1+u)^7
// < 1.03.
TEST(Mpi, AllRanksGetTheSameBitsWithinTheBoundOfAnyOrder) {
  Ranks ranks;
  const std::size_t n = ranks.size(), size = 10'007;
  for (const NumberType type : types) {
    const auto mine = contributions(ranks, type, size, 1);
    Buffer full = ranks.all_reduced({ReduceMode::mpi}, mine);
    const auto shard = values(ranks.reduce_scattered({ReduceMode::mpi}, mine));
    const auto sums = values(full);
    const std::size_t first = ranks.cut(size).first(ranks.rank());
    const double unit = std::ldexp(1.0, -format_of(type).fraction_bits - 1);
    const double least = type == NumberType::fp16 ? 0x1p-25 : 0;  // half a subnormal step
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 0, magnitudes = 0;
      for (std::size_t r = 0; r < n; ++r) {
        sum += moderate(type, i, r);
        magnitudes += std::abs(moderate(type, i, r));
      }
      const double bound = static_cast<double>(n - 1) * std::max(1.03 * unit * magnitudes, least);
      EXPECT_NEAR(sums[i], sum, bound) << i;
      if (i >= first && i - first < shard.size()) {
        EXPECT_NEAR(shard[i - first], sum, bound) << i;
      }
    }
    Guarded of_rank_0(type, sums);
    MPI_Bcast(of_rank_0.numbers().data, static_cast<int>(of_rank_0.numbers().bytes()), MPI_BYTE, 0,
              MPI_COMM_WORLD);
    EXPECT_TRUE(same_bits(full, of_rank_0)) << name(type);
  }
}

// Every rank's shard to all, through the floor above the communicator.
TEST(Reductions, AllGatherPutsShardsWhereTheyBelong) {
  Ranks ranks;
  for (const ReduceMode mode : {ReduceMode::exact, ordered, ReduceMode::mpi}) {
    for (const std::size_t size : Sizes{1, 7, 1000}) {
      const Guarded whole = contributions(ranks, NumberType::bf16, size, 1).front();
      std::vector<double> all(size);
      for (std::size_t i = 0; i < size; ++i) all[i] = moderate(NumberType::bf16, i, 99);
      const Guarded expected(NumberType::bf16, all);
      Guarded full = whole;
      const ConstNumbers mine = ranks.shard_of(expected);
      std::copy_n(mine.data, mine.bytes(),
                  full.numbers().part(ranks.cut(size).first(ranks.rank()), mine.size).data);
      ranks.reductions({mode, 1, ranks.size()}, 1).all_gather(full.numbers());
      EXPECT_TRUE(same_bits(full, expected)) << size;
      EXPECT_TRUE(full.intact());
    }
  }
}

}  // namespace
}  // namespace zerolab
