#include "zerolab/report/first_difference.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace zerolab {

namespace {

/// Maps the bits of a floating-point number to integers in the order of the numbers, -0 and +0
/// apart.
std::int64_t ordered(std::uint32_t bits, unsigned sign_bit) {
  const auto magnitude = static_cast<std::int64_t>(bits & ((1U << sign_bit) - 1));
  return (bits >> sign_bit) != 0 ? -magnitude - 1 : magnitude;
}

std::int64_t ordered(ConstNumbers one) {
  if (one.type == NumberType::fp32) {
    return ordered(std::bit_cast<std::uint32_t>(one.as<const float>()[0]), 31);
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, one.data, sizeof bits);
  return ordered(bits, 15);
}

double value_of(ConstNumbers one) {
  std::array<double, 1> value{};
  widen(one, std::span<double>(value));
  return value[0];
}

/// This rank's shards of the parameters after `steps` steps, one after the other, kept beside the
/// ledgers of the runs that are compared.
Buffer train_and_keep(Training training, std::size_t steps, MemoryLedger& aside) {
  Buffer kept;
  training.steps = steps;
  training.digest_steps = false;
  training.after_step = [&](std::size_t step, const StepResult&, const Stage& stage) {
    if (step + 1 != steps) return;
    std::size_t size = 0, filled = 0;
    const std::size_t units = training.job.shape.units();
    for (std::size_t l = 0; l < units; ++l) size += stage.my_parameters(l).size;
    kept = Buffer(aside, Category::parameters, training.job.precision, size);
    for (std::size_t l = 0; l < units; ++l) {
      const ConstNumbers mine = stage.my_parameters(l);
      if (mine.size == 0) continue;
      std::memcpy(kept.numbers().part(filled, mine.size).data, mine.data, mine.bytes());
      filled += mine.size;
    }
  };
  run(training);
  return kept;
}

struct Mine {
  std::uint64_t first = UINT64_MAX;  ///< global index of this rank's first differing element
  std::uint64_t differing = 0;
  std::array<double, 2> values{};
  std::uint64_t ulps = 0;
};

Mine compare(const Training& training, ConstNumbers a, ConstNumbers b) {
  const NetworkShape& shape = training.job.shape;
  Mine mine;
  std::size_t position = 0;
  for (std::size_t l = 0; l < shape.units(); ++l) {
    const Shards cut{shape.elements(l), training.comm.size()};
    const std::size_t rank = training.comm.rank();
    for (std::size_t i = 0; i < cut.size(rank); ++i, ++position) {
      const ConstNumbers x = a.part(position, 1), y = b.part(position, 1);
      if (std::memcmp(x.data, y.data, x.bytes()) == 0) continue;
      if (mine.differing++ > 0) continue;
      mine.first = shape.first(l) + cut.first(rank) + i;
      mine.values = {value_of(x), value_of(y)};
      mine.ulps = ulps_between(x.type, x, y);
    }
  }
  return mine;
}

}  // namespace

std::uint64_t ulps_between(NumberType type, ConstNumbers a, ConstNumbers b) {
  require(a.type == type && b.type == type, "ulps between {} and {}", name(a.type), name(b.type));
  const std::int64_t distance = ordered(a) - ordered(b);
  return static_cast<std::uint64_t>(distance < 0 ? -distance : distance);
}

std::optional<FirstDifference> find_first_difference(const Training& reference,
                                                     const Outcome& first, const Training& other,
                                                     const Outcome& second) {
  std::size_t step = 0;
  while (step < first.step_digests.size() && first.step_digests[step] == second.step_digests[step])
    ++step;
  if (step == first.step_digests.size()) return std::nullopt;

  Communicator& comm = reference.comm;
  MemoryLedger aside;
  const Buffer a = train_and_keep(reference, step + 1, aside);
  const Buffer b = train_and_keep(other, step + 1, aside);
  const Mine mine = compare(reference, a, b);

  const auto outside = comm.outside_training();
  const std::uint64_t lowest = ~comm.maximum(~mine.first);
  if (lowest == UINT64_MAX) return std::nullopt;  // a digest differs, yet no element does
  // The owner of the first differing element tells its values; the others add zeros.
  const bool owner = mine.first == lowest;
  std::array<std::uint64_t, 4> words{mine.differing, owner ? mine.ulps : 0,
                                     owner ? std::bit_cast<std::uint64_t>(mine.values[0]) : 0,
                                     owner ? std::bit_cast<std::uint64_t>(mine.values[1]) : 0};
  comm.sum(words);
  FirstDifference found{other.stage,
                        reference.stage,
                        step + 1,
                        0,
                        lowest,
                        std::bit_cast<double>(words[2]),
                        std::bit_cast<double>(words[3]),
                        words[1],
                        words[0]};
  const NetworkShape& shape = reference.job.shape;
  while (found.index >= shape.elements(found.unit)) found.index -= shape.elements(found.unit++);
  return found;
}

}  // namespace zerolab
