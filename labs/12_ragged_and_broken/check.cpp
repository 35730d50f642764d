#include "check.hpp"

#include <numeric>

#include "answers.hpp"
#include "lab.hpp"

namespace {

using lab::Check;

/// 10 elements on 4 ranks: 3, 3, 2, 2.
void on_paper(Check& check) {
  for (const auto& [rank, size, first] :
       {std::array<std::size_t, 3>{0, 3, 0}, {1, 3, 3}, {2, 2, 6}, {3, 2, 8}}) {
    check.equal(size, lab::shard_size(10, 4, rank),
                fmt::format("10 elements, N = 4: size of shard {}", rank));
    check.equal(first, lab::shard_first(10, 4, rank),
                fmt::format("10 elements, N = 4: first of shard {}", rank));
  }
  for (const auto& [index, owner] :
       {std::pair<std::size_t, std::size_t>{0, 0}, {2, 0}, {3, 1}, {5, 1}, {6, 2}, {9, 3}}) {
    check.equal(owner, lab::shard_owner(10, 4, index),
                fmt::format("10 elements, N = 4: owner of element {}", index));
  }
  check.equal(std::size_t{1}, lab::shard_size(2, 4, 1), "2 elements, N = 4: size of shard 1");
  check.equal(std::size_t{0}, lab::shard_size(2, 4, 2),
              "2 elements, N = 4: size of shard 2, which is empty");
  check.equal(std::size_t{2}, lab::shard_first(2, 4, 3),
              "2 elements, N = 4: first of shard 3, which is empty");
}

/// Whatever the sizes: shards follow each other, cover everything, and differ by one at most.
void everywhere(Check& check) {
  for (std::size_t elements = 0; elements <= 40; ++elements) {
    for (std::size_t ranks = 1; ranks <= 9; ++ranks) {
      std::size_t next = 0, longest = 0, shortest = elements;
      for (std::size_t r = 0; r < ranks; ++r) {
        const std::size_t size = lab::shard_size(elements, ranks, r);
        check.equal(next, lab::shard_first(elements, ranks, r),
                    fmt::format("{} elements, N = {}: first of shard {}", elements, ranks, r));
        for (std::size_t i = next; i < std::min(next + size, elements); ++i) {
          check.equal(r, lab::shard_owner(elements, ranks, i),
                      fmt::format("{} elements, N = {}: owner of element {}", elements, ranks, i));
        }
        next += size;
        longest = std::max(longest, size);
        shortest = std::min(shortest, size);
      }
      check.expect(next == elements, "{} elements, N = {}: shards hold {} in all", elements, ranks,
                   next);
      check.expect(longest - shortest <= 1,
                   "{} elements, N = {}: the longest shard has {} more than the shortest", elements,
                   ranks, longest - shortest);
      if (!check.holds()) return;
    }
  }
}

/// Patients first … first + 3. Which of them are wrong is not said: that could be tried out.
void patients(Check& check, std::size_t first) {
  const auto said = lab::diagnosis();
  std::size_t wrong = 0;
  for (std::size_t p = first; p < first + 4; ++p) {
    if (lab::answer(p, lab::fault_names.at(static_cast<std::size_t>(said.at(p - 1)))) !=
        lab::answers.at(p - 1))
      ++wrong;
  }
  check.expect(wrong == 0, "of patients {} to {} the diagnosis of {} is wrong", first, first + 3,
               wrong);
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 2, "ragged and empty shards on paper", on_paper},
      {2, 2, "ragged and empty shards of any size", everywhere},
      {3, 2, "patients 1 to 4", [](Check& check) { patients(check, 1); }},
      {4, 2, "patients 5 to 8", [](Check& check) { patients(check, 5); }},
      {5, 2, "patients 9 to 12", [](Check& check) { patients(check, 9); }},
  };
}
