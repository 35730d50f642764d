#pragma once

#include <functional>

#include "zerolab/report/machine.hpp"
#include "zerolab/report/options.hpp"

namespace zerolab {

class Communicator;
class StopRequest;

/// How a subcommand ends: with an exit code, and with what can only be done after MPI_Finalize.
struct Ending {
  int exit_code = 0;
  std::function<void()> after_finalize = {};  ///< if any; throws Error on a fault
};

/// Exit code of a run that was asked to stop before its last step and has saved a checkpoint: try
/// again later (sysexits.h, EX_TEMPFAIL).
inline constexpr int stopped_early = 75;

// The subcommands that run on ranks. Called by all ranks with the same options; rank 0 prints. The
// exit code is the same on all ranks.

/// `wire_dump`: the file in which this rank's count of sent bytes will be (WireDump), if wanted.
/// `stop`: what may ask the run to end early, if anything.
Ending train_command(const Options& options, Communicator& comm, const std::string& wire_dump,
                     const StopRequest* stop = nullptr);
int verify_command(const Options& options, Communicator& comm);
int doctor_command(const Options& options, Communicator& comm, Machine machine);

int ask_command(const AskOptions& options, Communicator& comm, const Machine& machine);

// The subcommands that need no ranks; called once. They throw Error for what cannot be read,
// written or worked out.
int plan_command(const PlanOptions& options);
int checkpoint_command(const CheckpointOptions& options);
int report_command(const ReportOptions& options);
int list_items();  ///< ask --list

}  // namespace zerolab
