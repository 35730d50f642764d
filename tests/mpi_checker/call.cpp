#include "call.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdio>

#include "in_flight.hpp"

namespace mpi_checker {

namespace {

std::size_t calls = 0;

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

std::size_t calls_so_far() {
  return calls;
}

std::size_t bytes_of(const Parts& parts) {
  std::size_t sum = 0;
  for (const Part& part : parts) sum += part.bytes;
  return sum;
}

bool overlap(const Parts& some, const Parts& others) {
  for (const Part& a : some) {
    for (const Part& b : others)
      if (a.bytes > 0 && b.bytes > 0 && a.data < b.data + b.bytes && b.data < a.data + a.bytes)
        return true;
  }
  return false;
}

Call::Call(const char* function, MPI_Comm comm)
    : function_(function), comm_(comm), number_(++calls) {
  PMPI_Comm_rank(comm, &me_);
  PMPI_Comm_size(comm, &ranks_);
}

void Call::violation(const std::string& what) const {
  const std::string line =
      "mpi_checker: rank " + std::to_string(world_rank()) + ": " + name() + ": " + what + "\n";
  std::fflush(nullptr);
  std::fputs(line.c_str(), stderr);  // in one piece, for ranks may speak at once
  std::fflush(stderr);
  usleep(300'000);  // others may have something to say of the same call
  PMPI_Abort(MPI_COMM_WORLD, 3);
  _exit(3);
}

std::string Call::name() const {
  return std::string(function_) + " call " + std::to_string(number_);
}

std::size_t Call::width(MPI_Datatype type) const {
  if (type == MPI_DATATYPE_NULL) violation("without a type");
  int size = 0;
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_size(type, &size);
  PMPI_Type_get_extent(type, &lower, &extent);
  if (lower != 0 || extent != size) violation("a type with gaps, which the checker does not know");
  return static_cast<std::size_t>(size);
}

Parts Call::part(const void* buffer, int count, MPI_Datatype type) const {
  if (count < 0) violation("a count of " + std::to_string(count));
  auto* data = static_cast<std::byte*>(const_cast<void*>(buffer));
  return {{data, static_cast<std::size_t>(count) * width(type)}};
}

Parts Call::parts(const void* buffer, const int* counts, const int* places,
                  MPI_Datatype type) const {
  Parts all;
  std::size_t next = 0;
  for (std::size_t r = 0; r < ranks(); ++r) {
    Part one = part(buffer, counts[r], type)[0];
    const std::size_t place = places ? static_cast<std::size_t>(places[r]) * width(type) : next;
    next += one.bytes;
    if (one.bytes > 0) one.data += place;
    all.push_back(one);
  }
  return all;
}

Parts Call::equal_parts(const void* buffer, int count, MPI_Datatype type) const {
  return parts(buffer, std::vector<int>(ranks(), count).data(), nullptr, type);
}

void Call::require_apart(const Parts& sent, const Parts& received) const {
  if (overlap(sent, received)) violation("send and receive buffers overlap");
  for (std::size_t i = 1; i < received.size(); ++i) {
    if (overlap({received.begin(), received.begin() + static_cast<std::ptrdiff_t>(i)},
                {received[i]}))
      violation("the receive part of rank " + std::to_string(i) + " overlaps another's");
  }
  for (const InFlight& other : in_flight()) {
    if (overlap(received, other.sent()) || overlap(received, other.received()) ||
        overlap(sent, other.received()))
      violation("its buffer is in use by " + other.call().name() + ", still under way");
  }
}

void Call::require_agreement(const Description& mine) const {
  if (ranks_ == 1) return;
  Agreement agreement(*this, mine);
  // Whoever waits gives way: MPICH itself does not, and ranks may be more than cores.
  for (int done = 0; done == 0; sched_yield())
    PMPI_Test(&agreement.request(), &done, MPI_STATUS_IGNORE);
  agreement.judge();
}

void Call::require_pairs(std::vector<std::uint64_t> sent, const Parts& expected) const {
  std::vector<std::uint64_t> arriving(ranks());
  PMPI_Alltoall(sent.data(), 1, MPI_UINT64_T, arriving.data(), 1, MPI_UINT64_T, comm_);
  for (std::size_t r = 0; r < expected.size(); ++r) {
    if (arriving[r] != expected[r].bytes)
      violation("rank " + std::to_string(r) + " sends " + std::to_string(arriving[r]) +
                " bytes, expected are " + std::to_string(expected[r].bytes));
  }
}

}  // namespace mpi_checker
