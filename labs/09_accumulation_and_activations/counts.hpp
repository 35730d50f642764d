#pragma once

#include "check.hpp"
#include "lab.hpp"
#include "zerolab/report/cost_model.hpp"

// Tasks 1 and 2: collectives and bytes, counted.

// The library counts collectives too; here, where they are to be counted, it is not to be had.
namespace {
using namespace zerolab;

[[noreturn]] void not_here() {
  throw Error("the library's cost model was called; what is asked for is yours");
}
}  // namespace
UnitCalls zerolab::calls_per_unit(const Job&, int, std::size_t) {
  not_here();
}
Volume zerolab::volume(const Job&, int, std::size_t) {
  not_here();
}

namespace {

using student::Sent, student::Training;

/// What a stage sends in any case, and for each micro-batch.
struct Row {
  Sent once;
  std::uint64_t each;
};
Row row(const Training& training) {
  switch (training.stage) {
    case 0:
      return {{1, 2}, 0};
    case 1:
      return {{2, 3}, 0};
    case 2:
      return {{1, 1}, 1};
    default:
      return {{0, 0}, training.checkpointing ? 4U : 3U};
  }
}

const char* mistake(const Training& training, const Sent& right, const Sent& got) {
  const bool larger = got.payload > right.payload;
  if (got.payload == right.payload)
    return training.stage < 2 ? ": on a ring an all-reduce is two halves"
                              : ": there is no all-reduce in it, so both conventions agree";
  if (training.stage < 2) return larger ? ": stages 0 and 1 send once a step, whatever k is" : "";
  if (training.stage == 3 && training.checkpointing)
    return larger ? "" : ": the recomputation needs the parameters as well, in a third gather";
  if (training.stage == 3)
    return larger ? "" : ": each micro-batch gathers twice and reduce-scatters once";
  return larger
             ? ": parameters are gathered once a step"
             : ": there is no place for full gradients, so every micro-batch is reduce-scattered";
}

void what_a_step_sends(lab::Check& check) {
  for (const std::uint64_t k : {1U, 4U, 2U, 3U, 7U, 1000U}) {
    for (const bool checkpointing : {false, true}) {
      for (int stage = 0; stage < 4; ++stage) {
        const Training training{stage, k, checkpointing};
        const auto [once, each] = row(training);
        const Sent right{once.payload + k * each, once.ring + k * each};
        const Sent got = student::sent(training);
        if (got != right)
          check.fail(
              "sent(), stage {}, k = {}{}: expected {} in payload and {} on the ring, got {} and "
              "{}{}",
              stage, k, checkpointing ? ", checkpointing" : "", right.payload, right.ring,
              got.payload, got.ring, mistake(training, right, got));
      }
    }
  }
}

void per_sample(lab::Check& check, const Training& training, std::uint64_t elements,
                std::uint64_t ranks, std::uint64_t batch) {
  const auto [once, each] = row(training);
  const std::uint64_t k = training.k, bytes = 2 * elements * (ranks - 1);
  const student::Fraction got = student::bytes_per_sample(training, elements, ranks, batch);
  const std::uint64_t right_up = (once.ring + k * each) * bytes, right_down = ranks * k * batch;
  const auto is = [&](std::uint64_t other_up, std::uint64_t other_down) {
    return got.numerator * other_down == got.denominator * other_up;
  };
  if (got.denominator > 0 && is(right_up, right_down)) return;
  check.fail(
      "bytes_per_sample(), stage {}, k = {}, Φ = {}, N = {}, B = {}: expected {}/{}, got "
      "{}/{}{}",
      training.stage, k, elements, ranks, batch, right_up, right_down, got.numerator,
      got.denominator,
      got.denominator == 0               ? ""
      : is(right_up, right_down * ranks) ? ": of this rank's samples, not of all ranks'"
      : is(right_up, right_down / k)     ? ": a rank trains k micro-batches in a step"
      : is(right_up, right_down * 2)     ? ": an element has 2 bytes"
      : is((once.payload + k * each) * bytes, right_down) ? ": that is the payload"
                                                          : "");
}

void bytes_per_sample(lab::Check& check) {
  for (const int stage : {1, 0, 2, 3}) {  // in stage 0 the payload is half, as 1-byte elements
    for (const std::uint64_t k : {1U, 4U, 5U, 16U}) {
      for (const bool checkpointing : {false, true}) {
        const Training training{stage, k, checkpointing};
        per_sample(check, training, 1000, 4, 5);
        per_sample(check, training, 999'983, 7, 32);
        per_sample(check, training, 1000, 1, 5);
      }
    }
    const auto text = [](const std::optional<std::uint64_t>& limit) {
      return limit ? fmt::format("{}", *limit) : std::string("no limit");
    };
    const auto right = stage < 2 ? std::nullopt : std::optional<std::uint64_t>(stage == 2 ? 2 : 1);
    const auto got = student::saved_at_most(stage);
    check.expect(got == right, "saved_at_most(), stage {}: expected {}, got {}", stage, text(right),
                 text(got));
  }
}

}  // namespace
