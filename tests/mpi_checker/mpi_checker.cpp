// A checker of MPI calls: linked into the tests on ranks, or loaded before the program
// (LD_PRELOAD), it stands in for the calls that zerolab makes and has MPI's own, PMPI_…, do the
// work. Of each it wants:
//   - buffers apart: what arrives overlaps neither what is sent nor what arrives from another rank;
//   - all ranks alike: function, counts, type, operation, root; and what is sent is what is
//   expected;
//   - each request ended before MPI_Finalize, and no byte of its buffers, counts or displacements
//     touched before: MPI works on copies, while a receive buffer holds NaNs.
// A violation is one line, "mpi_checker: rank R: MPI_Bcast call 7: …", and ends the job with exit
// code 3. ZEROLAB_MPI_CHECKER=count has rank 0 say at the end how many calls were looked at. Here:
// calls that wait. start.cpp has those that do not.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "in_flight.hpp"

using namespace mpi_checker;

extern "C" {

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const Call call(__func__, comm);
  const Parts whole = call.part(receive, count, type);
  call.require_apart(send == MPI_IN_PLACE ? Parts() : call.part(send, count, type), whole);
  call.require_agreement({bytes_of(whole), type_identity(type), operation_identity(op)});
  return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int MPI_Reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm) {
  const Call call(__func__, comm);
  const bool in_place = send == MPI_IN_PLACE;
  const Parts all = call.parts(in_place ? receive : send, counts, nullptr, type);
  call.require_apart(in_place ? Parts() : all,
                     in_place ? all : call.part(receive, counts[call.me()], type));
  call.require_agreement(
      {hash_of_counts(counts, call.ranks()), type_identity(type), operation_identity(op)});
  return PMPI_Reduce_scatter(send, receive, counts, type, op, comm);
}

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int count, MPI_Datatype type, MPI_Comm comm) {
  const Call call(__func__, comm);
  require_all_gather(call, send, send_count, send_type, call.equal_parts(receive, count, type),
                     type);
  return PMPI_Allgather(send, send_count, send_type, receive, count, type, comm);
}

int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm) {
  const Call call(__func__, comm);
  require_all_gather(call, send, send_count, send_type, call.parts(receive, counts, places, type),
                     type);
  return PMPI_Allgatherv(send, send_count, send_type, receive, counts, places, type, comm);
}

int MPI_Alltoallv(const void* send, const int send_counts[], const int send_places[],
                  MPI_Datatype send_type, void* receive, const int counts[], const int places[],
                  MPI_Datatype type, MPI_Comm comm) {
  const Call call(__func__, comm);
  require_all_to_all(call, call.parts(send, send_counts, send_places, send_type),
                     call.parts(receive, counts, places, type), type);
  return PMPI_Alltoallv(send, send_counts, send_places, send_type, receive, counts, places, type,
                        comm);
}

int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
               MPI_Datatype type, int root, MPI_Comm comm) {
  const Call call(__func__, comm);
  const bool gathers = static_cast<int>(call.me()) == root;
  require_gather(call, send, send_count, send_type,
                 gathers ? call.equal_parts(receive, count, type) : Parts(), root);
  return PMPI_Gather(send, send_count, send_type, receive, count, type, root, comm);
}

int MPI_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                const int counts[], const int places[], MPI_Datatype type, int root,
                MPI_Comm comm) {
  const Call call(__func__, comm);
  const bool gathers = static_cast<int>(call.me()) == root;
  require_gather(call, send, send_count, send_type,
                 gathers ? call.parts(receive, counts, places, type) : Parts(), root);
  return PMPI_Gatherv(send, send_count, send_type, receive, counts, places, type, root, comm);
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Call call(__func__, comm);
  const Parts whole = call.part(data, count, type);
  const bool sends = static_cast<int>(call.me()) == root;
  call.require_apart(sends ? whole : Parts(), sends ? Parts() : whole);
  call.require_agreement(
      {bytes_of(whole), type_identity(type), 0, static_cast<std::uint64_t>(root)});
  return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  Call(__func__, comm).require_agreement({});
  return PMPI_Barrier(comm);
}

int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag,
                 void* receive, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                 MPI_Status* status) {
  const Call call(__func__, comm);
  call.require_apart(call.part(send, send_count, send_type), call.part(receive, count, type));
  MPI_Status own;
  const int code = PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, count, type,
                                 from, tag, comm, &own);
  int arrived = 0;
  PMPI_Get_count(&own, type, &arrived);
  if (arrived != count)
    call.violation(std::to_string(arrived) + " elements arrived, expected were " +
                   std::to_string(count));
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* op) {
  const int code = PMPI_Op_create(function, commutes, op);
  remember(*op, function);
  return code;
}

int MPI_Comm_free(MPI_Comm* comm) {
  const Call call(__func__, *comm);
  for (const InFlight& one : in_flight())
    if (one.call().comm() == *comm) call.violation(one.call().name() + " is still under way");
  return PMPI_Comm_free(comm);
}

int MPI_Finalize() {
  const Call call(__func__, MPI_COMM_WORLD);
  if (!in_flight().empty())
    call.violation(in_flight().front().call().name() + " was never waited for");
  const char* wish = std::getenv("ZEROLAB_MPI_CHECKER");
  if (call.me() == 0 && wish != nullptr && wish == std::string("count"))
    std::fprintf(stderr, "mpi_checker: %zu calls checked\n", calls_so_far());
  return PMPI_Finalize();
}

}  // extern "C"
