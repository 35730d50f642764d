#pragma once

namespace zerolab::portable {

// From + − × ÷ alone, so that every machine has the same bits; a C library may round otherwise.
// Both take any double: infinities, NaN, zeros and subnormal numbers as IEEE has them.

/// eˣ; its error is below 2 units in the last place.
double exp(double x);
/// The natural logarithm; its error is below 5 units in the last place. NaN below 0.
double log(double x);

}  // namespace zerolab::portable
