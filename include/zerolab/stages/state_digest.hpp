#pragma once

#include <string>

#include "zerolab/stages/stage.hpp"

namespace zerolab {

/// Digests of the whole job's state, combined from shards and never gathered, and whether the ranks
/// agree.
struct StateDigest {
  std::uint64_t parameters = 0;
  std::uint64_t master = 0;   ///< in fp32 the parameters are the master weights
  std::uint64_t moments = 0;  ///< momentum and variance
  /// Ranks whose replicated state differs from the majority's, or whose parameters are not the
  /// rounding of their master weights.
  std::vector<std::size_t> deviating;

  bool agrees() const { return deviating.empty(); }
};

/// All ranks together; entered in the traffic ledger under other.
StateDigest digest_of(const Stage& stage, const Job& job, Communicator& comm);

/// This rank's part of the parameters' digest; the sum over ranks is StateDigest::parameters.
std::uint64_t my_parameter_digest(const Stage& stage, const Job& job, const Communicator& comm);

/// Contiguous ranges of a unit whose digests a trace tells apart: at most 64, cut as shards are.
Shards digest_ranges(const NetworkShape& shape, std::size_t unit);

/// This rank's part of the digests of all ranges of the parameters, unit after unit; the sum over
/// ranks is the whole's.
std::vector<std::uint64_t> my_range_digests(const Stage& stage, const Job& job,
                                            const Communicator& comm);

std::string hex(std::uint64_t digest);

}  // namespace zerolab
