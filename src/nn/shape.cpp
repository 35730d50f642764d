#include <algorithm>
#include <cmath>

#include "zerolab/core/random.hpp"
#include "zerolab/nn/network.hpp"

namespace zerolab {

std::size_t NetworkShape::first(std::size_t unit) const {
  std::size_t sum = 0;
  for (std::size_t l = 0; l < unit; ++l) sum += elements(l);
  return sum;
}

std::size_t NetworkShape::tile_rows(std::size_t unit) const {
  constexpr std::size_t cached = std::size_t{1} << 18;  // 1 MiB of fp32
  return std::clamp<std::size_t>(cached / in(unit), 1, out(unit));
}

std::size_t NetworkShape::workspace(std::size_t unit, NumberType stored) const {
  if (stored == NumberType::fp32) return 0;
  return std::max(tile_rows(unit) * in(unit), out(unit));
}

double NetworkShape::forward_flops(std::size_t unit, std::size_t rows) const {
  return 2 * static_cast<double>(rows) * static_cast<double>(elements(unit) - out(unit));
}

double NetworkShape::backward_flops(std::size_t unit, std::size_t rows) const {
  return (unit == 0 ? 1 : 2) * forward_flops(unit, rows);
}

std::size_t NetworkShape::activation_bytes(std::size_t rows, std::size_t evaluated,
                                           NumberType stored) const {
  std::size_t peak = 0, inputs = in(0);  // inputs of units 0 … l, in elements of a row
  for (std::size_t l = 0; l < units(); ++l) {
    const std::size_t workspace_here = workspace(l, stored);
    inputs += out(l);
    // Backward of unit l: all inputs up to it, the gradient of its output, and that of its input.
    const std::size_t backward = rows * (inputs + (l > 0 ? in(l) : 0));
    const std::size_t forward = evaluated * (in(l) + out(l));
    if (rows > 0) peak = std::max(peak, backward + workspace_here);
    if (evaluated > 0) peak = std::max(peak, forward + workspace_here);
  }
  return peak * width(NumberType::fp32);
}

void initial_parameters(const NetworkShape& shape, std::uint64_t seed, std::size_t unit,
                        std::size_t first, std::span<float> values) {
  const std::size_t weights = shape.in(unit)*shape.out(unit);
  const auto limit = static_cast<float>(std::sqrt(6.0 / static_cast<double>(shape.in(unit))));
  const std::size_t global = shape.first(unit) + first;  // index of values[0] in the whole model
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = first + i < weights ? limit * random_symmetric(seed, global + i) : 0.0F;
  }
}

}  // namespace zerolab
