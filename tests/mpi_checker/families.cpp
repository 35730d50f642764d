// What the blocking and the non-blocking form of a collective are checked for alike.
#include "call.hpp"

namespace mpi_checker {

void require_all_gather(const Call& call, const void* send, int send_count, MPI_Datatype send_type,
                        const Parts& received, MPI_Datatype type) {
  std::vector<std::uint64_t> bytes;
  for (const Part& part : received) bytes.push_back(part.bytes);
  if (send == MPI_IN_PLACE) {
    call.require_apart({}, received);
  } else {
    const Parts sent = call.part(send, send_count, send_type);
    call.require_apart(sent, received);
    if (bytes_of(sent) != bytes[call.me()])
      call.violation("sends " + std::to_string(bytes_of(sent)) + " bytes, expects " +
                     std::to_string(bytes[call.me()]) + " of itself");
  }
  call.require_agreement({hash(std::as_bytes(std::span(bytes))), type_identity(type)});
}

void require_all_to_all(const Call& call, const Parts& sent, const Parts& received,
                        MPI_Datatype type) {
  call.require_apart(sent, received);
  call.require_agreement({0, type_identity(type)});
  std::vector<std::uint64_t> bytes;
  for (const Part& part : sent) bytes.push_back(part.bytes);
  call.require_pairs(bytes, received);
}

void require_gather(const Call& call, const void* send, int send_count, MPI_Datatype send_type,
                    const Parts& received, int root) {
  if (send == MPI_IN_PLACE) call.violation("in place, which the checker does not know here");
  const Parts sent = call.part(send, send_count, send_type);
  call.require_apart(sent, received);
  call.require_agreement({0, type_identity(send_type), 0, static_cast<std::uint64_t>(root)});
  std::vector<std::uint64_t> bytes(call.ranks());
  bytes[static_cast<std::size_t>(root)] = bytes_of(sent);
  call.require_pairs(bytes, received);
}

}  // namespace mpi_checker
