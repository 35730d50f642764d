// Every collective against a plain loop, between guards, with empty shards among them; the ledger
// against the closed forms of a ring.
#include "zerolab/comm/communicator.hpp"

#include <climits>
#include <ctime>
#include <string>

#include "oracle.hpp"

namespace zerolab {
namespace {

constexpr std::array floats{NumberType::fp16, NumberType::bf16, NumberType::fp32, NumberType::fp64};
constexpr std::array types{NumberType::fp16, NumberType::bf16,  NumberType::fp32,
                           NumberType::fp64, NumberType::uint8, NumberType::int32};

/// Elements that dealing gives to a rank, one by one: the ragged cut, said differently.
std::size_t dealt(std::size_t elements, std::size_t rank, std::size_t ranks) {
  std::size_t mine = 0;
  for (std::size_t i = rank; i < elements; i += ranks) ++mine;
  return mine;
}

std::size_t first_of(std::size_t elements, std::size_t rank, std::size_t ranks) {
  std::size_t before = 0;
  for (std::size_t r = 0; r < rank; ++r) before += dealt(elements, r, ranks);
  return before;
}

/// Sizes with no, one and some shards empty, even and ragged ones, and more than one block.
std::vector<std::size_t> sizes(std::size_t ranks) {
  return {0, 1, 2, ranks - 1, ranks, ranks + 1, 3 * ranks - 1, 1000, 4099};
}

/// A small integer of (rank, index): sums over 8 ranks are exact in every type, bf16 included.
double small(std::size_t rank, std::size_t index) {
  return static_cast<double>(random_bits(rank, index) % 9) - 4;
}

Guarded small_numbers(NumberType type, std::size_t size, std::size_t rank) {
  std::vector<double> mine(size);
  for (std::size_t i = 0; i < size; ++i) mine[i] = small(rank, i);
  return {type, mine};
}

double sum_of_small(std::size_t ranks, std::size_t index) {
  double sum = 0;
  for (std::size_t r = 0; r < ranks; ++r) sum += small(r, index);
  return sum;
}

/// Any bytes, other ones for each rank.
void fill_bytes(Numbers numbers, std::size_t rank) {
  for (std::size_t b = 0; b < numbers.bytes(); ++b)
    numbers.data[b] = static_cast<std::byte>(random_bits(rank, b));
}

void check_sums(Communicator& comm) {
  for (const NumberType type : floats) {
    for (const std::size_t size : sizes(comm.size())) {
      SCOPED_TRACE(fmt::format("{} elements of {} on {} ranks", size, name(type), comm.size()));
      Guarded full = small_numbers(type, size, comm.rank());
      comm.all_reduce(full.numbers());
      EXPECT_TRUE(full.intact());
      const auto sums = values(full);
      for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(sums[i], sum_of_small(comm.size(), i)) << i;

      Guarded scattered = small_numbers(type, size, comm.rank());
      comm.reduce_scatter(scattered.numbers());
      EXPECT_TRUE(scattered.intact());
      const auto shard = values(scattered);
      const std::size_t first = first_of(size, comm.rank(), comm.size());
      for (std::size_t i = 0; i < dealt(size, comm.rank(), comm.size()); ++i)
        EXPECT_EQ(shard[i], sum_of_small(comm.size(), first + i)) << i;
    }
  }
}

void check_all_gather(Communicator& comm) {
  for (const NumberType type : types) {
    for (const std::size_t size : sizes(comm.size())) {
      SCOPED_TRACE(fmt::format("{} elements of {} on {} ranks", size, name(type), comm.size()));
      Guarded full(type, size), whole(type, size);
      fill_bytes(whole.numbers(), 77);
      const std::size_t first = first_of(size, comm.rank(), comm.size());
      const std::size_t mine = dealt(size, comm.rank(), comm.size());
      std::copy_n(whole.numbers().part(first, mine).data, mine * width(type),
                  full.numbers().part(first, mine).data);
      comm.all_gather(full.numbers());
      EXPECT_TRUE(full.intact());
      EXPECT_TRUE(std::ranges::equal(std::span(full.numbers().data, full.numbers().bytes()),
                                     std::span(whole.numbers().data, whole.numbers().bytes())));
    }
  }
}

/// Elements [begin, begin + count) of every shard to its owner; where shards end earlier, less.
void check_all_to_all(Communicator& comm, NumberType type, std::size_t size, std::size_t begin,
                      std::size_t count) {
  SCOPED_TRACE(fmt::format("[{}, +{}) of {} elements of {}", begin, count, size, name(type)));
  const std::size_t shard = dealt(size, comm.rank(), comm.size());
  const std::size_t mine = begin >= shard ? 0 : std::min(count, shard - begin);
  Guarded full(type, size), sent(type, size), received(type, comm.size() * mine);
  fill_bytes(full.numbers(), comm.rank());
  fill_bytes(sent.numbers(), comm.rank());
  comm.all_to_all(full, begin, count, received.numbers());
  EXPECT_TRUE(received.intact());
  EXPECT_TRUE(std::ranges::equal(std::span(full.numbers().data, full.numbers().bytes()),
                                 std::span(sent.numbers().data, sent.numbers().bytes())));
  const std::size_t first = first_of(size, comm.rank(), comm.size()) + begin;
  for (std::size_t r = 0; r < comm.size(); ++r) {
    Guarded theirs(type, size);
    fill_bytes(theirs.numbers(), r);
    const std::size_t bytes = mine * width(type);
    EXPECT_EQ(std::memcmp(received.numbers().data + r * bytes,
                          theirs.numbers().data + first * width(type), bytes),
              0)
        << "from rank " << r;
  }
}

void check_collectives(Communicator& comm) {
  check_sums(comm);
  check_all_gather(comm);
  for (const NumberType type : types) {
    for (const std::size_t size : sizes(comm.size())) {
      const std::size_t longest = dealt(size, 0, comm.size());
      check_all_to_all(comm, type, size, 0, longest);
      check_all_to_all(comm, type, size, longest / 2, longest);
      check_all_to_all(comm, type, size, longest == 0 ? 0 : longest - 1, 1);  // often none for some
    }
  }
}

TEST(Communicator, CollectivesEqualPlainLoops) {
  Communicator comm(MPI_COMM_WORLD);
  check_collectives(comm);
}

// Rank and size are those of the communicator it was given: in reverse order, and at 8 ranks the
// first 5, 6 and 7 of them.
TEST(Communicator, WorksOnPartOfTheJob) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int part = ranks == 8 ? 5 : ranks; part <= ranks; ++part) {
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < part ? 0 : MPI_UNDEFINED, -rank, &some);
    if (some == MPI_COMM_NULL) continue;
    {
      Communicator comm(some);
      EXPECT_EQ(comm.size(), static_cast<std::size_t>(part));
      EXPECT_EQ(comm.rank(), static_cast<std::size_t>(part - 1 - rank));
      check_collectives(comm);
    }
    MPI_Comm_free(&some);
  }
}

// Nothing to send at all, and no memory behind it.
TEST(Communicator, EmptyVectorsWithoutMemory) {
  Communicator comm(MPI_COMM_WORLD);
  for (const NumberType type : floats) {
    const Numbers none{type, nullptr, 0};
    comm.all_reduce(none);
    comm.reduce_scatter(none);
    comm.all_gather(none);
    comm.all_to_all(none, 0, 5, none);
  }
  EXPECT_EQ(comm.ledger().line(Collective::all_reduce).calls, 4U);
  EXPECT_EQ(comm.ledger().line(Collective::all_to_all).elements, 0U);
}

/// Any number of the type but a NaN or -inf.
double any_number(NumberType type, std::uint64_t bits) {
  Guarded one(type, 1);
  std::memcpy(one.numbers().data, &bits, width(type));
  const double value = values(one)[0];
  return std::isfinite(value) ? value : INFINITY;
}

// A sum of two numbers is rounded once to the storage type, as if the bits had never been integers:
// exponents far apart, and near each other with either sign. Pairs of ranks in turn; the others
// hold -0, which changes nothing, whatever the order.
TEST(Communicator, TwoNumbersAreAddedWithOneRounding) {
  Communicator comm(MPI_COMM_WORLD);
  constexpr std::size_t size = 3000;
  const Shards cut{size, comm.size()};
  for (const NumberType type : {NumberType::fp16, NumberType::bf16, NumberType::fp32}) {
    for (std::size_t p = 0; p + 1 < comm.size(); ++p) {
      const std::size_t q = p + 1 + random_bits(5, p) % (comm.size() - p - 1);
      SCOPED_TRACE(fmt::format("{} of ranks {} and {}", name(type), p, q));
      std::vector<double> mine(size, -0.0), sums(size);
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t bits = random_bits(p, i);
        const std::uint64_t near =
            bits ^ (random_bits(q, i) & (type == NumberType::fp32 ? 0x807F'FFFFU : 0x80FFU));
        const double a = any_number(type, bits);
        const double b = any_number(type, i % 2 == 0 ? near : random_bits(q, i));
        if (comm.rank() == p) mine[i] = a;
        if (comm.rank() == q) mine[i] = b;
        sums[i] = format_of(type).nearest(a + b);
      }
      Guarded reduced(type, mine), scattered(type, mine);
      const Guarded expected(type, sums);
      comm.all_reduce(reduced.numbers());
      EXPECT_TRUE(same_bits(reduced, expected));
      comm.reduce_scatter(scattered.numbers());
      const std::size_t first = cut.first(comm.rank()), shard = cut.size(comm.rank());
      EXPECT_TRUE(
          same_bits(scattered.numbers().part(0, shard), ConstNumbers(expected).part(first, shard)));
    }
  }
}

TEST(Communicator, WordsAddModulo2To64AndCompareUnsigned) {
  Communicator comm(MPI_COMM_WORLD);
  const std::uint64_t ranks = comm.size();
  std::array<std::uint64_t, 3> words{UINT64_MAX, comm.rank(), std::uint64_t{1} << 63U};
  comm.sum(words);
  EXPECT_EQ(words[0], UINT64_MAX - ranks + 1);  // -1 from each
  EXPECT_EQ(words[1], ranks * (ranks - 1) / 2);
  EXPECT_EQ(words[2], ranks % 2 == 0 ? 0 : std::uint64_t{1} << 63U);
  for (std::size_t top = 0; top < comm.size(); ++top) {
    EXPECT_EQ(comm.maximum(comm.rank() == top ? UINT64_MAX - 1 : comm.rank()), UINT64_MAX - 1);
    EXPECT_EQ(comm.maximum(0), 0U);
  }
}

TEST(Communicator, WordsAreJoinedByExclusiveOr) {
  Communicator comm(MPI_COMM_WORLD);
  std::array<std::uint32_t, 5> words{}, wanted{};
  for (std::size_t r = 0; r < comm.size(); ++r) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto word = static_cast<std::uint32_t>(random_bits(r, i));
      wanted[i] ^= word;
      if (r == comm.rank()) words[i] = word;
    }
  }
  comm.exclusive_or(words);
  EXPECT_EQ(words, wanted);
}

// Texts of any length and any bytes; each rank in turn has none (a count of 0 in every place), and
// then all but one.
TEST(Communicator, GathersTexts) {
  Communicator comm(MPI_COMM_WORLD);
  const auto text_of = [](std::size_t rank) {
    return std::string(1 + 3 * rank, 'a') + '\0' + std::to_string(rank);
  };
  for (const bool others : {true, false}) {
    for (std::size_t odd = 0; odd < comm.size(); ++odd) {
      const auto has = [&](std::size_t rank) { return (rank != odd) == others; };
      const auto texts = comm.gather(has(comm.rank()) ? text_of(comm.rank()) : "");
      EXPECT_EQ(texts.size(), comm.rank() == 0 ? comm.size() : 0);
      for (std::size_t r = 0; r < texts.size(); ++r)
        EXPECT_EQ(texts[r], has(r) ? text_of(r) : "") << "of rank " << r;
    }
  }
}

TEST(Communicator, BroadcastsFromEveryRoot) {
  Communicator comm(MPI_COMM_WORLD);
  for (std::size_t root = 0; root < comm.size(); ++root) {
    for (const std::string& text :
         {std::string("one\0two", 7), std::string(), std::string(5000, 'x')})
      EXPECT_EQ(comm.broadcast(comm.rank() == root ? text : "replaced", root), text) << root;
  }
}

// Nobody leaves before the last one comes: times of one machine's clock.
TEST(Communicator, BarrierHoldsEveryoneBack) {
  Communicator comm(MPI_COMM_WORLD);
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
  };
  for (std::size_t late = 0; late < comm.size(); ++late) {
    const timespec pause{0, 5'000'000};
    if (comm.rank() == late) nanosleep(&pause, nullptr);
    const std::uint64_t came = now();
    comm.barrier();
    const std::uint64_t left = now();
    EXPECT_GE(left, comm.maximum(came)) << "rank " << late << " came late";
  }
}

// Counts that MPI cannot say are refused before any message; the memory is not even there.
TEST(Communicator, RefusesCountsAboveIntMax) {
  Communicator comm(MPI_COMM_WORLD);
  const std::size_t too_many = (std::size_t{INT_MAX} + 1) * comm.size();
  const Numbers full{NumberType::fp16, nullptr, too_many};
  EXPECT_THROW(comm.all_reduce(full), Error);
  EXPECT_THROW(comm.reduce_scatter(full), Error);
  EXPECT_THROW(comm.all_gather(full), Error);
  EXPECT_THROW(comm.all_to_all(full, 0, too_many, full), Error);
  for (const Traffic& line : comm.ledger().table()) EXPECT_EQ(line, Traffic{});
}

// The ledger.

std::size_t over_ranks(std::size_t mine) {
  std::uint64_t sum = mine;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// One call of one collective, all lines of the ledger looked at. `rings`: how often the ring
/// carries the vector, over all ranks (N-1) times each.
void check_line(Communicator& comm, Collective collective, const Traffic& expected,
                std::size_t rings) {
  for (std::size_t c = 0; c < collectives; ++c) {
    const auto other = static_cast<Collective>(c);
    const Traffic& line = comm.ledger().line(other);
    const Traffic hoped = other == collective ? expected : Traffic{};
    EXPECT_EQ(line.calls, hoped.calls) << name(other);
    EXPECT_EQ(line.elements, hoped.elements) << name(other);
    EXPECT_EQ(line.payload_bytes, hoped.payload_bytes) << name(other);
    EXPECT_EQ(line.ring_bytes, hoped.ring_bytes) << name(other);
  }
  EXPECT_EQ(over_ranks(comm.ledger().line(collective).ring_bytes),
            rings * (comm.size() - 1) * expected.payload_bytes);
  if (comm.size() == 1) {
    EXPECT_EQ(comm.ledger().line(collective).ring_bytes, 0U);
  }
  comm.restart_ledger();
}

// Elements, payload and ring bytes of each collective: of a unit of Φ elements, cut into shards
// s_r, a ring's reduce-scatter sends Φ - s_r from rank r, its all-gather Φ - s_(r+1), an all-reduce
// both.
TEST(TrafficLedger, CountsARing) {
  Communicator comm(MPI_COMM_WORLD);
  const std::size_t next = (comm.rank() + 1) % comm.size();
  for (const NumberType type : floats) {
    for (const std::size_t size : sizes(comm.size())) {
      SCOPED_TRACE(fmt::format("{} elements of {}", size, name(type)));
      const std::size_t w = width(type), mine = dealt(size, comm.rank(), comm.size());
      const std::size_t scatter = size - mine, gather = size - dealt(size, next, comm.size());
      Guarded full = small_numbers(type, size, comm.rank());
      Guarded received(type, comm.size() * mine);
      comm.restart_ledger();
      comm.all_reduce(full.numbers());
      check_line(comm, Collective::all_reduce, {1, size, size * w, (scatter + gather) * w}, 2);
      comm.reduce_scatter(full.numbers());
      check_line(comm, Collective::reduce_scatter, {1, size, size * w, scatter * w}, 1);
      comm.all_gather(full.numbers());
      check_line(comm, Collective::all_gather, {1, size, size * w, gather * w}, 1);
      comm.all_to_all(full, 0, size, received.numbers());
      check_line(comm, Collective::all_to_all, {1, size, size * w, scatter * w}, 1);
    }
  }
}

// What is started brings what the blocking calls do, and counts as they do.
TEST(TrafficLedger, CountsWhatIsStarted) {
  Communicator comm(MPI_COMM_WORLD);
  const std::size_t next = (comm.rank() + 1) % comm.size();
  for (const NumberType type : floats) {
    for (const std::size_t size : sizes(comm.size())) {
      SCOPED_TRACE(fmt::format("{} elements of {}", size, name(type)));
      const std::size_t w = width(type), mine = dealt(size, comm.rank(), comm.size());
      const std::size_t first = first_of(size, comm.rank(), comm.size());
      const std::size_t scatter = size - mine, gather = size - dealt(size, next, comm.size());
      const Guarded full = small_numbers(type, size, comm.rank());
      Guarded shard(type, mine), whole(type, size), received(type, comm.size() * mine);
      comm.restart_ledger();
      comm.start_reduce_scatter(full, shard.numbers()).wait();
      check_line(comm, Collective::reduce_scatter, {1, size, size * w, scatter * w}, 1);
      const auto sums = values(shard);
      for (std::size_t i = 0; i < mine; ++i)
        EXPECT_EQ(sums[i], sum_of_small(comm.size(), first + i)) << i;

      std::copy_n(shard.numbers().data, mine * w, whole.numbers().part(first, mine).data);
      comm.start_all_gather(whole.numbers()).wait();
      check_line(comm, Collective::all_gather, {1, size, size * w, gather * w}, 1);
      const auto gathered = values(whole);
      for (std::size_t i = 0; i < size; ++i)
        EXPECT_EQ(gathered[i], sum_of_small(comm.size(), i)) << i;

      comm.start_all_to_all(full, received.numbers()).wait();
      check_line(comm, Collective::all_to_all, {1, size, size * w, scatter * w}, 1);
      const auto pieces = values(received);
      for (std::size_t i = 0; i < pieces.size(); ++i)
        EXPECT_EQ(pieces[i], small(i / mine, first + i % mine)) << i;
      EXPECT_TRUE(shard.intact() && whole.intact() && received.intact());
    }
  }
}

// An all-to-all in pieces counts together what it counts at once.
TEST(TrafficLedger, PiecesAddUp) {
  Communicator comm(MPI_COMM_WORLD);
  const std::size_t size = 10 * comm.size() + comm.size() / 2;
  const std::size_t mine = dealt(size, comm.rank(), comm.size());
  Guarded full = small_numbers(NumberType::fp16, size, 0);
  Guarded received(NumberType::fp16, comm.size() * 3);
  for (std::size_t begin = 0; begin < 12; begin += 3)
    comm.all_to_all(full, begin, 3, received.numbers());
  check_line(comm, Collective::all_to_all, {4, size, 2 * size, 2 * (size - mine)}, 1);
}

TEST(TrafficLedger, KeepsScalarsApart) {
  Communicator comm(MPI_COMM_WORLD);
  std::array<std::uint64_t, 7> words{};
  const std::size_t next = (comm.rank() + 1) % comm.size();
  const auto ring = [&](std::size_t n) {
    return 8 * (2 * n - dealt(n, comm.rank(), comm.size()) - dealt(n, next, comm.size()));
  };
  comm.sum(words);
  check_line(comm, Collective::scalars, {1, 7, 56, ring(7)}, 2);
  comm.maximum(3);
  check_line(comm, Collective::scalars, {1, 1, 8, ring(1)}, 2);
}

// What happens outside training is entered under other, also when scopes are nested; afterwards
// training counts again. Texts always belong there.
TEST(TrafficLedger, KeepsWhatIsOutsideTrainingApart) {
  Communicator comm(MPI_COMM_WORLD);
  Guarded full = small_numbers(NumberType::fp32, 10, 0);
  std::uint64_t word = 1;
  {
    const auto outside = comm.outside_training();
    { const auto nested = comm.outside_training(); }
    comm.all_reduce(full.numbers());
    comm.reduce_scatter(full.numbers());
    comm.all_gather(full.numbers());
    comm.sum(std::span(&word, 1));
    comm.maximum(1);
  }
  const auto calls = [&](Collective c) { return comm.ledger().line(c).calls; };
  EXPECT_EQ(calls(Collective::other), 5U);
  EXPECT_EQ(comm.ledger().line(Collective::other).elements, 32U);
  EXPECT_EQ(comm.ledger().line(Collective::other).payload_bytes, 136U);
  for (const Collective c : {Collective::all_reduce, Collective::reduce_scatter,
                             Collective::all_gather, Collective::scalars})
    EXPECT_EQ(calls(c), 0U) << name(c);
  comm.all_gather(full.numbers());
  comm.maximum(1);
  EXPECT_EQ(calls(Collective::all_gather), 1U);
  EXPECT_EQ(calls(Collective::scalars), 1U);
  EXPECT_EQ(calls(Collective::other), 5U);
  comm.gather("text");
  comm.broadcast("text", 0);
  EXPECT_GT(calls(Collective::other), 5U);
  EXPECT_EQ(calls(Collective::all_gather), 1U);
}

TEST(TrafficLedger, AddsAndMultiplies) {
  Traffic traffic{1, 2, 3, 4};
  traffic += Traffic{10, 20, 30, 40} * 2;
  EXPECT_EQ(traffic, (Traffic{21, 42, 63, 84}));
  EXPECT_EQ(name(Collective::all_reduce), "allreduce");
  EXPECT_EQ(name(Collective::other), "other");
}

}  // namespace
}  // namespace zerolab
