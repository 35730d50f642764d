#pragma once

#include "folder.hpp"

namespace zerolab {

/// Throws Error naming file and key unless the run is one of the documents' jobs: stages trained
/// alike, under --reduce exact where bits are shown and --reduce mpi where bytes are, and each
/// rank's formula its own share of Φ.
void require_documents_runs(const VerifyRun& run);

}  // namespace zerolab
