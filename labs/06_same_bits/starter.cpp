// Lab 06: same bits. Two sums of the same vectors differ; you find where, and mend it twice.
//
// Grade it:   ./run_labs.sh grade 06
#include <bit>
#include <cmath>

#include "lab.hpp"
#include "student.hpp"

namespace student {

float sum_in_order([[maybe_unused]] std::span<const float> numbers,
                   [[maybe_unused]] std::span<const std::size_t> order) {
  lab::not_written("sum_in_order()");
}

std::uint64_t ulps_between([[maybe_unused]] float a, [[maybe_unused]] float b) {
  // std::bit_cast<std::uint32_t>(a) gives the bits: a sign, then 31 bits that grow with |a|.
  lab::not_written("ulps_between()");
}

std::optional<Difference> first_difference([[maybe_unused]] std::span<const float> a,
                                           [[maybe_unused]] std::span<const float> b) {
  lab::not_written("first_difference()");
}

std::optional<Difference> mpi_difference([[maybe_unused]] MPI_Comm comm,
                                         [[maybe_unused]] std::span<const float> mine) {
  // const Ranks ranks(comm, mine.size());   ranks.shards.counts, ranks.shards.displacements
  lab::not_written("mpi_difference()");
}

void ordered_all_reduce([[maybe_unused]] MPI_Comm comm, [[maybe_unused]] std::span<float> data) {
  lab::not_written("ordered_all_reduce()");
}

double on_grid([[maybe_unused]] float g) {
  lab::not_written("on_grid()");
}

void exact_all_reduce([[maybe_unused]] MPI_Comm comm,
                      [[maybe_unused]] std::span<const std::vector<float>> mine,
                      [[maybe_unused]] std::span<float> sum) {
  lab::not_written("exact_all_reduce()");
}

}  // namespace student
