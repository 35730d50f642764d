#pragma once

#include <string>

#include "zerolab/partition/checkpoint_file.hpp"
#include "zerolab/stages/stage.hpp"

namespace zerolab {

/// Writes a stage's states into `file`, all ranks together and each only its shards: beside it,
/// synced, checksummed, then renamed in one move, so that `file` is whole or not there. A fault on
/// any rank is an AgreedError on all and leaves nothing behind.
void save_states(const std::string& file, const std::string& description, const Stage& stage,
                 const Job& job, Communicator& comm);

/// What `file` is called until it is complete.
std::string partial(const std::string& file);

/// Throws Error unless the checkpoint holds each state that this optimizer keeps.
void require_held(const CheckpointReader& checkpoint, const OptimizerSettings& optimizer);

/// Fills a stage's states from a checkpoint of as many parameters, by whatever stage and number of
/// ranks it was written; each rank reads what it stores. Does not communicate. Throws Error for
/// what is damaged or missing.
void load_states(const CheckpointReader& checkpoint, Stage& stage, const Job& job,
                 const Communicator& comm);

}  // namespace zerolab
