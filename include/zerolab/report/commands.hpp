#pragma once

#include "zerolab/report/options.hpp"

namespace zerolab {

class Communicator;

// The subcommands that run on ranks. Called by all ranks with the same options; rank 0 prints.
// Return the exit code, the same on all ranks.

int train_command(const Options& options, Communicator& comm);
int verify_command(const Options& options, Communicator& comm);
int doctor_command(Communicator& comm);

}  // namespace zerolab
