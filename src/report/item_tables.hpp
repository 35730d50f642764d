#pragma once

#include <span>

#include "zerolab/report/items.hpp"

namespace zerolab {

// The items' words, by the documents they come from, in their order.
std::span<const Item> exercise_items();
std::span<const Item> claim_items();     ///< true or false, spot the error
std::span<const Item> question_items();  ///< why, edge cases, self-tests

}  // namespace zerolab
