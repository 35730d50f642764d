#pragma once

#include <cstdint>

#include "zerolab/core/number.hpp"

namespace zerolab {

/// What a digest is of; part of the hash, so that equal bits in different states differ.
enum class Digested : std::uint64_t { parameters = 1, master, momentum, variance };

/// Σ hash(what, global index, bits) mod 2^64 over elements whose first has the given global index.
/// All NaNs of a type count as one. A sum over disjoint shards is the digest of the whole, in any
/// order.
std::uint64_t digest(Digested what, ConstNumbers numbers, std::size_t first_global_index);

}  // namespace zerolab
