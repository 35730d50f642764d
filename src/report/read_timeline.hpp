#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "zerolab/core/memory_ledger.hpp"
#include "zerolab/report/results.hpp"

namespace zerolab {

/// What a rank computes, as spans and marks call it.
inline const std::set<std::string> computations{"forward", "recompute", "backward", "update"};

/// One step of one rank, as train --timeline writes it; times in seconds from its begin.
struct MeasuredTimeline {
  struct Change {
    Category category;
    std::int64_t bytes;
  };
  struct Span {
    double begin, end;
    std::string what;  ///< one of computations, or a collective
    std::optional<std::uint64_t> unit;

    bool computes() const { return computations.contains(what); }
  };
  struct Mark {
    std::size_t after;  ///< changes of memory that came before it
    std::optional<std::uint64_t> unit;
    std::string words;
  };

  std::string file;
  int stage = 0;
  std::uint64_t ranks = 0, rank = 0, parameters = 0;
  std::string reduce;
  bool simulated = false;
  double seconds = 0;
  std::array<std::int64_t, categories> held{};  ///< when the step begins
  std::vector<Change> memory;
  std::vector<Span> spans;
  std::vector<Mark> marks;
};

/// Of a stage or its overlapped twin; none when there is no such file. Throws Error naming file and
/// key.
std::optional<MeasuredTimeline> read_timeline(Results& results, int stage, bool overlapped);

}  // namespace zerolab
