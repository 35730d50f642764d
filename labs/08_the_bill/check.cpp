#include "check.hpp"

#include <array>
#include <numeric>

#include "lab.hpp"
#include "measured.hpp"
#include "on_paper.hpp"

namespace {

using lab::Check;
using on_paper::name_of;
using student::Convention;
using zerolab::Collective;
using zerolab::NumberType;
using zerolab::Shards;
using zerolab::UnitCalls;

constexpr std::array<std::size_t, 3> micro_batches{1, 2, 4};

/// Which mistake gives so many units in place of the right number.
std::string likely(int stage, std::size_t k, std::size_t right, std::size_t got) {
  if (stage < 2 && k > 1) return ": this stage sends once a step, however many micro-batches";
  if (stage < 2 && got + 1 == right) return ": a ring sends an all-reduce twice";
  if (stage < 2 && got == right + 1) return ": payload counts an all-reduce once, as any other";
  if (stage == 2 && got == 2 * k) return ": updated parameters are gathered once a step";
  if (stage >= 2 && got == static_cast<std::size_t>(stage))
    return ": that is one micro-batch, and gradients of this stage cannot wait for the others";
  return "";
}

void in_units(Check& check, Convention convention) {
  const bool ring = convention == Convention::ring;
  const std::size_t one =
      ring ? (check.ranks() - 1) * measured::phi * measured::bytes_per_element : measured::phi;
  for (int stage = 0; stage < 4; ++stage) {
    for (const std::size_t k : micro_batches) {
      const auto step = measured::step(check, measured::calls_of(stage, k));
      const std::size_t all = ring ? measured::over_ranks(check, step.ring_bytes) : step.elements;
      const std::size_t got =
          ring ? student::ring_units(stage, k) : student::payload_units(stage, k);
      if (one == 0) continue;
      check.expect(got * one == all,
                   "{}_units, stage {}, k = {}: the ledger has {} {} = {} × {}; got {}{}",
                   name_of(convention), stage, k, all,
                   ring ? "bytes of all ranks by its ring model" : "elements that MPI was handed",
                   all / one, one, got, likely(stage, k, all / one, got));
    }
  }
}

void ratios(Check& check) {
  const auto zero = measured::step(check, {1, 0, 0});
  for (const std::size_t k : micro_batches) {
    for (const std::size_t gathers : std::array<std::size_t, 3>{2, 1, 3}) {
      const auto three = measured::step(check, {0, k, gathers * k});
      const auto compare = [&](Convention convention, std::size_t a, std::size_t b) {
        const student::Ratio got = student::stage_3_to_0(convention, k, gathers);
        if (b == 0) return;
        const std::size_t divisor = std::gcd(a, b);
        check.expect(
            got.denominator > 0 && got.numerator * b == got.denominator * a,
            "stage_3_to_0, {}, k = {}, {} gathers: the ledger has {} against {}, so {}/{}; got "
            "{}/{}",
            name_of(convention), k, gathers, a, b, a / divisor, b / divisor, got.numerator,
            got.denominator);
      };
      compare(Convention::payload, three.elements, zero.elements);
      compare(Convention::ring, measured::over_ranks(check, three.ring_bytes),
              measured::over_ranks(check, zero.ring_bytes));
    }
  }
}

/// A call of `elements` by a rank of so many.
void call_bytes(Check& check, Collective collective, std::size_t elements, std::size_t bytes,
                std::size_t ranks, std::size_t rank, std::size_t right) {
  const std::size_t got = student::ring_bytes(collective, elements, bytes, ranks, rank);
  const std::size_t but_mine = elements - Shards{elements, ranks}.size(rank);
  const char* mistake = "";
  if (got * bytes == right) {
    mistake = ": elements, not bytes";
  } else if (got == elements * bytes) {
    mistake = ": one shard need not be sent";
  } else if (collective == Collective::all_gather && got == but_mine * bytes) {
    mistake = ": in an all-gather it is the next rank's shard that is not sent";
  } else if (got == elements * (ranks - 1) / ranks * bytes) {
    mistake = ": Φ(N−1)/N is the mean over ranks, and shards are ragged";
  }
  check.expect(got == right,
               "ring_bytes, {} of {} elements of {} bytes, rank {} of {}: expected {}, got {}{}",
               name(collective), elements, bytes, rank, ranks, right, got, mistake);
}

void ring_of_a_call(Check& check) {
  // On paper: 7 elements on 3 ranks, shards of 3, 2 and 2.
  constexpr std::array<std::size_t, 3> scatter{4, 5, 5}, gather{5, 5, 4};
  for (std::size_t r = 0; r < 3; ++r)
    call_bytes(check, Collective::reduce_scatter, 7, 2, 3, r, 2 * scatter[r]);
  for (std::size_t r = 0; r < 3; ++r)
    call_bytes(check, Collective::all_gather, 7, 2, 3, r, 2 * gather[r]);
  for (std::size_t r = 0; r < 3; ++r)
    call_bytes(check, Collective::all_reduce, 7, 2, 3, r, 2 * (scatter[r] + gather[r]));
  for (const NumberType type : {NumberType::fp16, NumberType::fp32, NumberType::fp64}) {
    for (const std::size_t elements : std::array<std::size_t, 3>{1, 2, 101}) {
      for (const Collective collective :
           {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
        call_bytes(check, collective, elements, width(type), check.ranks(), check.rank(),
                   measured::call(check, collective, type, elements).ring_bytes);
      }
    }
  }
}

/// Ring bytes of this rank if all units were one vector, or one of so many elements.
std::size_t ring_model(const Check& check, const UnitCalls& calls, std::size_t elements) {
  const Shards cut{elements, check.ranks()};
  const std::size_t scatter = elements - cut.size(check.rank()),
                    gather = elements - cut.size((check.rank() + 1) % check.ranks());
  return measured::bytes_per_element * ((calls.all_reduce + calls.reduce_scatter) * scatter +
                                        (calls.all_reduce + calls.all_gather) * gather);
}

void ring_of_a_step(Check& check) {
  for (int stage = 0; stage < 4; ++stage) {
    for (const std::size_t k : micro_batches) {
      const UnitCalls calls = measured::calls_of(stage, k);
      const std::size_t right = measured::step(check, calls).ring_bytes;
      const std::size_t got =
          student::step_ring_bytes(stage, k, measured::units, check.ranks(), check.rank());
      std::size_t only_gathers = 0;
      for (const std::size_t elements : measured::units)
        only_gathers += ring_model(check, {0, 0, 3 * k}, elements);
      check.expect(
          got == right,
          "step_ring_bytes, stage {}, k = {}, units of {} elements: by the ledger {} bytes of "
          "this rank, got {}{}",
          stage, k, fmt::join(measured::units, ", "), right, got,
          stage == 3 && got == only_gathers
              ? ": that is three all-gathers, and one is a reduce-scatter"
          : got == ring_model(check, calls, measured::phi)
              ? ": that is all units as one vector, and each has shards of its own"
              : "");
    }
  }
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 2, "payload of a step", [](Check& check) { in_units(check, Convention::payload); }},
      {2, 1, "ring of a step", [](Check& check) { in_units(check, Convention::ring); }},
      {2, 2, "why 3 is 1.5", ratios},
      {2, 1, "175 billion parameters on 64 ranks", on_paper::bills},
      {3, 1, "ring bytes of a call, ragged shards", ring_of_a_call},
      {4, 2, "ring bytes of a step, rank by rank", ring_of_a_step},
      {5, 1, "where latency rules", on_paper::latency},
  };
}
