#pragma once

#include <optional>
#include <string>

#include "zerolab/report/plan.hpp"

namespace zerolab {

/// What a bandwidth counts, and a volume with it.
enum class Directions { one, both };

/// What is asked of the calculator.
struct PlanOptions {
  std::string what;  ///< memory | traffic | time | fit
  std::string json;  ///< file, or "-" for stdout; empty: none
  PlannedModel model;
  Whole ranks = 0;
  std::optional<int> stage = {};     ///< of time; none: all
  std::optional<Whole> volume = {};  ///< bytes, instead of a model
  std::optional<Directions> directions = {};
  Whole bandwidth = 0;                  ///< bytes a second
  Fraction compute;                     ///< seconds
  std::optional<Fraction> target = {};  ///< efficiency
  Whole memory = 0, activations = 0;    ///< bytes of a rank

  bool json_only() const { return json == "-"; }
};

std::string_view name(StateLayout layout);

}  // namespace zerolab
