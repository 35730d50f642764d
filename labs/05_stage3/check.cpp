#include "check.hpp"

#include "lab.hpp"
#include "stage_lab.hpp"

namespace {

constexpr lab::StageLab stage3{3, student_stage};
constexpr lab::StageLab keeping{3, student_stage_that_keeps, true};

void bits(lab::Check& check) {
  for (const char* job : {"plain", "empty"}) lab::same_bits(check, stage3, job);
}
void more_bits(lab::Check& check) {
  for (const char* job : {"micro-batches", "clipped", "skipped"})
    lab::same_bits(check, stage3, job);
}
void trade(lab::Check& check) {
  lab::held_at_most(check, keeping);
  lab::released_in_time(check, keeping);
  lab::sent(check, keeping);
  for (const char* job : {"plain", "micro-batches"}) lab::same_bits(check, keeping, job);
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 1, "a step on paper", [](Check& check) { step_on_paper(check, stage3); }},
      {2, 2, "what a rank stores", [](Check& check) { stored(check, stage3); }},
      {3, 1, "what a step sends", [](Check& check) { sent(check, stage3); }},
      {3, 1, "what is held for a while", [](Check& check) { held_at_most(check, stage3); }},
      {4, 2, "the same bits, ragged and empty shards", bits},
      {4, 1, "the same bits, micro-batches, clipping, a skipped step", more_bits},
      {5, 2, "the trade: one gather less, the model at hand", trade},
  };
}
