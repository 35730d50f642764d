#pragma once

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "zerolab/report/cost_model.hpp"

// The check's own: the collectives of a step, made for real through the Communicator, and what its
// ledger says of them.

namespace measured {

using lab::Check;
using zerolab::Collective;
using zerolab::NumberType;
using zerolab::UnitCalls;

/// Elements of the units: ragged on 2, 3 and 4 ranks, and some shards are empty.
inline const std::vector<std::size_t> units{7, 2, 1, 12};
inline constexpr std::size_t phi = 22, bytes_per_element = 2;

inline UnitCalls calls_of(int stage, std::size_t k, std::size_t ranks) {
  zerolab::Job job;
  job.accumulate = k;
  return calls_per_unit(job, stage, ranks);
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
