#pragma once

#include <cmath>
#include <numeric>

#include "check.hpp"
#include "lab.hpp"
#include "meters.hpp"

// Task 3: gradients of samples that are integers, and what a wrong average may come from.

namespace {

using namespace zerolab;

/// n samples on N ranks: micro-batch j of rank r takes B of them from position (jN + r)B on, or
/// what is left.
struct Samples {
  std::size_t ranks, k, batch, all, elements;

  std::size_t begin(std::size_t rank, std::size_t j) const {
    return std::min((j * ranks + rank) * batch, all);
  }
  std::size_t size(std::size_t rank, std::size_t j) const {
    return std::min(begin(rank, j) + batch, all) - begin(rank, j);
  }
  /// Every sample has 12 in element 0 and its number in element 1.
  static double gradient(std::size_t sample, std::size_t i) {
    if (i < 2) return i == 0 ? 12.0 : static_cast<double>(sample);
    return static_cast<double>((sample * 77 + i * 13) % 201) - 100;
  }
  double sum(std::size_t i, std::size_t rank, std::size_t j) const {
    double sum = 0;
    for (std::size_t m = 0; m < size(rank, j); ++m) sum += gradient(begin(rank, j) + m, i);
    return sum;
  }
  double sum(std::size_t i) const {
    double sum = 0;
    for (std::size_t m = 0; m < all; ++m) sum += gradient(m, i);
    return sum;
  }
};

/// How much a micro-batch of so many samples counts: micro-batch j of rank r.
using Weight = std::function<double(double samples, std::size_t r, std::size_t j)>;

bool is_weighted(const Samples& s, std::size_t first, std::span<const float> got,
                 const Weight& weight) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    double it = 0;
    for (std::size_t r = 0; r < s.ranks; ++r) {
      for (std::size_t j = 0; j < s.k; ++j)
        it +=
            s.sum(first + i, r, j) * weight(std::max(static_cast<double>(s.size(r, j)), 1.0), r, j);
    }
    if (std::abs(got[i] - it) > 1e-6 * std::abs(it)) return false;
  }
  return true;
}

/// What the elements from `first` on, all of them, are instead.
const char* mistake(const Samples& s, std::size_t rank, std::size_t first,
                    std::span<const float> got) {
  const auto n = static_cast<double>(s.all), k = static_cast<double>(s.k);
  const auto ranks = static_cast<double>(s.ranks), batch = static_cast<double>(s.batch);
  const auto always = [](double weight) {
    return [weight](double, std::size_t, std::size_t) { return weight; };
  };
  const std::pair<Weight, const char*> mistakes[]{
      {always(1 / n), ": the sum is whole before it is divided, and is divided once"},
      {always(1), ": a sum, not a mean"},
      {always(1 / n / k), ": divided by k once too often"},
      {always(1 / n / ranks), ": divided by N once too often"},
      {always(1 / (ranks * k * batch)), ": divided by N·k·B, but not every micro-batch is full"},
      {[&](double, std::size_t, std::size_t j) { return j + 1 == s.k ? 1 / n : 0; },
       ": only the last micro-batch is in it"},
      {[&](double, std::size_t r, std::size_t) { return r == rank ? 1 / n : 0; },
       ": only this rank's own samples are in it (after reduce_scatter() the shard of the sum lies "
       "at the front)"},
      {[&](double samples, std::size_t, std::size_t) { return 1 / (samples * k * ranks); },
       ": a mean of means; each sample counts alike, not each micro-batch"},
  };
  for (const auto& [weight, words] : mistakes) {
    if (is_weighted(s, first, got, weight)) return words;
  }
  const bool began_elsewhere = std::ranges::any_of(got, [](float x) { return x > 1e28F; });
  return began_elsewhere ? ": what average holds before the call is not zero" : "";
}

void sent_as_calculated(lab::Check& check, const std::string& what, const Samples& s, bool shard) {
  const std::size_t right = shard ? s.k * s.elements : s.elements;
  const std::string_view asked = shard ? "educe_scatter" : "llreduce";  // blocking or not
  std::size_t elements = 0;
  for (const lab::Call& call : lab::take_calls()) {
    if (call.function.find(asked) != std::string_view::npos) {
      elements += call.elements;
    } else {
      check.fail("{}: calls {}{}", what, call.function,
                 shard ? "; a shard of the sum is enough" : "; one all-reduce does it");
    }
  }
  check.expect(elements == right, "{}: expected {} elements in {}, got {}{}", what, right,
               shard ? "reduce-scatters, every micro-batch" : "all-reduces, once a step", elements,
               elements == s.k * s.elements ? ": micro-batches are added up first, then sent once"
               : elements == s.elements && s.all > s.ranks * s.batch
                   ? ": who sends once has kept Φ sums, and has room for Φ/N"
               : elements < right && shard
                   ? ": a micro-batch without samples is sent too, since other ranks may have some"
                   : "");
}

void average(lab::Check& check, int stage, std::size_t k, std::size_t batch, std::size_t all,
             std::size_t elements) {
  const Samples s{check.ranks(), k, batch, all, elements};
  const bool shard = stage >= 2;
  const Shards cut{elements, check.ranks()};
  const std::size_t first = shard ? cut.first(check.rank()) : 0;
  std::vector<float> got(shard ? cut.size(check.rank()) : elements, 1e30F);
  const std::string what =
      fmt::format("average_gradient(), stage {}, N = {}, k = {}, {} samples, rank {}", stage,
                  s.ranks, k, all, check.rank());
  std::vector<std::size_t> times(k);
  lab::take_calls();
  const MemoryLedger nothing;
  lab::HeapWatch heap(nothing);
  const student::Step step{k, all, [&](std::size_t j, std::span<float> gradient) {
                             heap.look();
                             ++times.at(j);
                             for (std::size_t i = 0; i < gradient.size(); ++i)
                               gradient[i] = static_cast<float>(s.sum(i, check.rank(), j));
                             return s.size(check.rank(), j);
                           }};
  student::average_gradient(stage, step, elements, check.comm, got);
  check.expect(times == std::vector<std::size_t>(k, 1), "{}: micro-batches 0 … k−1 run {} times",
               what, times);
  for (std::size_t i = 0; i < got.size() && check.holds(); ++i) {
    const auto right = static_cast<float>(s.sum(first + i) / static_cast<double>(all));
    if (got[i] != right)
      check.fail("{}, element {}: expected {}, got {}{}", what, first + i, right, got[i],
                 mistake(s, check.rank(), first, got));
  }
  sent_as_calculated(check, what, s, shard);
  // The gradient, its sum in double, and a shard beside them.
  const std::size_t vectors = heap.unaccounted().value_or(0) / (elements * sizeof(float));
  check.expect(elements < 10'000 || vectors <= 4, "{}: {} vectors of Φ fp32 numbers are held: {}",
               what, vectors, "each micro-batch is added to the sum before the next one is run");
}

void averages(lab::Check& check) {
  const std::size_t n = check.ranks();
  for (int stage = 0; stage < 4; ++stage) {
    average(check, stage, 1, 2, 2 * n, 2);
    average(check, stage, 5, 2, 10 * n, 2);
    average(check, stage, 5, 4, 20 * n - 3, 7);  // the last micro-batch has one sample
    average(check, stage, 5, 2, 1, 1);           // all others are empty, and most shards
    average(check, stage, 8, 1, 8 * n - 1, (1U << 16) + 3);
  }
}

}  // namespace
