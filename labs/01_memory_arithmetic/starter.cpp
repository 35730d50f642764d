// Lab 01: what each rank stores, calculated and measured. What to write is in README.md, what goes
// in and comes out in lab.hpp.
//
// Grade it:   ./run_labs.sh grade 01
#include "lab.hpp"
#include "student.hpp"

namespace student {

using namespace zerolab;

// Task 1
States state_bytes(const Setting& /*setting*/, std::uint64_t /*elements*/, std::uint64_t /*ranks*/,
                   std::uint64_t /*rank*/) {
  lab::not_written("state_bytes()");
}

// Task 2
Cost cost(const Setting& /*setting*/) {
  lab::not_written("cost()");
}

std::uint64_t bytes_on_fullest(const Cost& /*cost*/, std::uint64_t /*elements*/,
                               std::uint64_t /*ranks*/) {
  lab::not_written("bytes_on_fullest()");
}

// Task 3
std::uint64_t bytes_of_all(const Cost& /*cost*/, std::uint64_t /*elements*/,
                           std::uint64_t /*ranks*/) {
  lab::not_written("bytes_of_all()");
}

// Task 4
Fraction reduction(const Cost& /*cost*/, std::uint64_t /*ranks*/) {
  lab::not_written("reduction()");
}

std::optional<Fraction> ceiling(const Cost& /*cost*/) {
  lab::not_written("ceiling()");
}

// Task 5
std::vector<Buffer> hold_states(const Setting& /*setting*/,
                                const std::vector<std::uint64_t>& /*units*/,
                                std::uint64_t /*ranks*/, std::uint64_t /*rank*/,
                                MemoryLedger& /*memory*/) {
  lab::not_written("hold_states()");
}

// Task 6
Measured measure(MPI_Comm /*ranks*/, const MemoryLedger& /*memory*/) {
  lab::not_written("measure()");
}

Cost cost_from_totals(std::uint64_t /*elements*/, const Total& /*one*/, const Total& /*other*/) {
  lab::not_written("cost_from_totals()");
}

}  // namespace student
