#pragma once

#include <string_view>

namespace zerolab {

extern const std::string_view digits_csv;  ///< labs/data/optdigits-test.csv, embedded at build time

}  // namespace zerolab
