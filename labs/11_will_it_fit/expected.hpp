#pragma once

#include "check.hpp"
#include "lab.hpp"
#include "zerolab/report/cost_model.hpp"
#include "zerolab/report/fraction.hpp"

// What has to fit, by formula and by ledger, from nothing that a student wrote.

using namespace zerolab;
using student::Need;

namespace {

using Number = std::uint64_t;
using Maybe = std::optional<Number>;

constexpr Number GB = 1'000'000'000, huge = 1'000'000'000'000'000'000;
constexpr Need forty{40 * GB, 80 * GB, 20 * GB};  // exercise 4.1

/// What a rank is to have room for, in 128 bits, by the library's a and b.
Whole needed(int stage, const Need& need, Number ranks) {
  const StateBytes each = state_bytes(Job{}, stage);
  return Whole{each.full} * need.parameters + each.sharded * divided_up(need.parameters, ranks) +
         need.activations;
}

/// Bytes on the rank that holds most, by the ledgers of all, each with the Buffers of its states.
Number measured(lab::Check& check, int stage, Number parameters) {
  const Number shard = Shards{parameters, check.ranks()}.size(check.rank());
  MemoryLedger memory;
  std::vector<Buffer> held;
  for (const State& state : model_states(Job{}, stage)) {
    const NumberType type = state.bytes == 2 ? NumberType::fp16 : NumberType::fp32;
    held.emplace_back(memory, state.category, type,
                      state.placement == Placement::full ? parameters : shard);
  }
  Number mine = memory.total().now, most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, check.world());
  return most;
}

std::string text(const Need& need) {
  return fmt::format("Φ = {}, memory {}, activations {}", need.parameters, need.memory,
                     need.activations);
}
std::string text(const Maybe& number) {
  return number ? fmt::format("{}", *number) : "none";
}

}  // namespace
