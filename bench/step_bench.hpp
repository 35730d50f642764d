#pragma once

#include "zerolab/comm/communicator.hpp"

namespace zerolab {

/// One benchmark for each network, precision, reduction and stage; step_bench.cpp says what it
/// measures. Repetitions are fixed numbers, so that all ranks run the same.
void register_step_benchmarks(Communicator& comm);

}  // namespace zerolab
