#include "check.hpp"

#include "stage_lab.hpp"
#include "student_stage.hpp"

namespace {

constexpr lab::StageLab stage1{1, student_stage};

void bits(lab::Check& check) {
  for (const char* job : {"plain", "empty"}) lab::same_bits(check, stage1, job);
}
void more_bits(lab::Check& check) {
  for (const char* job : {"micro-batches", "clipped", "skipped"})
    lab::same_bits(check, stage1, job);
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 2, "a step on paper", [](Check& check) { step_on_paper(check, stage1); }},
      {2, 2, "what a rank stores", [](Check& check) { stored(check, stage1); }},
      {3, 2, "what a step sends", [](Check& check) { sent(check, stage1); }},
      {3, 1, "what is held for a while", [](Check& check) { held_at_most(check, stage1); }},
      {4, 2, "the same bits, ragged and empty shards", bits},
      {5, 1, "the same bits, micro-batches, clipping, a skipped step", more_bits},
  };
}
