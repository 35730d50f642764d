// Lab 08: what a step sends, in two conventions, and when bytes are not what counts.
//
// Ten functions of a few lines; lab.hpp and the handout say what each returns. You may call one
// from another.
//
// Grade it:   ./run_labs.sh grade 08
#include "lab.hpp"

// You have: zerolab::Shards{elements, N}.size(rank), the elements of a rank's ragged shard.

// Tasks 1 and 2

std::size_t student::payload_units([[maybe_unused]] int stage, [[maybe_unused]] std::size_t k) {
  lab::not_written("payload_units()");
}

std::size_t student::ring_units([[maybe_unused]] int stage, [[maybe_unused]] std::size_t k) {
  lab::not_written("ring_units()");
}

// Task 3

student::Ratio student::stage_3_to_0([[maybe_unused]] Convention convention,
                                     [[maybe_unused]] std::size_t k,
                                     [[maybe_unused]] std::size_t gathers) {
  lab::not_written("stage_3_to_0()");
}

// Task 4

student::Bill student::bill([[maybe_unused]] Convention convention, [[maybe_unused]] int stage,
                            [[maybe_unused]] std::uint64_t phi, [[maybe_unused]] std::size_t ranks,
                            [[maybe_unused]] std::size_t k) {
  lab::not_written("bill()");
}

// Task 5

std::size_t student::ring_bytes([[maybe_unused]] Collective collective,
                                [[maybe_unused]] std::size_t elements,
                                [[maybe_unused]] std::size_t bytes_per_element,
                                [[maybe_unused]] std::size_t ranks,
                                [[maybe_unused]] std::size_t rank) {
  lab::not_written("ring_bytes()");
}

// Task 6

std::size_t student::step_ring_bytes([[maybe_unused]] int stage, [[maybe_unused]] std::size_t k,
                                     [[maybe_unused]] std::span<const std::size_t> units,
                                     [[maybe_unused]] std::size_t ranks,
                                     [[maybe_unused]] std::size_t rank) {
  lab::not_written("step_ring_bytes()");
}

// Task 7

double student::message_seconds([[maybe_unused]] Link link, [[maybe_unused]] double bytes) {
  lab::not_written("message_seconds()");
}

double student::ring_seconds([[maybe_unused]] Link link, [[maybe_unused]] std::size_t ranks,
                             [[maybe_unused]] double bytes) {
  lab::not_written("ring_seconds()");
}

double student::doubling_seconds([[maybe_unused]] Link link, [[maybe_unused]] std::size_t ranks,
                                 [[maybe_unused]] double bytes) {
  lab::not_written("doubling_seconds()");
}

double student::latency_rules_below([[maybe_unused]] Link link,
                                    [[maybe_unused]] std::size_t ranks) {
  lab::not_written("latency_rules_below()");
}
