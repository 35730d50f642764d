#pragma once

#include <cstddef>
#include <memory>

#include "zerolab/core/watchdog.hpp"

namespace zerolab {

/// A fault that this rank alone has met while others may wait in a collective: say it, end the job.
/// Lower ranks speak first, so that a fault which several share is told once.
[[noreturn]] void abort_job(std::size_t rank, const char* what);

/// Ends the job when this rank stays in one MPI call for `limit` seconds (--stall-limit); none for
/// a limit of 0.
std::unique_ptr<Watchdog> watchdog_of(std::size_t rank, double limit);

}  // namespace zerolab
