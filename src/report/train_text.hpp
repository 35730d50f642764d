#pragma once

#include "zerolab/report/training.hpp"

// What train says when it is done.

namespace zerolab {

/// What each rank told; all ranks together, rank 0 prints.
void print_trace(const Trace& trace, Communicator& comm);

/// Loss, accuracy, digests, bytes stored and sent, times; rank 0.
void print_outcome(const Outcome& o, const Job& job, bool stopped);

}  // namespace zerolab
