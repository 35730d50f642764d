#pragma once

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "zerolab/report/cost_model.hpp"

// The check's own: the collectives of a step, made for real through the Communicator, and what its
// ledger says of them.

// The library counts collectives too; here, where they are to be counted, it is not to be had.
namespace {
[[noreturn]] void not_here() {
  throw zerolab::Error("the library's cost model was called; what is asked for is yours");
}
}  // namespace
zerolab::UnitCalls zerolab::calls_per_unit(const Job&, int, std::size_t) {
  not_here();
}
zerolab::Volume zerolab::volume(const Job&, int, std::size_t) {
  not_here();
}
zerolab::TrafficTable zerolab::traffic_formula(const Run&, std::size_t) {
  not_here();
}

namespace measured {

using lab::Check;
using zerolab::Collective;
using zerolab::NumberType;
using zerolab::UnitCalls;

/// Elements of the units: ragged on 2, 3 and 4 ranks, and some shards are empty.
inline const std::vector<std::size_t> units{7, 2, 1, 12};
inline constexpr std::size_t phi = 22, bytes_per_element = 2;

/// How often a unit passes through each collective in a step.
inline UnitCalls calls_of(int stage, std::size_t k) {
  switch (stage) {
    case 0:
      return {1, 0, 0};
    case 1:
      return {1, 0, 1};
    case 2:
      return {0, k, 1};
    default:
      return {0, k, 2 * k};
  }
}

/// One call; its line in the ledger.
inline zerolab::Traffic call(Check& check, Collective collective, NumberType type,
                             std::size_t elements) {
  std::vector<std::byte> memory((elements + 1) * width(type));
  const zerolab::Numbers full{type, memory.data(), elements};
  check.comm.restart_ledger();
  if (collective == Collective::all_reduce) check.comm.all_reduce(full);
  if (collective == Collective::reduce_scatter) check.comm.reduce_scatter(full);
  if (collective == Collective::all_gather) check.comm.all_gather(full);
  return check.comm.ledger().line(collective);
}

/// All calls of a step, each for every unit; what this rank's ledger says of them together.
inline zerolab::Traffic step(Check& check, const UnitCalls& calls) {
  zerolab::Traffic sum;
  const auto repeat = [&](Collective collective, std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      for (const std::size_t elements : units)
        sum += call(check, collective, NumberType::fp16, elements);
    }
  };
  repeat(Collective::all_reduce, calls.all_reduce);
  repeat(Collective::reduce_scatter, calls.reduce_scatter);
  repeat(Collective::all_gather, calls.all_gather);
  return sum;
}

inline std::size_t over_ranks(const Check& check, std::size_t mine) {
  std::uint64_t sum = mine;
  PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, check.world());
  return sum;
}

}  // namespace measured
