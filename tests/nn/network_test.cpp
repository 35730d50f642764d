// The network against a perceptron in plain double loops, whose bounds on fp32's roundings are the
// tolerances here, and against finite differences of it.
#include "zerolab/nn/network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "problem.hpp"

namespace zerolab {
namespace {

const std::vector<Widths> small_shapes{{4, 3, 2}, {13, 7, 5, 3}, {1, 1, 2}, {5, 8, 8, 8, 4}};
constexpr NumberType stored_types[]{NumberType::fp16, NumberType::bf16, NumberType::fp32};

std::string named(const Widths& widths, std::size_t rows, NumberType type) {
  return fmt::format("{} batch {} {}", fmt::join(widths, "-"), rows, name(type));
}

/// Rounding is monotone, so what was rounded once to the storage type lies between the rounded
/// bounds.
void expect_within(ConstNumbers stored, const PlainNetwork::Values& bounds) {
  const std::vector<float> found = as_floats(stored);
  std::vector<double> low, high;
  for (const Bounded& b : bounds) {
    low.push_back(b.low());
    high.push_back(b.high());
  }
  MemoryLedger ledger;
  Buffer lowest(ledger, Category::buffers, stored.type, stored.size);
  Buffer highest(ledger, Category::buffers, stored.type, stored.size);
  narrow(std::span<const double>(low), lowest);
  narrow(std::span<const double>(high), highest);
  const std::vector<float> from = as_floats(lowest), to = as_floats(highest);
  std::size_t outside = 0, first = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(from[i] <= found[i] && found[i] <= to[i]) && outside++ == 0) first = i;
  EXPECT_EQ(outside, 0U) << "first: element " << first << " is " << found[first] << ", not in ["
                         << from[first] << ", " << to[first] << "]";
}

// The fp32 gradient is the slope of the plain loss. A central difference with step h errs by
// h²/6 |f'''| and by the roundings of two losses over 2h. Between ReLU kinks logits are affine in
// one parameter, so f''' is a third central moment of their slopes, at most range³ / (6 √3).
TEST(Network, GradientIsTheSlopeOfThePlainLoss) {
  constexpr double h = 0x1p-17;
  for (const Widths& widths : small_shapes) {
    for (const std::size_t rows : {1U, 2U, 7U}) {
      SCOPED_TRACE(named(widths, rows, NumberType::fp32));
      Problem problem(widths, rows, NumberType::fp32, 4);
      PlainNetwork plain = problem.plain();
      const auto bounds = plain.gradient(problem.samples, problem.labels, 1);
      ASSERT_TRUE(bounds.decided);
      const Trained trained = train(problem, NumberType::fp32, 1);
      EXPECT_EQ(trained.loss.not_finite, 0U);
      EXPECT_NEAR(static_cast<double>(trained.loss.grid) * 0x1p-32, bounds.loss.value,
                  bounds.loss.error + static_cast<double>(rows) * 0x1p-32);
      for (std::size_t l = 0; l < problem.shape.units(); ++l) {
        const auto gradient = trained.gradients[l].as<float>();
        for (std::size_t i = 0; i < gradient.size(); ++i) {
          double& theta = plain.units()[l][i];
          const double at = theta;
          double slope = 0, tolerance = bounds.units[l][i].error;
          for (std::size_t r = 0; r < rows; ++r) {
            const auto sample =
                std::span(problem.samples).subspan(r * widths.front(), widths.front());
            const auto label = static_cast<std::size_t>(problem.labels[r]);
            theta = at + h;
            const PlainNetwork::Values above = plain.logits(sample);
            theta = at - h;
            const PlainNetwork::Values below = plain.logits(sample);
            theta = at;
            const double up = PlainNetwork::loss(above, label).value;
            const double down = PlainNetwork::loss(below, label).value;
            slope += (up - down) / (2 * h);
            double least = HUGE_VAL, most = -HUGE_VAL, largest = 0;
            for (std::size_t c = 0; c < above.size(); ++c) {
              least = std::min(least, (above[c].value - below[c].value) / (2 * h));
              most = std::max(most, (above[c].value - below[c].value) / (2 * h));
              largest = std::max(largest, std::abs(above[c].value));
            }
            tolerance += h * h / 6 * std::pow(most - least, 3) / (6 * std::sqrt(3));
            tolerance += 64 * 0x1p-53 * (up + largest + 1) / h;  // some 64 roundings to a loss
          }
          EXPECT_NEAR(static_cast<double>(gradient[i]), slope, tolerance) << l << '/' << i;
        }
      }
    }
  }
}

// Whatever the storage, each stored gradient is the plain one within fp32's roundings, rounded
// once. The last shapes have units wider than a tile (1024 × 300 has tiles of 256 rows, 300000 × 2
// of one), first, in the middle and last, so that tiles start and end inside them.
TEST(Network, GradientsLieWithinTheirBounds) {
  std::vector<Widths> shapes = small_shapes;
  shapes.insert(shapes.end(), {{1024, 300, 3}, {6, 1024, 300, 3}, {3, 1024, 300}, {300000, 2, 2}});
  for (const Widths& widths : shapes) {
    const NetworkShape shape{widths};
    bool tiled = false;
    for (std::size_t l = 0; l < shape.units(); ++l) tiled |= shape.tile_rows(l) < shape.out(l);
    EXPECT_EQ(tiled, shape.parameters() > 300000) << "a shape that no longer tests tiles";
    for (const NumberType type : stored_types) {
      for (const std::size_t rows : {1U, 2U, 7U}) {
        if (tiled && rows != (widths.front() > 100000 ? 2 : 7)) continue;  // they take their time
        SCOPED_TRACE(named(widths, rows, type));
        Problem problem(widths, rows, type, 9);
        const float scale = type == NumberType::fp16 ? 128 : 1;
        const auto bounds = problem.plain().gradient(problem.samples, problem.labels, scale);
        const Trained trained = train(problem, type, scale);
        for (std::size_t l = 0; l < shape.units(); ++l)
          expect_within(trained.gradients[l], bounds.units[l]);
      }
    }
  }
}

// Within one tile the products are the same calls on the same numbers, so the bits must be those of
// the fp32 path, rounded once. Across tiles a product is cut (and its sum too, on the way back),
// and OpenBLAS may choose another kernel for the rest: there only the bounds above hold.
TEST(Network, SixteenBitStorageIsTheFp32PathRounded) {
  std::vector<Widths> shapes = small_shapes;
  shapes.push_back({64, 128, 64, 10});
  for (const Widths& widths : shapes) {
    for (const NumberType type : {NumberType::fp16, NumberType::bf16}) {
      for (const std::size_t rows : {1U, 2U, 7U, 32U}) {
        SCOPED_TRACE(named(widths, rows, type));
        Problem stored(widths, rows, type, 21), wide(widths, rows, NumberType::fp32, 21);
        for (std::size_t l = 0; l < wide.shape.units(); ++l)
          widen(stored.weights[l], wide.weights[l].as<float>());
        const Trained narrow_path = train(stored, type, 64);
        const Trained wide_path = train(wide, NumberType::fp32, 64);
        EXPECT_EQ(narrow_path.loss.grid, wide_path.loss.grid);
        for (std::size_t l = 0; l < wide.shape.units(); ++l) {
          Buffer rounded(wide.ledger, Category::buffers, type, wide.shape.elements(l));
          narrow(wide_path.gradients[l].as<float>(), rounded);
          EXPECT_EQ(as_floats(narrow_path.gradients[l]), as_floats(rounded)) << "unit " << l;
        }
      }
    }
  }
}

// The reference product goes on where a tile ended, in the same order, so that tiles do not show.
TEST(Network, UnderTheReferenceProductTilesDoNotShow) {
  for (const NumberType type : {NumberType::fp16, NumberType::bf16}) {
    Problem stored({6, 1024, 300, 3}, 7, type, 21),
        wide({6, 1024, 300, 3}, 7, NumberType::fp32, 21);
    ASSERT_LT(stored.shape.tile_rows(1), stored.shape.out(1)) << "tests no tiles";
    for (std::size_t l = 0; l < wide.shape.units(); ++l)
      widen(stored.weights[l], wide.weights[l].as<float>());
    const Trained narrow_path = train(stored, type, 64, reference_gemm);
    const Trained wide_path = train(wide, NumberType::fp32, 64, reference_gemm);
    EXPECT_EQ(narrow_path.loss.grid, wide_path.loss.grid);
    for (std::size_t l = 0; l < wide.shape.units(); ++l) {
      Buffer rounded(wide.ledger, Category::buffers, type, wide.shape.elements(l));
      narrow(wide_path.gradients[l].as<float>(), rounded);
      EXPECT_EQ(as_floats(narrow_path.gradients[l]), as_floats(rounded)) << "unit " << l;
    }
  }
}

TEST(Network, ABatchWithoutSamplesGivesZeros) {
  for (const NumberType type : stored_types) {
    Problem problem({13, 7, 5, 3}, 0, type, 1);
    const Trained trained = train(problem, type, 65536);
    EXPECT_EQ(trained.loss.grid + trained.loss.not_finite, 0U);
    for (const Buffer& gradient : trained.gradients)
      for (std::size_t b = 0; b < gradient.numbers().bytes(); ++b)
        EXPECT_EQ(gradient.numbers().data[b], std::byte{0});
  }
}

// All logits 0: every class has probability 1 / classes, and the first of equals, class 0, is
// taken.
TEST(Network, WithoutWeightsTheLossIsLogClasses) {
  for (const std::size_t classes : {2U, 3U, 10U, 1000U}) {
    Problem problem({5, 4, classes}, 6, NumberType::fp16, 3);
    problem.labels = {0, 1, 0, 1, 1, 0};
    for (Buffer& unit : problem.weights) unit.fill_zero();
    const Trained trained = train(problem, NumberType::fp32, 1);
    EXPECT_NEAR(static_cast<double>(trained.loss.grid) * 0x1p-32 / 6,
                std::log(static_cast<double>(classes)), 0x1p-32);
    const auto biases = trained.gradients[1].as<float>().last(classes);
    EXPECT_NEAR(biases[0], 6.0 / static_cast<double>(classes) - 3, 6 * 0x1p-22);

    Network network(problem.shape, problem.ledger);
    const auto input = network.start(6, Network::Keep::last_activations);
    std::fill(input.begin(), input.end(), 1.0F);
    network.forward(0, problem.weights[0]);
    network.forward(1, problem.weights[1]);
    EXPECT_EQ(network.correct(problem.labels), 3U);
  }
}

std::size_t out_of_range(const std::vector<Buffer>& gradients) {
  std::size_t count = 0;
  for (const Buffer& gradient : gradients)
    for (const float g : as_floats(gradient)) count += std::abs(g) < 0x1p17F ? 0U : 1U;  // NaN too
  return count;
}

// One bad feature in one of three samples. The gradient must show it (nan, inf, or beyond 2^17,
// where gradients count as overflown), in every storage type; so must the loss, unless an infinity
// killed every ReLU, which leaves an honest loss but 0 · inf in the gradient.
TEST(Network, WhatIsNotFiniteIsNeverHidden) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const NumberType type : stored_types) {
    for (const Widths& widths : {Widths{4, 6, 3}, Widths{13, 7, 5, 3}, Widths{1, 1, 2}}) {
      for (const float bad : {nan, -nan, infinity, -infinity, 1e30F, -1e30F, 3e38F}) {
        for (const std::size_t feature : {std::size_t{0}, widths.front() - 1}) {
          SCOPED_TRACE(fmt::format("{} feature {} = {}", named(widths, 3, type), feature, bad));
          Problem problem(widths, 3, type, 6);
          problem.samples[widths.front() + feature] = bad;
          const auto sample = std::span(problem.samples).subspan(widths.front(), widths.front());
          const auto logits = problem.plain().logits(sample);
          const auto less = [](const Bounded& a, const Bounded& b) { return a.value < b.value; };
          const auto worst = std::min_element(logits.begin(), logits.end(), less);
          problem.labels[1] = static_cast<std::int32_t>(worst - logits.begin());
          const double largest = std::max_element(logits.begin(), logits.end(), less)->value;
          const bool wrong_by_far = largest - worst->value > 0x1p20;  // not when all ReLUs are off

          const Trained trained = train(problem, type, 1);
          if (std::isnan(bad) || wrong_by_far) {
            EXPECT_EQ(trained.loss.not_finite, 1U);
          }
          if (!std::isfinite(bad) || wrong_by_far) {
            EXPECT_GT(out_of_range(trained.gradients), 0U);
          }
          if (std::isfinite(bad) && widths.front() > 1) {
            EXPECT_TRUE(wrong_by_far) << "choose another seed, this one tests nothing";
          }
        }
      }
    }
  }
}

// A loss above 2^20 is counted, not summed, and does not disturb its neighbours.
TEST(Network, HugeLossesAreCountedApart) {
  Problem problem({1, 1, 2}, 2, NumberType::fp32, 1);
  const float first[]{1, 0}, second[]{0, 1, 0, 0};  // logits 0 and h = max(x, 0)
  std::copy_n(first, 2, problem.weights[0].as<float>().data());
  std::copy_n(second, 4, problem.weights[1].as<float>().data());
  problem.labels = {0, 0};
  problem.samples = {0x1p20F, 0};
  const Trained above = train(problem, NumberType::fp32, 1);
  EXPECT_EQ(above.loss.not_finite, 1U);
  EXPECT_NEAR(static_cast<double>(above.loss.grid) * 0x1p-32, std::log(2.0), 0x1p-32);
  problem.samples = {0x1p20F - 1, 0};
  const Trained below = train(problem, NumberType::fp32, 1);
  EXPECT_EQ(below.loss.not_finite, 0U);
  EXPECT_NEAR(static_cast<double>(below.loss.grid) * 0x1p-32, 0x1p20 - 1 + std::log(2.0), 0x1p-31);
}

// The closed form is what a pass really held at most: a training pass, an evaluation, both in turn.
TEST(Network, ActivationBytesAreThePeak) {
  std::vector<Widths> shapes = small_shapes;
  shapes.insert(shapes.end(), {{2, 50, 3}, {50, 2, 60}, {1024, 300, 3}, {6, 1024, 300, 3}});
  for (const Widths& widths : shapes) {
    for (const NumberType type : stored_types) {
      for (const std::size_t rows : {0U, 1U, 5U}) {
        for (const std::size_t evaluated : {0U, 1U, 9U, 64U}) {
          if (NetworkShape{widths}.parameters() > 10000 && (rows == 1 || evaluated == 1)) continue;
          SCOPED_TRACE(named(widths, rows, type) + fmt::format(" evaluated {}", evaluated));
          Problem problem(widths, rows, type, 2);
          train(problem, type, 1);
          Network network(problem.shape, problem.ledger);
          const auto input = network.start(evaluated, Network::Keep::last_activations);
          std::fill(input.begin(), input.end(), 0.5F);
          for (std::size_t l = 0; l < problem.shape.units(); ++l)
            network.forward(l, problem.weights[l]);
          network.finish();
          EXPECT_EQ(problem.ledger.line(Category::activations).peak,
                    problem.shape.activation_bytes(rows, evaluated, type));
          EXPECT_EQ(problem.ledger.line(Category::activations).now, 0U);
        }
      }
    }
  }
}

// A value depends on (seed, global index) alone, so any cut of a unit gives the same ones.
TEST(InitialParameters, AnyCutGivesTheSameValues) {
  const NetworkShape shape{{13, 7, 5, 3}};
  for (std::size_t l = 0; l < shape.units(); ++l) {
    std::vector<float> whole(shape.elements(l));
    initial_parameters(shape, 5, l, 0, whole);
    for (std::size_t size = 1; size <= whole.size(); ++size) {
      std::vector<float> cut(whole.size(), 77.0F);
      for (std::size_t first = 0; first < cut.size(); first += size)
        initial_parameters(shape, 5, l, first,
                           std::span(cut).subspan(first, std::min(size, cut.size() - first)));
      EXPECT_EQ(cut, whole) << "unit " << l << " in cuts of " << size;
    }
  }
}

// Uniform in ±√(6 / fan_in): the range is kept and used (a tenth at either end is missed by 10000
// draws with probability 10^-200), the mean square is a third of its square (deviation 0.3 %).
TEST(InitialParameters, WeightsFillTheirRangeAndBiasesAreZero) {
  const NetworkShape shape{{100, 100, 10, 1, 2}};
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    for (std::size_t l = 0; l < shape.units(); ++l) {
      std::vector<float> values(shape.elements(l));
      initial_parameters(shape, seed, l, 0, values);
      const auto weights = std::span(values).first(shape.in(l)*shape.out(l));
      const double limit = std::sqrt(6.0 / static_cast<double>(shape.in(l)));
      const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
      EXPECT_GE(*least, -limit * (1 + 0x1p-23)) << l;
      EXPECT_LE(*most, limit * (1 + 0x1p-23)) << l;
      if (l == 0) {
        double squares = 0;
        for (const float w : weights) squares += static_cast<double>(w) * w;
        EXPECT_LT(*least, -0.9 * limit);
        EXPECT_GT(*most, 0.9 * limit);
        EXPECT_NEAR(squares / 10000, limit * limit / 3, 0.03 * limit * limit / 3);
      }
      for (const float bias : std::span(values).last(shape.out(l)))
        EXPECT_EQ(std::signbit(bias) ? -1.0F : bias, 0.0F);
    }
  }
}

TEST(InitialParameters, SeedsAndUnitsDiffer) {
  const NetworkShape shape{{8, 8, 8}};
  std::vector<float> a(64), b(64), c(64);
  initial_parameters(shape, 1, 0, 0, a);
  initial_parameters(shape, 2, 0, 0, b);
  initial_parameters(shape, 1, 1, 0, c);
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
}

// 2^-32 units leave room for sums below 2^32: what a step cannot sum is not finite, never wrapped.
TEST(Network, LossesBeyondTheLimitAreNotSummed) {
  MemoryLedger ledger;
  Network network(NetworkShape{{1, 2}}, ledger);
  const std::vector<float> parameters{0, 1, 0, 0};  // logits 0 and x
  const auto loss_of = [&](double limit) {
    const auto input = network.start(2, Network::Keep::all_activations);
    input[0] = 1000;
    input[1] = 3000;
    network.forward(0, ConstNumbers(NumberType::fp32,
                                    reinterpret_cast<const std::byte*>(parameters.data()), 4));
    return network.loss(std::vector<std::int32_t>{0, 0}, 1.0F, limit);
  };
  EXPECT_EQ(loss_of(0x1p20).grid, std::uint64_t{4000} << 32U);
  EXPECT_EQ(loss_of(0x1p20).not_finite, 0U);
  EXPECT_EQ(loss_of(2000).grid, std::uint64_t{1000} << 32U);
  EXPECT_EQ(loss_of(2000).not_finite, 1U);
}

}  // namespace
}  // namespace zerolab
