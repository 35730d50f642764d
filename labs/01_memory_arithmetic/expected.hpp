#pragma once

#include <numeric>

#include "check.hpp"
#include "lab.hpp"
#include "zerolab/core/shards.hpp"

// What a rank is to hold, and what a wrong number may come from.

namespace {

using namespace zerolab;
using student::Cost, student::Fraction, student::Measured, student::States;
using Kind = student::Optimizer;
using Number = std::uint64_t;

constexpr Number billion = 1'000'000'000;

/// A way to train: bytes of an element of each state, and how many of them each stage keeps full.
struct Way {
  const char* name;
  NumberType precision;
  Kind optimizer;
  States bytes;
  std::array<Number, 4> full;  ///< a of stages 0 … 3

  student::Setting in(int stage) const { return {stage, precision, optimizer}; }
};
const std::array<Way, 5> ways{{
    {"fp16, Adam", NumberType::fp16, Kind::adam, {2, 2, 4, 4, 4}, {16, 4, 2, 0}},
    {"fp32, Adam", NumberType::fp32, Kind::adam, {4, 4, 0, 4, 4}, {16, 8, 4, 0}},
    {"bf16, momentum", NumberType::bf16, Kind::sgd_with_momentum, {2, 2, 4, 4, 0}, {12, 4, 2, 0}},
    {"bf16, SGD", NumberType::bf16, Kind::sgd, {2, 2, 4, 0, 0}, {8, 4, 2, 0}},
    {"fp32, SGD", NumberType::fp32, Kind::sgd, {4, 4, 0, 0, 0}, {8, 8, 4, 0}},
}};
const Way& mixed = ways[0];

/// What a stage shards, in the order of the states: the first figure of the ZeRO paper.
bool sharded(int stage, std::size_t state) {
  constexpr std::array<std::string_view, 4> figure{"-----", "--###", "-####", "#####"};
  return figure[static_cast<std::size_t>(stage)][state] == '#';
}

/// What a rank is to hold between steps.
struct Case {
  const Way& way;
  int stage;
  std::vector<Number> units;
  Number ranks, rank;

  template <class Size>
  Number elements(Size size) const {
    Number sum = 0;
    for (const Number unit : units) sum += size(Shards{unit, ranks});
    return sum;
  }
  Number all() const { return std::accumulate(units.begin(), units.end(), Number{0}); }
  Number bytes(std::size_t state) const {
    const Number shard = elements([&](const Shards& cut) { return cut.size(rank); });
    return way.bytes[state] * (sharded(stage, state) ? shard : all());
  }
  /// What may have led to a wrong number.
  const char* hint(std::size_t state, Number got) const {
    const Number width = way.bytes[state];
    const bool master = static_cast<Category>(state) == Category::master;
    if (width == 0 && master) return ": fp32 parameters are their own master weights";
    if (width == 0) return ": this optimizer keeps none";
    if (master && got == 0 && !sharded(stage, state))
      return ": the fp32 copy of 16-bit parameters is forgotten";
    if (got == 0) return ": nothing of it; Buffers are in the ledger as long as they live";
    if (got < bytes(state) && !sharded(stage, state))
      return ": this stage keeps it full everywhere";
    if (got == width * all()) return ": this stage shards it";
    if (got % width != 0) return ": no whole elements; deal out elements, then count bytes";
    if (units.size() > 1 && got == width * Shards{all(), ranks}.size(rank))
      return ": a share of all units in one piece; each unit is cut by itself";
    if (got == width * elements([](const Shards& cut) { return cut.size(0); }))
      return ": rounded up on every rank, which is padding";
    if (got == width * elements([](const Shards& cut) { return cut.elements / cut.ranks; }))
      return ": the elements left over, Φ mod N, are with nobody";
    return "";
  }
  void compare(lab::Check& check, const char* what, std::size_t state, Number right,
               Number got) const {
    check.expect(got == right,
                 "{}, stage {}, {}, {} elements, rank {} of {}: {}, expected {} bytes, got {}{}",
                 what, stage, way.name, fmt::join(units, " and "), rank, ranks,
                 name(static_cast<Category>(state)), right, got, hint(state, got));
  }
};

}  // namespace
