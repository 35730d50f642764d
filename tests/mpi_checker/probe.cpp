// Commits one violation, named by the first argument, or none ("clean");
// tests/program/mpi_checker.sh looks at what the checker says.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

int rank = 0, ranks = 1;
const MPI_Comm world = MPI_COMM_WORLD;
std::vector<double> a, b;       // a double for each rank, and another
std::vector<int> ones, places;  // one element a rank, in rank order

bool last() {
  return rank == ranks - 1;
}

void start_gather(MPI_Request& request) {
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a.data(), ones.data(), places.data(),
                  MPI_DOUBLE, world, &request);
}

void start_scatter(MPI_Request& request) {
  MPI_Ireduce_scatter(a.data(), b.data(), ones.data(), MPI_DOUBLE, MPI_SUM, world, &request);
}

void start_exchange(MPI_Request& request) {
  MPI_Ialltoallv(a.data(), ones.data(), places.data(), MPI_DOUBLE, b.data(), ones.data(),
                 places.data(), MPI_DOUBLE, world, &request);
}

/// `meanwhile` between start and end.
void in_flight(void (*start)(MPI_Request&), void (*meanwhile)()) {
  MPI_Request request = MPI_REQUEST_NULL;
  start(request);
  meanwhile();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void clean() {
  for (auto* start : {start_gather, start_scatter, start_exchange}) in_flight(start, [] {});
  in_flight(start_scatter, [] { std::printf("%f\n", a[0]); });  // what is sent may be read
  MPI_Request one = MPI_REQUEST_NULL, two = MPI_REQUEST_NULL;
  MPI_Ibarrier(world, &one);
  MPI_Ibarrier(world, &two);
  for (int done = 0; done == 0;) MPI_Test(&two, &done, MPI_STATUS_IGNORE);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, nullptr, 0, MPI_DOUBLE, MPI_SUM, world);
  MPI_Allreduce(a.data(), a.data() + 1, 0, MPI_DOUBLE, MPI_SUM, world);
  for (int& n : ones) n = 0;
  MPI_Alltoallv(a.data(), ones.data(), places.data(), MPI_DOUBLE, a.data() + 1, ones.data(),
                places.data(), MPI_DOUBLE, world);
}

void gather_with_counts() {
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a.data(), ones.data(), places.data(),
                 MPI_DOUBLE, world);
}

// Down to used_twice one rank can commit them by itself.
const std::map<std::string, void (*)()> violations{
    {"clean", clean},
    {"sent_and_received",
     [] { MPI_Allreduce(a.data(), a.data(), ranks, MPI_DOUBLE, MPI_SUM, world); }},
    {"left_open",
     [] {
       MPI_Request request = MPI_REQUEST_NULL;
       start_gather(request);
     }},
    {"receive_written", [] { in_flight(start_gather, [] { a[0] = 0; }); }},
    {"shard_written", [] { in_flight(start_scatter, [] { b[0] = 0; }); }},
    {"send_written", [] { in_flight(start_scatter, [] { a[0] += 1; }); }},
    {"exchange_written", [] { in_flight(start_exchange, [] { a[0] += 1; }); }},
    {"counts_written", [] { in_flight(start_scatter, [] { ones[0] += 1; }); }},
    {"places_written", [] { in_flight(start_gather, [] { places[0] += 1; }); }},
    {"used_twice",
     [] { in_flight(start_gather, [] { MPI_Bcast(a.data(), 1, MPI_DOUBLE, 0, world); }); }},
    {"received_twice",
     [] {
       places.assign(places.size(), 0);
       gather_with_counts();
     }},
    {"counts",
     [] { MPI_Allreduce(MPI_IN_PLACE, a.data(), last() ? 1 : 2, MPI_DOUBLE, MPI_SUM, world); }},
    {"function",
     [] {
       if (!last()) return void(MPI_Barrier(world));
       MPI_Bcast(a.data(), 1, MPI_DOUBLE, 0, world);
     }},
    {"root", [] { MPI_Bcast(a.data(), 1, MPI_DOUBLE, last() ? 1 : 0, world); }},
    {"type", [] { MPI_Bcast(a.data(), 1, last() ? MPI_DOUBLE : MPI_UINT64_T, 0, world); }},
    {"operation",
     [] {
       MPI_Allreduce(MPI_IN_PLACE, a.data(), 1, MPI_DOUBLE, last() ? MPI_MAX : MPI_SUM, world);
     }},
    {"layout",
     [] {
       if (last()) ones.front() = 0;
       gather_with_counts();
     }},
    {"pairs",
     [] {
       std::vector<int> sent = ones;
       if (last()) sent[0] = 0;
       MPI_Alltoallv(a.data(), sent.data(), places.data(), MPI_DOUBLE, b.data(), ones.data(),
                     places.data(), MPI_DOUBLE, world);
     }},
    {"gathered",
     [] {
       MPI_Gatherv(a.data(), last() ? 0 : 1, MPI_DOUBLE, b.data(), ones.data(), places.data(),
                   MPI_DOUBLE, 0, world);
     }},
    {"message",
     [] {
       MPI_Sendrecv(a.data(), 1, MPI_DOUBLE, (rank + 1) % ranks, 1, b.data(), last() ? 2 : 1,
                    MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, world, MPI_STATUS_IGNORE);
     }},
    {"function_in_flight", [] { in_flight(last() ? start_gather : start_scatter, [] {}); }},
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  const auto size = static_cast<std::size_t>(ranks) + 2;
  a.assign(size, 1.5);
  b.assign(size, 2.5);
  ones.assign(static_cast<std::size_t>(ranks), 1);
  for (int r = 0; r < ranks; ++r) places.push_back(r);
  violations.at(argv[1])();
  MPI_Finalize();
}
