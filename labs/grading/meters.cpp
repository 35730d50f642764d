#include "meters.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <utility>

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define ZEROLAB_HEAP_KNOWN
#endif

namespace lab {

namespace {

std::vector<Call> calls;
const char* volatile under_way = "";
HeapWatch* watch = nullptr;

/// Marks the call as under way as long as it lives.
class Within {
 public:
  explicit Within(const char* function) {
    under_way = function;
    if (watch != nullptr) watch->look(function);
  }
  ~Within() { under_way = ""; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
};

std::size_t whole(int count) {
  return static_cast<std::size_t>(std::max(count, 0));
}

/// A call of so many elements of a type, of which so many are handed over.
Within moves(const char* function, MPI_Datatype type, std::size_t elements, std::size_t handed_over,
             int peer = -1) {
  int width = 0;
  PMPI_Type_size(type, &width);
  calls.push_back({function, elements, handed_over * whole(width), peer});
  return Within(function);
}
Within collective(const char* function, MPI_Datatype type, std::size_t elements) {
  return moves(function, type, elements, elements);
}

std::size_t sum(const int* counts, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return whole(std::accumulate(counts, counts + size, 0));
}
std::size_t times_ranks(int count, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return whole(count) * whole(size);
}

}  // namespace

std::vector<Call> take_calls() {
  return std::exchange(calls, {});
}

const char* call_under_way() {
  return under_way;
}

std::optional<std::size_t> heap_bytes() {
#ifdef ZEROLAB_HEAP_KNOWN
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
#else
  return std::nullopt;
#endif
}

HeapWatch::HeapWatch(const zerolab::MemoryLedger& ledger)
    : ledger_(ledger), heap_(heap_bytes()), held_(ledger.total().now) {
  watch = this;
}

HeapWatch::~HeapWatch() {
  watch = nullptr;
}

void HeapWatch::look(std::string_view function) {
  if (function.find("educe_scatter") != std::string_view::npos)
    parameters_held_.push_back(ledger_.line(zerolab::Category::parameters).now);
  if (!heap_) return;
  const std::size_t known = *heap_ + ledger_.total().now;
  const std::size_t here = *heap_bytes() + held_;
  if (here > known) unaccounted_ = std::max(unaccounted_, here - known);
}

std::optional<std::size_t> HeapWatch::unaccounted() const {
  if (!heap_) return std::nullopt;
  return unaccounted_;
}

}  // namespace lab

// MPI's own names from here on, each around the call of the profiling interface.
// NOLINTBEGIN(readability-identifier-naming)
using lab::collective;
using lab::moves;
using lab::sum;
using lab::times_ranks;
using lab::whole;
using lab::Within;

extern "C" {

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const Within call = collective("MPI_Allreduce", type, whole(count));
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  const Within call = collective("MPI_Iallreduce", type, whole(count));
  return PMPI_Iallreduce(in, out, count, type, op, comm, request);
}
int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  const Within call = collective("MPI_Reduce", type, whole(count));
  return PMPI_Reduce(in, out, count, type, op, root, comm);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Within call = collective("MPI_Bcast", type, whole(count));
  return PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Reduce_scatter(const void* in, void* out, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  const Within call = collective("MPI_Reduce_scatter", type, sum(counts, comm));
  return PMPI_Reduce_scatter(in, out, counts, type, op, comm);
}
int MPI_Ireduce_scatter(const void* in, void* out, const int* counts, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm, MPI_Request* request) {
  const Within call = collective("MPI_Ireduce_scatter", type, sum(counts, comm));
  return PMPI_Ireduce_scatter(in, out, counts, type, op, comm, request);
}
int MPI_Reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  const Within call = collective("MPI_Reduce_scatter_block", type, times_ranks(count, comm));
  return PMPI_Reduce_scatter_block(in, out, count, type, op, comm);
}
int MPI_Allgather(const void* in, int send, MPI_Datatype send_type, void* out, int count,
                  MPI_Datatype type, MPI_Comm comm) {
  const Within call = collective("MPI_Allgather", type, times_ranks(count, comm));
  return PMPI_Allgather(in, send, send_type, out, count, type, comm);
}
int MPI_Iallgather(const void* in, int send, MPI_Datatype send_type, void* out, int count,
                   MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  const Within call = collective("MPI_Iallgather", type, times_ranks(count, comm));
  return PMPI_Iallgather(in, send, send_type, out, count, type, comm, request);
}
int MPI_Allgatherv(const void* in, int send, MPI_Datatype send_type, void* out, const int* counts,
                   const int* first, MPI_Datatype type, MPI_Comm comm) {
  const Within call = collective("MPI_Allgatherv", type, sum(counts, comm));
  return PMPI_Allgatherv(in, send, send_type, out, counts, first, type, comm);
}
int MPI_Iallgatherv(const void* in, int send, MPI_Datatype send_type, void* out, const int* counts,
                    const int* first, MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  const Within call = collective("MPI_Iallgatherv", type, sum(counts, comm));
  return PMPI_Iallgatherv(in, send, send_type, out, counts, first, type, comm, request);
}
int MPI_Alltoall(const void* in, int send, MPI_Datatype send_type, void* out, int count,
                 MPI_Datatype type, MPI_Comm comm) {
  const Within call = collective("MPI_Alltoall", send_type, times_ranks(send, comm));
  return PMPI_Alltoall(in, send, send_type, out, count, type, comm);
}
int MPI_Alltoallv(const void* in, const int* send, const int* send_first, MPI_Datatype send_type,
                  void* out, const int* counts, const int* first, MPI_Datatype type,
                  MPI_Comm comm) {
  const Within call = collective("MPI_Alltoallv", send_type, sum(send, comm));
  return PMPI_Alltoallv(in, send, send_first, send_type, out, counts, first, type, comm);
}
int MPI_Ialltoallv(const void* in, const int* send, const int* send_first, MPI_Datatype send_type,
                   void* out, const int* counts, const int* first, MPI_Datatype type, MPI_Comm comm,
                   MPI_Request* request) {
  const Within call = collective("MPI_Ialltoallv", send_type, sum(send, comm));
  return PMPI_Ialltoallv(in, send, send_first, send_type, out, counts, first, type, comm, request);
}
int MPI_Gather(const void* in, int send, MPI_Datatype send_type, void* out, int count,
               MPI_Datatype type, int root, MPI_Comm comm) {
  const Within call = collective("MPI_Gather", send_type, whole(send));
  return PMPI_Gather(in, send, send_type, out, count, type, root, comm);
}
int MPI_Gatherv(const void* in, int send, MPI_Datatype send_type, void* out, const int* counts,
                const int* first, MPI_Datatype type, int root, MPI_Comm comm) {
  const Within call = collective("MPI_Gatherv", send_type, whole(send));
  return PMPI_Gatherv(in, send, send_type, out, counts, first, type, root, comm);
}
int MPI_Scatter(const void* in, int send, MPI_Datatype send_type, void* out, int count,
                MPI_Datatype type, int root, MPI_Comm comm) {
  const Within call = collective("MPI_Scatter", type, whole(count));
  return PMPI_Scatter(in, send, send_type, out, count, type, root, comm);
}
int MPI_Scatterv(const void* in, const int* send, const int* first, MPI_Datatype send_type,
                 void* out, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Within call = collective("MPI_Scatterv", type, whole(count));
  return PMPI_Scatterv(in, send, first, send_type, out, count, type, root, comm);
}
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const Within call = moves("MPI_Send", type, whole(count), whole(count), to);
  return PMPI_Send(data, count, type, to, tag, comm);
}
int MPI_Ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const Within call = moves("MPI_Ssend", type, whole(count), whole(count), to);
  return PMPI_Ssend(data, count, type, to, tag, comm);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const Within call = moves("MPI_Isend", type, whole(count), whole(count), to);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  const Within call = moves("MPI_Recv", type, whole(count), 0, from);
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const Within call = moves("MPI_Irecv", type, whole(count), 0, from);
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}
int MPI_Sendrecv(const void* in, int send, MPI_Datatype send_type, int to, int send_tag, void* out,
                 int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                 MPI_Status* status) {
  const Within call = moves("MPI_Sendrecv", send_type, whole(send), whole(send), to);
  return PMPI_Sendrecv(in, send, send_type, to, send_tag, out, count, type, from, tag, comm,
                       status);
}
int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int send_tag, int from,
                         int tag, MPI_Comm comm, MPI_Status* status) {
  const Within call = moves("MPI_Sendrecv_replace", type, whole(count), whole(count), to);
  return PMPI_Sendrecv_replace(data, count, type, to, send_tag, from, tag, comm, status);
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Within call("MPI_Wait");
  return PMPI_Wait(request, status);
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const Within call("MPI_Waitall");
  return PMPI_Waitall(count, requests, statuses);
}
int MPI_Barrier(MPI_Comm comm) {
  const Within call("MPI_Barrier");
  return PMPI_Barrier(comm);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
