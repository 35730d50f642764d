#pragma once

#include <span>
#include <vector>

#include "zerolab/comm/communicator.hpp"
#include "zerolab/core/number.hpp"

// What lab 07 has you write. The number types and their conversions are the library's:
// to_float(Half), widen(numbers, floats or doubles), narrow(floats or doubles, numbers).

namespace student {

using zerolab::ConstNumbers;
using zerolab::Half;
using zerolab::Numbers;
using zerolab::NumberType;

/// Bytes of the model states of Adam.
struct StateBytes {
  std::size_t parameters, gradients, master, momentum, variance;
};

/// Of that many parameters in fp16, bf16 or fp32.
StateBytes state_bytes(NumberType precision, std::size_t elements);

inline constexpr double smallest_scale = 1, largest_scale = 0x1p24;

struct LossScaler {
  double scale = 0x1p16;               ///< a power of two between the two above
  std::size_t growth_interval = 1000;  ///< updates in a row after which the scale doubles
  std::size_t updates_in_a_row = 0;    ///< since the last skipped step, or since the last growth
  std::size_t skips = 0;               ///< all skipped steps
};

/// What a step makes of the scaler: halved by a skipped one, doubled by the last of
/// growth_interval updates in a row. At the largest scale it stays, and the count starts anew all the
/// same.
void after_step(LossScaler& scaler, bool skipped);

/// Whether any rank's gradients hold an infinity or a NaN. Every rank calls it with what it has,
/// maybe nothing, and all get the same answer. One MPI_Allreduce of one word.
bool must_skip(MPI_Comm comm, std::span<const Half> gradients);

/// gradients become their mean over ranks, rounded to fp16 once. 8 bytes an element go to MPI.
void average(MPI_Comm comm, std::span<Half> gradients);

/// θ ← θ − η (g / S), each operation in fp32, then θ is stored in its own type (fp16, bf16, fp32).
/// How many updates are lost: g is not zero, and θ keeps its value.
std::size_t update_without_master(Numbers parameters, ConstNumbers gradients, float rate,
                                  float scale);

/// The same for the fp32 master weights; the parameters become what they round to. How many master
/// weights keep their value though g is not zero.
std::size_t update_with_master(std::span<float> master, Numbers parameters, ConstNumbers gradients,
                               float rate, float scale);

/// v ← β₂ v + (1 − β₂) g², each operation in fp32, then v is stored in its own type. How many
/// variances are zero though g is not.
std::size_t update_variance(Numbers variance, std::span<const float> gradients, float beta2);

/// What every rank of stage 0 holds for SGD in fp16.
struct Replica {
  std::vector<float> master;
  std::vector<Half> parameters;
  LossScaler scaler;
};

/// A step: average, skip or update, and the scaler is told. The gradients are this rank's, of the
/// loss times the replica's scale. Returns whether the step was skipped.
bool train_step(MPI_Comm comm, Replica& replica, std::span<Half> gradients, float rate);

/// Given: a run of fp16 numbers as widen and narrow take it.
inline Numbers numbers_of(std::span<Half> halves) {
  return {NumberType::fp16, std::as_writable_bytes(halves).data(), halves.size()};
}

}  // namespace student
