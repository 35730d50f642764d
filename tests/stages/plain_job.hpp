#pragma once

#include "plain_network.hpp"
#include "zerolab/partition/job.hpp"

namespace zerolab {

/// `value` rounded to the storage type.
inline double rounded(double value, NumberType type) {
  MemoryLedger ledger;
  Buffer stored(ledger, Category::buffers, type, 1);
  narrow(std::span<const double>(&value, 1), stored);
  widen(stored, std::span(&value, 1));
  return value;
}

/// The plain network with the job's initial weights, as stored.
inline PlainNetwork initial_network(const Job& job) {
  std::vector<PlainNetwork::Unit> units;
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    std::vector<float> values(job.shape.elements(l));
    initial_parameters(job.shape, job.seed, l, 0, values);
    units.emplace_back();
    for (const float value : values)
      units.back().push_back(rounded(static_cast<double>(value), job.precision));
  }
  return {job.shape.widths, std::move(units)};
}

}  // namespace zerolab
