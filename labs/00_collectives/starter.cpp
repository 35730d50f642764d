// Lab 00: an all-reduce from MPI_Sendrecv, as a ring and by recursive doubling.
//
// Five functions are to be written; lab.hpp and the handout say what each does. They can be written
// one after the other: each task is graded for itself.
//
// Grade it:   ./run_labs.sh grade 00
#include "lab.hpp"

// You have, for a vector of Φ elements on N ranks:
//   const zerolab::Shards cut{full.size(), N};
//   cut.size(r), cut.first(r)                             elements of rank r's shard, and its first
//   full.subspan(cut.first(r), cut.size(r))               the shard itself, a std::span<double>
//   span.data(), span.size(), span.size_bytes()
// and MPI counts in int: static_cast<int>(span.size()).

std::size_t student::reduce_scatter([[maybe_unused]] std::span<double> full,
                                    [[maybe_unused]] MPI_Comm ranks) {
  lab::not_written("reduce_scatter()");
}

std::size_t student::all_gather([[maybe_unused]] std::span<double> full,
                                [[maybe_unused]] MPI_Comm ranks) {
  lab::not_written("all_gather()");
}

std::size_t student::all_reduce([[maybe_unused]] std::span<double> full,
                                [[maybe_unused]] MPI_Comm ranks) {
  lab::not_written("all_reduce()");
}

std::size_t student::all_reduce_by_doubling([[maybe_unused]] std::span<double> full,
                                            [[maybe_unused]] MPI_Comm ranks) {
  lab::not_written("all_reduce_by_doubling()");
}

bool student::ring_is_faster([[maybe_unused]] std::size_t elements,
                             [[maybe_unused]] std::size_t ranks,
                             [[maybe_unused]] std::size_t latency_bytes) {
  lab::not_written("ring_is_faster()");
}
