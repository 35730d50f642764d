// Lab 09: accumulation of micro-batches, and activation checkpointing. What to write is in
// README.md, what goes in and comes out in lab.hpp.
//
// Grade it:   ./run_labs.sh grade 09
#include "lab.hpp"

#include "student.hpp"

namespace student {

using namespace zerolab;

// Task 1
Sent sent(const Training& /*training*/) {
  lab::not_written("sent()");
}

// Task 2
Fraction bytes_per_sample(const Training& /*training*/, std::uint64_t /*elements*/,
                          std::uint64_t /*ranks*/, std::uint64_t /*batch*/) {
  lab::not_written("bytes_per_sample()");
}

std::optional<std::uint64_t> saved_at_most(int /*stage*/) {
  lab::not_written("saved_at_most()");
}

// Task 3
void average_gradient(int /*stage*/, const Step& /*step*/, std::size_t /*elements*/,
                      Communicator& /*comm*/, std::span<float> /*average*/) {
  lab::not_written("average_gradient()");
}

// Tasks 4, 5 and 7
void run_batch(Chain& /*chain*/, Buffer /*input*/, std::size_t /*segments*/) {
  lab::not_written("run_batch()");
}

// Task 6
std::uint64_t activation_bytes(const EqualLayers& /*network*/) {
  lab::not_written("activation_bytes()");
}

std::uint64_t best_segments(std::uint64_t /*layers*/) {
  lab::not_written("best_segments()");
}

}  // namespace student
