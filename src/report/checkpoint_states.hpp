#pragma once

#include <string>
#include <vector>

#include "zerolab/nn/network.hpp"
#include "zerolab/report/saved_run.hpp"

// What the checkpoint subcommands read of a file.

namespace zerolab {

/// A file with its description understood.
struct OpenCheckpoint {
  CheckpointReader file;
  SavedRun saved;
  NetworkShape shape;
  NumberType precision;
};

/// The newest of a folder, or a file; throws Error for what is damaged. Files passed over are told
/// on standard error.
OpenCheckpoint open_checkpoint(const std::string& name);

/// The digests that train prints, worked out from the states.
std::string digests_of(const OpenCheckpoint& checkpoint);

/// Blocks whose checksum is wrong, in words; none: all of the file is as it was written.
std::vector<std::string> damaged_blocks(const OpenCheckpoint& checkpoint);

/// Writes each unit's weights [out × in] and biases [out] of each state as NumPy files into a
/// folder, with the description; returns their names, in the order of the states and units.
std::vector<std::string> export_states(const OpenCheckpoint& checkpoint, const std::string& folder);

/// Where two checkpoints differ in job, counters or bits, a line each; who saved them does not
/// count.
std::vector<std::string> differences(const OpenCheckpoint& a, const OpenCheckpoint& b);

}  // namespace zerolab
