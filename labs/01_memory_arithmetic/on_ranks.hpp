#pragma once

#include <random>

#include "expected.hpp"

// The tasks that measure on real ranks.

namespace {

/// Makes the Buffers and reads the ledger of this rank, then of all.
void hold(lab::Check& check, const Way& way, int stage, const std::vector<Number>& units) {
  const Case it{way, stage, units, check.ranks(), check.rank()};
  MemoryLedger memory;
  States mine{}, all{};
  {
    const std::vector<Buffer> held =
        student::hold_states(way.in(stage), units, it.ranks, it.rank, memory);
    std::size_t bytes = 0;
    for (const Buffer& buffer : held) bytes += buffer.numbers().bytes();
    check.expect(bytes == memory.total().now,
                 "hold_states(), stage {}: {} bytes are in Buffers, and {} in the ledger", stage,
                 bytes, memory.total().now);
    for (std::size_t s = 0; s < mine.size(); ++s) {
      mine[s] = memory.line(static_cast<Category>(s)).now;
      it.compare(check, "hold_states()", s, it.bytes(s), mine[s]);
    }
    check.equal(std::accumulate(mine.begin(), mine.end(), Number{0}), memory.total().now,
                "hold_states(): bytes of the five states, and of all that is in the ledger");
  }
  check.expect(memory.total().now == 0,
               "hold_states(): {} bytes are still in the ledger, and their Buffers are gone",
               memory.total().now);
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_SUM,
                check.world());
  for (std::size_t s = 0; s < all.size(); ++s) {
    const Number copies = sharded(stage, s) ? 1 : it.ranks;
    check.equal(way.bytes[s] * it.all() * copies, all[s],
                fmt::format("hold_states(), stage {}, {}, {} of all ranks together", stage,
                            way.name, name(static_cast<Category>(s))));
  }
}

void held(lab::Check& check) {
  for (const std::vector<Number>& units : {std::vector<Number>{15, 8}, {7, 5, 1}, {1000}}) {
    for (const Way& way : ways) {
      for (int stage = 0; stage < 4; ++stage) hold(check, way, stage, units);
    }
  }
}

void ledgers(lab::Check& check) {
  // Not what any formula says; beside it what is no state, and what was released.
  const auto state = [](Number rank) { return std::array<Number, 3>{40, 160, 8}[rank % 3]; };
  MemoryLedger memory;
  Buffer(memory, Category::gradients, NumberType::uint8, 512);
  const Buffer samples(memory, Category::activations, NumberType::uint8, 1000),
      parameters(memory, Category::parameters, NumberType::uint8, state(check.rank()) / 4),
      variance(memory, Category::variance, NumberType::uint8, state(check.rank()) / 4 * 3);
  Measured right{state(check.rank()), 0, 0};
  for (Number r = 0; r < check.ranks(); ++r) {
    right.fullest = std::max(right.fullest, state(r));
    right.all += state(r);
  }
  const Measured got = student::measure(check.world(), memory);
  const char* hint = got.mine == right.mine + 1000  ? ": activations are no model state"
                     : got.mine == right.mine + 512 ? ": that is the peak, not what is held now"
                                                    : "";
  check.expect(got.mine == right.mine, "measure(), mine: expected {} bytes, got {}{}", right.mine,
               got.mine, hint);
  check.expect(
      got == right, "measure(), fullest and all: expected {} and {} bytes, got {} and {}{}",
      right.fullest, right.all, got.fullest, got.all,
      got.all == got.mine * check.ranks() ? ": ranks hold different amounts, add them up" : "");
}

/// a and b of a model of a stranger: 6 bytes of each of 11 elements everywhere, 12 in shards.
student::Total total_of_stranger(MPI_Comm ranks) {
  int n = 0, r = 0;
  MPI_Comm_size(ranks, &n);
  MPI_Comm_rank(ranks, &r);
  const Shards cut{11, static_cast<std::size_t>(n)};
  MemoryLedger memory;
  const Buffer full(memory, Category::gradients, NumberType::uint8, 6 * cut.elements),
      shard(memory, Category::variance, NumberType::uint8,
            12 * cut.size(static_cast<std::size_t>(r)));
  return {cut.ranks, student::measure(ranks, memory).all};
}

void totals(lab::Check& check) {
  std::mt19937_64 random(check.rank());
  const auto ask = [&](Number elements, const student::Total& one, const student::Total& other,
                       const Cost& right_cost) {
    const Cost cost = student::cost_from_totals(elements, one, other);
    check.expect(cost == right_cost,
                 "cost_from_totals(), Φ = {}: {} bytes on {} ranks and {} on {}: expected a = {} "
                 "and b = {}, got {} and {}",
                 elements, one.bytes, one.ranks, other.bytes, other.ranks, right_cost.full,
                 right_cost.sharded, cost.full, cost.sharded);
  };
  ask(5, {1, 80}, {8, 220}, {4, 12});
  ask(5, {8, 80}, {2, 80}, {0, 16});
  for (int i = 0; i < 100; ++i) {
    const Number a = random() % 20, b = random() % 20, phi = random() % 1000 + 1;
    const Number few = random() % 50 + 1, many = few + random() % 50 + 1;
    const student::Total less{few, (a * few + b) * phi}, more{many, (a * many + b) * phi};
    ask(phi, i % 2 == 0 ? less : more, i % 2 == 0 ? more : less, {a, b});
  }
  if (check.ranks() > 1)
    ask(11, total_of_stranger(check.world()), total_of_stranger(MPI_COMM_SELF), {6, 12});
}

void measured(lab::Check& check) {
  ledgers(check);
  totals(check);
}

}  // namespace
