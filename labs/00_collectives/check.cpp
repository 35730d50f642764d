#include "check.hpp"

#include <bit>

#include "values.hpp"

namespace {

using lab::Call;
using lab::Check;
using values::Ran;
using values::Student;
using zerolab::Shards;

const Student reduce_scatter{"reduce_scatter", student::reduce_scatter};
const Student all_gather{"all_gather", student::all_gather};
const Student all_reduce{"all_reduce", student::all_reduce};
const Student by_doubling{"all_reduce_by_doubling",
                          student::all_reduce_by_doubling,
                          {"MPI_Sendrecv", "MPI_Send", "MPI_Recv"}};

void reduce_scattered(Check& check, std::size_t elements) {
  const Ran ran = run(check, reduce_scatter, values::own_values(check, elements));
  const Shards cut{elements, check.ranks()};
  sums(check, ran, reduce_scatter.name, cut.first(check.rank()), cut.size(check.rank()));
}

/// Element j of rank r's shard is 100(r+1) + j mod 100; where a shard is not one's own, −1 before.
void gathered(Check& check, std::size_t elements) {
  const Shards cut{elements, check.ranks()};
  const auto value = [&](std::size_t i) {
    const std::size_t owner = cut.owner(i);
    return static_cast<double>(100 * (owner + 1) + (i - cut.first(owner)) % 100);
  };
  std::vector<double> before(elements, -1);
  for (std::size_t i = 0; i < elements; ++i) {
    if (cut.owner(i) == check.rank()) before[i] = value(i);
  }
  const Ran ran = run(check, all_gather, before);
  for (std::size_t i = 0; i < elements; ++i) {
    const double got = ran.full[i];
    check.expect(got == value(i),
                 "all_gather of {} elements: element {}, in rank {}'s shard: expected {}, got {}{}",
                 elements, i, cut.owner(i), value(i), got,
                 got == -1 ? ": nothing arrived there" : "");
  }
}

void all_reduced(Check& check, std::size_t elements) {
  sums(check, run(check, all_reduce, values::own_values(check, elements)), all_reduce.name, 0,
       elements);
}

void ragged(Check& check) {
  for (const std::size_t elements : std::array<std::size_t, 5>{7, 2, 1, 0, 101}) {
    reduce_scattered(check, elements);
    gathered(check, elements);
    all_reduced(check, elements);
  }
}

/// This rank was to send so many elements; counted by the check's meter, and by the function.
void sent(Check& check, const Student& student, const Ran& ran, std::size_t elements) {
  const std::size_t counted = ran.bytes_sent();
  check.equal(
      elements * sizeof(double), counted,
      fmt::format("{} of {} elements, bytes this rank sent", student.name, ran.full.size()));
  check.expect(ran.returned == counted,
               "{} of {} elements returns {}, and MPI was handed {} bytes to send{}", student.name,
               ran.full.size(), ran.returned, counted,
               ran.returned * sizeof(double) == counted ? ": those are elements, not bytes" : "");
}

/// So many steps, each to the next rank. Messages of empty shards may be left out.
void ring(Check& check, const Student& student, std::size_t elements, std::size_t steps,
          std::size_t to_send) {
  const Ran ran = run(check, student, values::own_values(check, elements));
  const std::size_t next = (check.rank() + 1) % check.ranks();
  for (const Call& call : ran.calls) {
    check.expect(call.bytes == 0 || static_cast<std::size_t>(call.peer) == next,
                 "{} sends to rank {}; the next in the ring is rank {}", student.name, call.peer,
                 next);
  }
  const std::size_t got = ran.calls.size();
  check.expect(got == steps || (got < steps && elements < check.ranks()),
               "{} on {} ranks: expected {} calls of MPI_Sendrecv, got {}", student.name,
               check.ranks(), steps, got);
  sent(check, student, ran, to_send);
}

void ring_bytes(Check& check) {
  const std::size_t n = check.ranks(), next = (check.rank() + 1) % n;
  for (const std::size_t elements : {2 * n, std::size_t{7}, std::size_t{2}, std::size_t{0}}) {
    const Shards cut{elements, n};
    const std::size_t scatter = elements - cut.size(check.rank());
    const std::size_t gather = elements - cut.size(next);
    ring(check, reduce_scatter, elements, n - 1, scatter);
    ring(check, all_gather, elements, n - 1, gather);
    ring(check, all_reduce, elements, 2 * (n - 1), scatter + gather);
  }
}

void doubling(Check& check) {
  const std::size_t n = check.ranks(), powers = std::bit_floor(n);
  const bool folded = check.rank() >= powers, has_extra = check.rank() + powers < n;
  const std::size_t messages = folded ? 1 : std::bit_width(n) - 1 + (has_extra ? 1 : 0);
  for (const std::size_t elements : std::array<std::size_t, 4>{1, 7, 0, 20'001}) {
    const Ran ran = run(check, by_doubling, values::own_values(check, elements));
    sums(check, ran, by_doubling.name, 0, elements);
    const auto got = static_cast<std::size_t>(std::count_if(
        ran.calls.begin(), ran.calls.end(), [](const Call& call) { return call.bytes > 0; }));
    check.expect(elements == 0 || got == messages,
                 "{} on {} ranks: expected {} messages from this rank, got {}", by_doubling.name, n,
                 messages, got);
    sent(check, by_doubling, ran, messages * elements);
  }
}

struct Choice {
  std::size_t elements, ranks, latency_bytes, rounds;  // rounds: messages one after the other
  bool ring;
};

void choices(Check& check) {
  constexpr std::size_t million = 1'000'000;
  constexpr std::array cases{Choice{1, 4, 100, 2, false},     Choice{1000, 4, 100, 2, true},
                             Choice{100, 4, 100, 2, false},  // both take as long
                             Choice{101, 4, 100, 2, true},    Choice{million, 2, 1, 1, false},
                             Choice{7, 3, 100, 3, false},     Choice{8, 3, 100, 3, true},
                             Choice{1, 3, 14, 3, false},     // 4 (14 + 8/3) = 66 2/3 against 66
                             Choice{110, 8, 100, 3, false},  // both take as long
                             Choice{111, 8, 100, 3, true},    Choice{3720, 64, 1000, 6, false},
                             Choice{3721, 64, 1000, 6, true}, Choice{5, 1, 100, 0, false}};
  for (const Choice& c : cases) {
    const bool got = student::ring_is_faster(c.elements, c.ranks, c.latency_bytes);
    check.expect(got == c.ring,
                 "{} elements, {} ranks, a message costs {} bytes more: expected {}, got {}; {} "
                 "messages of Φ/N against {} of Φ",
                 c.elements, c.ranks, c.latency_bytes, c.ring, got, 2 * (c.ranks - 1), c.rounds);
  }
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  constexpr std::size_t long_vector = 131'073;
  std::vector<Task> all{
      {1, 2, "reduce-scatter on paper",
       [](Check& check) { reduce_scattered(check, 2 * check.ranks()); }},
      {1, 1, "all-gather on paper", [](Check& check) { gathered(check, 2 * check.ranks()); }},
      {2, 1, "ragged and empty shards", ragged},
      {3, 2, "bytes of the ring", ring_bytes},
      {3, 1, "a vector too long to be put aside",
       [](Check& check) { all_reduced(check, long_vector); }},
      {4, 2, "recursive doubling", doubling},
      {5, 1, "which of the two", choices},
  };
  for (Task& task : all) {
    task.seconds = 10;
    task.most_ranks = 8;  // 16 digits: more are not exact in a double
  }
  return all;
}
