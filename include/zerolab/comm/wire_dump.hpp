#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "zerolab/comm/communicator.hpp"

namespace zerolab {

/// Bytes each rank sent to other ranks, as the MPI library counted them; or why that is not known.
struct WireBytes {
  std::vector<std::uint64_t> per_rank;  ///< empty when not known
  std::string reason;                   ///< then: why, in a few words
};

/// One rank's dump: bytes to every rank, apart for messages of the program and those inside
/// collectives.
struct RankDump {
  std::vector<std::uint64_t> own, inside;
};

/// Reads what Open MPI's monitoring component writes at MPI_Finalize (pml_monitoring_enable = 2):
/// lines of point-to-point messages, "E" from the program, "I" from inside the library. None when
/// the text is not complete or not of this form.
std::optional<RankDump> parse_dump(const std::string& text, std::size_t rank, std::size_t ranks);

/// What each rank sent in a simulated run, from SMPI's trace of it (tracing/smpi/internals and
/// tracing/smpi/display-sizes: every message, those inside collectives too), which is whole when
/// the simulation has ended. Trusted as below.
WireBytes read_smpi_trace(const std::string& file, std::size_t ranks);

/// What each rank sent in the whole run, from the files that Open MPI leaves at MPI_Finalize. The
/// count is trusted only if it shows a known message exactly, which is then taken out again.
/// Construct before the work, open_folder() before MPI_Finalize, collect() after it.
class WireDump {
 public:
  /// All ranks together. `file` is what pml_monitoring_filename says on this rank: a file in a
  /// folder of this rank's own, which need not exist yet.
  WireDump(Communicator& comm, std::filesystem::path file);

  void open_folder() const;
  /// Rank 0 waits for the files of all ranks; elsewhere the result is empty. The folders are gone
  /// afterwards.
  WireBytes collect(std::chrono::milliseconds patience = std::chrono::seconds(10)) const;

  /// Length of the known message that a rank sends to the next one.
  static std::uint64_t known_bytes(std::size_t rank) { return 10007 + rank; }

 private:
  WireBytes read(std::chrono::milliseconds patience) const;

  std::size_t rank_;
  std::vector<std::filesystem::path> files_;  ///< of all ranks; on rank 0
  std::filesystem::path mine_;
  bool one_host_;
};

}  // namespace zerolab
