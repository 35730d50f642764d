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
                                           NumberType stored, std::size_t segments) const {
  std::size_t peak = 0;  // in elements
  // Inputs in elements of a row: of the segments up to this one, and of this one's units up to l.
  std::size_t kept = 0, inputs = 0;
  for (std::size_t l = 0; l < units(); ++l) {
    const auto [first, last] = segment_of(l, units(), std::max<std::size_t>(segments, 1));
    if (l == first) kept += in(l);
    inputs = l == first ? kept : inputs + in(l);
    const std::size_t workspace_here = workspace(l, stored);
    // Backward of unit l: these inputs, the gradient of its output, and that of its input. Before
    // it, recomputation: these inputs, its output, and the gradient of the last unit's output; the
    // forward pass held less.
    const std::size_t backward = inputs + out(l) + (l > 0 ? in(l) : 0);
    const std::size_t recompute = segments > 0 ? inputs + out(l) + out(last) : 0;
    const std::size_t forward = evaluated * (in(l) + out(l));
    if (rows > 0) peak = std::max(peak, rows * std::max(backward, recompute) + workspace_here);
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
