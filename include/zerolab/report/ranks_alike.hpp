#pragma once

#include <string>
#include <vector>

namespace zerolab {

class Communicator;

/// How a rank was started.
struct Started {
  std::string version;
  std::string checksum;            ///< CRC-32 of the program's file; empty where none can be read
  std::vector<std::string> words;  ///< the arguments
};

/// This process, with main's arguments as they were before MPI saw them.
Started started(int argc, const char* const* argv);

/// What sets `other`, which is of `rank`, apart from rank 0, in one sentence; empty if nothing
/// does.
std::string difference(const Started& first, std::size_t rank, const Started& other);

/// One string a rank, for the trip to rank 0.
std::string packed(const Started& started);
Started unpacked(const std::string& text);

/// The difference of the lowest rank that was started otherwise than rank 0, on rank 0; elsewhere
/// some text; on all ranks empty if they were started alike. All ranks together. Sends the same
/// bytes whatever the arguments are, unless they differ.
std::string unlike_ranks(Communicator& comm, const Started& mine);

}  // namespace zerolab
