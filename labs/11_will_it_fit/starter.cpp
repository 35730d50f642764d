// Lab 11: will it fit? What to write is in README.md, what goes in and comes out in lab.hpp.
//
// Grade it:   ./run_labs.sh grade 11
#include "lab.hpp"
#include "student.hpp"

namespace student {

// Task 1
std::uint64_t state_bytes(int /*stage*/, std::uint64_t /*parameters*/, std::uint64_t /*ranks*/) {
  lab::not_written("state_bytes()");
}

// Task 2
bool fits(int /*stage*/, const Need& /*need*/, std::uint64_t /*ranks*/) {
  lab::not_written("fits()");
}

// Task 3
std::optional<std::uint64_t> smallest_ranks(int /*stage*/, const Need& /*need*/) {
  lab::not_written("smallest_ranks()");
}

std::optional<std::uint64_t> smallest_power_of_two(int /*stage*/, const Need& /*need*/) {
  lab::not_written("smallest_power_of_two()");
}

// Task 4
std::optional<int> recommend(const Need& /*need*/, std::uint64_t /*ranks*/) {
  lab::not_written("recommend()");
}

// Task 5
std::uint64_t recomputed_bytes(std::uint64_t /*units*/, std::uint64_t /*segments*/,
                               std::uint64_t /*unit_bytes*/) {
  lab::not_written("recomputed_bytes()");
}

std::uint64_t best_segments(std::uint64_t /*units*/) {
  lab::not_written("best_segments()");
}

// Task 6
Remedies remedies(const Need& /*need*/, std::uint64_t /*ranks*/, std::uint64_t /*recomputed*/) {
  lab::not_written("remedies()");
}

}  // namespace student
