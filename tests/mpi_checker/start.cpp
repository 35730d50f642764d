// The checker's calls that do not wait, and what waits for them. MPI gets copies of everything.
#include "in_flight.hpp"

using namespace mpi_checker;

extern "C" {

int MPI_Ireduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Call call(__func__, comm);
  const bool in_place = send == MPI_IN_PLACE;
  const Parts all = call.parts(in_place ? receive : send, counts, nullptr, type);
  const Parts shard = call.part(receive, counts[call.me()], type);
  call.require_apart(in_place ? Parts() : all, in_place ? all : shard);
  call.require_agreement(
      {hash_of_counts(counts, call.ranks()), type_identity(type), operation_identity(op)});
  InFlight& one = start(call, request);
  return PMPI_Ireduce_scatter(in_place ? send : one.send(all),
                              one.receive(in_place ? all : shard, bytes_of(shard)),
                              one.layout(counts, nullptr).counts(), type, op, comm, &one.request);
}

int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   int count, MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  const Call call(__func__, comm);
  const Parts all = call.equal_parts(receive, count, type);
  require_all_gather(call, send, send_count, send_type, all, type);
  InFlight& one = start(call, request);
  const void* from = send == MPI_IN_PLACE ? send : one.send(call.part(send, send_count, send_type));
  return PMPI_Iallgather(from, send_count, send_type, one.receive(all, bytes_of(all)), count, type,
                         comm, &one.request);
}

int MPI_Iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm,
                    MPI_Request* request) {
  const Call call(__func__, comm);
  const Parts all = call.parts(receive, counts, places, type);
  require_all_gather(call, send, send_count, send_type, all, type);
  InFlight& one = start(call, request);
  const void* from = send == MPI_IN_PLACE ? send : one.send(call.part(send, send_count, send_type));
  const PackedCounts& layout = one.layout(counts, places);
  return PMPI_Iallgatherv(from, send_count, send_type, one.receive(all, bytes_of(all)),
                          layout.counts(), layout.places(), type, comm, &one.request);
}

int MPI_Ialltoallv(const void* send, const int send_counts[], const int send_places[],
                   MPI_Datatype send_type, void* receive, const int counts[], const int places[],
                   MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  const Call call(__func__, comm);
  const Parts from = call.parts(send, send_counts, send_places, send_type);
  const Parts to = call.parts(receive, counts, places, type);
  require_all_to_all(call, from, to, type);
  InFlight& one = start(call, request);
  const PackedCounts& sent = one.layout(send_counts, send_places);
  const PackedCounts& received = one.layout(counts, places);
  return PMPI_Ialltoallv(one.send(from), sent.counts(), sent.places(), send_type,
                         one.receive(to, bytes_of(to)), received.counts(), received.places(), type,
                         comm, &one.request);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  start(Call(__func__, comm), request).ask({});
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  InFlight* const one = find(*request);
  if (one == nullptr) return PMPI_Wait(request, status);
  const int code = PMPI_Wait(&one->request, status);
  end(*one);
  *request = MPI_REQUEST_NULL;
  return code;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  InFlight* const one = find(*request);
  if (one == nullptr) return PMPI_Test(request, done, status);
  const int code = PMPI_Test(&one->request, done, status);
  if (*done == 0) return code;
  end(*one);
  *request = MPI_REQUEST_NULL;
  return code;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  for (int i = 0; i < count; ++i)
    MPI_Wait(&requests[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
  return MPI_SUCCESS;
}

}  // extern "C"
