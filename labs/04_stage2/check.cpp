#include "check.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lab.hpp"
#include "meters.hpp"
#include "stage_lab.hpp"

namespace {

using lab::Check;

constexpr lab::StageLab stage2{2, student_stage};

/// Pythagorean: ranks hold 3 and 4, then 12, then 84, times the loss scale; √ of the sum of squares
/// is 5, 13, 85. A rank beyond those has an empty shard.
void norm_on_paper(Check& check) {
  const std::vector<std::vector<float>> shards{{3, 4}, {12}, {84}};
  const std::size_t held = std::min(check.ranks(), shards.size());
  const double right = std::array{5.0, 13.0, 85.0}.at(held - 1);
  const double sum_of_norms = std::array{5.0, 17.0, 101.0}.at(held - 1);
  const auto mine = check.rank() < held ? shards[check.rank()] : std::vector<float>{};
  for (const double scale : {1.0, 1024.0}) {
    std::vector<float> scaled;
    for (const float g : mine) scaled.push_back(g * static_cast<float>(scale));
    const double got = lab::gradient_norm(check.world(), scaled, scale);
    double own = 0;
    for (const float g : mine) own += static_cast<double>(g) * static_cast<double>(g);
    check.expect(got == right, "loss scale {}: expected {}, got {}{}", scale, right, got,
                 got == std::sqrt(own)             ? ": that is the norm of this rank's shard alone"
                 : got == sum_of_norms             ? ": that is a sum of norms"
                 : got == right * scale            ? ": the loss scale is still in it"
                 : got == right * std::sqrt(scale) ? ": the loss scale is taken out before the root"
                                                   : "");
  }
  const auto calls = lab::take_calls();
  const std::vector<float> large(1, check.rank() == 0 ? 0x1p80F : 0);
  const double norm = lab::gradient_norm(check.world(), large, 1);
  check.expect(norm == 0x1p80, "one element of 2^80: expected {}, got {}{}", 0x1p80, norm,
               std::isinf(norm) ? ": its square is too large for a float" : "");
  for (const auto& call : calls) {
    check.expect(call.bytes <= 16, "{} sends {} bytes: the norm needs one number of each rank",
                 call.function, call.bytes);
  }
}

void bits(Check& check) {
  for (const char* job : {"plain", "empty"}) lab::same_bits(check, stage2, job);
}
void more_bits(Check& check) {
  for (const char* job : {"micro-batches", "clipped", "skipped"})
    lab::same_bits(check, stage2, job);
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 1, "a norm from shards", norm_on_paper},
      {2, 1, "a step on paper", [](Check& check) { step_on_paper(check, stage2); }},
      {2, 2, "what a rank stores", [](Check& check) { stored(check, stage2); }},
      {3, 2, "what a step sends", [](Check& check) { sent(check, stage2); }},
      {3, 1, "what is held for a while", [](Check& check) { held_at_most(check, stage2); }},
      {4, 2, "the same bits, ragged and empty shards", bits},
      {5, 1, "the same bits, micro-batches, clipping, a skipped step", more_bits},
  };
}
