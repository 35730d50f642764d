#pragma once

#include <optional>

#include "zerolab/report/training.hpp"

namespace zerolab {

/// Where two stages part: the first step after which their parameters differ, and there the first
/// element.
struct FirstDifference {
  int stage = 0, reference = 0;
  std::size_t step = 0;             ///< counted from 1
  std::size_t unit = 0, index = 0;  ///< element within the unit
  double a = 0, b = 0;              ///< its value in the reference stage and in the other
  std::uint64_t ulps = 0;           ///< numbers of the storage type from a to b
  std::size_t differing = 0;        ///< elements that differ, of the whole model
};

/// Numbers of the type from a to b, counted over the ordered bit patterns; 0 when equal.
std::uint64_t ulps_between(NumberType type, ConstNumbers a, ConstNumbers b);

/// Trains the stages of `reference` and `other` again up to the first step in which their step
/// digests differ, and compares element by element. None when no step differs. All ranks together.
std::optional<FirstDifference> find_first_difference(const Training& reference,
                                                     const Outcome& first, const Training& other,
                                                     const Outcome& second);

}  // namespace zerolab
