// The optimizer: bits on shards against bits on the whole, steps against a reference in double with
// a derived tolerance, closed forms of first steps, and what it stores.
#include "zerolab/partition/optimizer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "zerolab/core/random.hpp"

namespace zerolab {
namespace {

constexpr auto adam = OptimizerKind::adam, adamw = OptimizerKind::adamw, sgd = OptimizerKind::sgd;

std::string title(const OptimizerSettings& settings) {
  static constexpr std::array<std::string_view, 3> names{"adam", "adamw", "sgd"};
  return fmt::format("{} momentum {}", names[static_cast<std::size_t>(settings.kind)],
                     settings.momentum);
}

/// One unit of a model: parameters with their states, and the optimizer that updates them.
struct Unit {
  MemoryLedger ledger;
  Trace trace;
  Optimizer optimizer;
  Buffer parameters, gradients;

  Unit(const OptimizerSettings& settings, NumberType precision, std::span<const float> weights)
      : optimizer(settings, trace),
        parameters(ledger, Category::parameters, precision, weights.size()),
        gradients(ledger, Category::gradients, precision, weights.size()) {
    auto& states = optimizer.add_unit(ledger, precision, weights.size());
    narrow(weights, parameters);
    if (precision != NumberType::fp32) narrow(weights, states.master);
  }

  const Optimizer::States& states() const { return optimizer.states()[0]; }
  std::span<const float> weights() const {
    return parameters.type() == NumberType::fp32 ? parameters.as<float>()
                                                 : states().master.as<float>();
  }
  void update(std::span<const float> gradient, double factor = 1) {
    narrow(gradient, gradients);
    optimizer.start_update(factor);
    optimizer.update(0, parameters, gradients);
  }
};

/// Numbers in [-1, 1), other ones for each key.
std::vector<float> random_numbers(std::uint64_t key, std::size_t size, std::size_t first = 0) {
  std::vector<float> numbers(size);
  for (std::size_t i = 0; i < size; ++i) numbers[i] = random_symmetric(key, first + i);
  return numbers;
}

bool same(ConstNumbers a, ConstNumbers b) {
  return a.type == b.type && a.size == b.size && std::memcmp(a.data, b.data, a.bytes()) == 0;
}

/// Elements [first, first + size) alone, as a shard in the middle of full parameters (stages 1, 2),
/// against the same elements of `whole`, on which these steps were made before.
void check_shard(const OptimizerSettings& settings, const Unit& whole, std::size_t first,
                 std::size_t size) {
  constexpr std::size_t steps = 3;
  const NumberType type = whole.parameters.type();
  MemoryLedger ledger;
  Trace trace;
  Buffer full(ledger, Category::parameters, type, whole.parameters.size());
  Buffer gradients(ledger, Category::gradients, type, full.size());
  narrow(random_numbers(1, full.size()), full);
  const Numbers part = full.numbers().part(first, size);
  Optimizer optimizer(settings, trace);
  auto& states = optimizer.add_unit(ledger, type, size);
  if (type != NumberType::fp32) narrow(random_numbers(1, size, first), states.master);
  for (std::size_t step = 0; step < steps; ++step) {
    narrow(random_numbers(2 + step, full.size()), gradients);
    optimizer.start_update(0.75);
    optimizer.update(0, part, gradients.numbers().part(first, size));
  }
  EXPECT_TRUE(same(part, whole.parameters.numbers().part(first, size)));
  const auto check = [&](const Buffer& mine, const Buffer& all) {
    EXPECT_EQ(mine.size(), all.size() == 0 ? 0 : size);
    if (mine.size() > 0) {
      EXPECT_TRUE(same(mine, all.numbers().part(first, size)));
    }
  };
  check(states.master, whole.states().master);
  check(states.momentum, whole.states().momentum);
  check(states.variance, whole.states().variance);
}

// An element gets the same bits in the whole and in a shard of any length, at any offset, in a
// vector body or a tail, on either side of a block of 1024.
TEST(Optimizer, BitsOfShardsAreThoseOfTheWhole) {
  for (const OptimizerSettings& settings :
       {OptimizerSettings{.kind = adam, .weight_decay = 0.01},
        OptimizerSettings{.kind = adamw, .weight_decay = 0.01},
        OptimizerSettings{.kind = sgd, .weight_decay = 0.01},
        OptimizerSettings{.kind = sgd, .momentum = 0.9, .weight_decay = 0.01}}) {
    for (const NumberType type : {NumberType::fp16, NumberType::bf16, NumberType::fp32}) {
      Unit whole(settings, type, random_numbers(1, 2200));
      for (std::uint64_t step = 0; step < 3; ++step)
        whole.update(random_numbers(2 + step, 2200), 0.75);
      const auto check = [&](std::size_t first, std::size_t size) {
        SCOPED_TRACE(fmt::format("{} {} [{}, +{})", title(settings), name(type), first, size));
        check_shard(settings, whole, first, size);
      };
      for (const std::size_t first : {0U, 1U, 3U, 1019U}) {
        for (std::size_t size = 0; size <= 70; ++size) check(first, size);
        for (const std::size_t size : {1023U, 1024U, 1025U}) check(first, size);
      }
    }
  }
}

/// The papers' formulas in double, on one element.
struct Reference {
  OptimizerSettings settings;
  double theta, m = 0, v = 0;
  int t = 0;

  void update(double g) {
    ++t;
    const double eta = settings.learning_rate, lambda = settings.weight_decay;
    if (settings.kind != adamw) g += lambda * theta;
    if (settings.kind == sgd) {
      m = settings.momentum * m + g;
      theta -= eta * m;
      return;
    }
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    if (settings.kind == adamw) theta -= eta * lambda * theta;
    const double m_hat = m / (1 - std::pow(0.9, t)), v_hat = v / (1 - std::pow(0.999, t));
    theta -= eta * m_hat / (std::sqrt(v_hat) + 1e-8);
  }
};

/// Element i of step t: either sign, magnitude in [1/2, 1].
float bounded_gradient(std::size_t step, std::size_t i) {
  const float x = random_symmetric(100 + step, i);
  return std::copysign(0.5F + 0.5F * std::abs(x), x);
}

// 50 steps. With u = 2^-24, gradients in [0.3, 1.2] after decay and clipping off, each step adds to
// θ the error of two roundings of at most 6 u (|θ| < 6, reached by momentum only) and η times that
// of the direction. Adam: m carries 3 roundings and 10 u of its powers of β₁, each decaying by β₁,
// so 40 u; √v̂ > 0.3 carries half of 50 (3 + 1) u, relative; their quotient less than 500 u. SGD
// with μ = 0.9: |m| < 12, 3 roundings each decaying by μ, 360 u. λ feeds errors of θ back: a factor
// of exp(50 · 0.01 · 0.05 / 0.3) < 1.1, in the 600 below.
TEST(Optimizer, FollowsTheFormulasFor50Steps) {
  constexpr std::size_t size = 300, steps = 50;
  constexpr double eta = 0.01, u = 0x1p-24, tolerance = steps * (2 * 6 + eta * 600) * u;
  for (OptimizerSettings settings :
       {OptimizerSettings{.kind = adam}, OptimizerSettings{.kind = adam, .weight_decay = 0.05},
        OptimizerSettings{.kind = adamw}, OptimizerSettings{.kind = adamw, .weight_decay = 0.05},
        OptimizerSettings{.kind = sgd}, OptimizerSettings{.kind = sgd, .weight_decay = 0.05},
        OptimizerSettings{.kind = sgd, .momentum = 0.9},
        OptimizerSettings{.kind = sgd, .momentum = 0.9, .weight_decay = 0.05}}) {
    settings.learning_rate = eta;
    const std::vector<float> start = random_numbers(7, size);
    Unit unit(settings, NumberType::fp32, start);
    std::vector<Reference> reference;
    for (const float theta : start) reference.push_back({settings, static_cast<double>(theta)});
    for (std::size_t step = 0; step < steps; ++step) {
      std::vector<float> gradient(size);
      for (std::size_t i = 0; i < size; ++i) gradient[i] = bounded_gradient(step, i);
      unit.update(gradient, 0.3 / 0.25);  // not a power of two; its own rounding is one of the 600
      for (std::size_t i = 0; i < size; ++i)
        reference[i].update(static_cast<double>(gradient[i]) * (0.3 / 0.25));
    }
    EXPECT_EQ(unit.optimizer.updates(), steps);
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_NEAR(static_cast<double>(unit.weights()[i]), reference[i].theta, tolerance)
          << title(settings) << " decay " << settings.weight_decay << ", element " << i;
  }
}

// m̂ / √v̂ = ±1 in the first step: Adam moves by η against the sign, whatever the size of g.
TEST(Optimizer, FirstAdamStepIsTheLearningRate) {
  for (const OptimizerKind kind : {adam, adamw}) {
    const std::vector<float> gradient{1e-3F, -1e-3F, 1.0F, -1.0F, 1234.5F, -1234.5F};
    Unit unit({.kind = kind, .learning_rate = 0.125}, NumberType::fp32,
              std::vector<float>(gradient.size(), 0.0F));
    unit.update(gradient);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const auto g = static_cast<double>(gradient[i]);
      const double relative = 1e-8 / std::abs(g) + 8 * 0x1p-24;  // ε, and a rounding per operation
      EXPECT_NEAR(static_cast<double>(unit.weights()[i]), g > 0 ? -0.125 : 0.125, 0.125 * relative);
    }
  }
}

// ε stands beside the root, not in it: a gradient of the size of ε makes half a step.
TEST(Optimizer, EpsilonStandsBesideTheRoot) {
  Unit unit({.kind = adam, .learning_rate = 1}, NumberType::fp32, std::vector<float>(1, 0.0F));
  unit.update(std::vector<float>(1, 1e-8F));
  EXPECT_NEAR(unit.weights()[0], -0.5F, 16 * 0x1p-24F);
}

// A gradient of 1 and then none: in step 2 m̂ = β₁(1-β₁)/(1-β₁²) = β₁/(1+β₁), v̂ = β₂/(1+β₂).
TEST(Optimizer, MomentsForgetAtTheirRates) {
  Unit unit({.kind = adam, .learning_rate = 1}, NumberType::fp32, std::vector<float>(1, 0.0F));
  unit.update(std::vector<float>(1, 1.0F));
  const auto before = static_cast<double>(unit.weights()[0]);
  unit.update(std::vector<float>(1, 0.0F));
  const double step = before - static_cast<double>(unit.weights()[0]);
  EXPECT_NEAR(step, 0.9 / 1.9 / std::sqrt(0.999 / 1.999), 16 * 0x1p-24);
}

// Without a gradient AdamW shrinks weights by ηλ each step; Adam's L2 term is a gradient like any
// other, so the first step is η whatever λ is; SGD's shrinks by ηλ.
TEST(Optimizer, WeightDecayIsDecoupledInAdamWOnly) {
  const std::vector<float> start{2.0F, -0.5F, 0.0F}, none(3, 0.0F);
  for (const double lambda : {0.5, 0.25}) {
    Unit decoupled({.kind = adamw, .learning_rate = 0.125, .weight_decay = lambda},
                   NumberType::fp32, start);
    Unit coupled({.kind = adam, .learning_rate = 0.125, .weight_decay = lambda}, NumberType::fp32,
                 start);
    Unit plain({.kind = sgd, .learning_rate = 0.125, .weight_decay = lambda}, NumberType::fp32,
               start);
    for (Unit* unit : {&decoupled, &coupled, &plain}) unit->update(none);
    const auto keeps = static_cast<float>(1 - 0.125 * lambda);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(decoupled.weights()[i], start[i] * keeps);
      EXPECT_EQ(plain.weights()[i], start[i] * keeps);
    }
    EXPECT_NEAR(coupled.weights()[0], 2.0F - 0.125F, 2 * 0x1p-24F);
    EXPECT_NEAR(coupled.weights()[1], -0.5F + 0.125F, 0x1p-24F);
    EXPECT_EQ(coupled.weights()[2], 0.0F);
  }
}

// The factor (clipping, 1 / loss scale) multiplies the gradient before L2 is added.
TEST(Optimizer, FactorAppliesToTheGradientAlone) {
  for (const double momentum : {0.0, 0.5}) {
    Unit unit({.kind = sgd, .learning_rate = 0.5, .momentum = momentum, .weight_decay = 0.25},
              NumberType::fp32, std::vector<float>(1, 1.0F));
    unit.update(std::vector<float>(1, 2.0F), 0.125);
    EXPECT_EQ(unit.weights()[0], 1.0F - 0.5F * (2.0F * 0.125F + 0.25F));
  }
}

/// Bytes held for the states of 1000 elements.
std::size_t state_bytes(const OptimizerSettings& settings, NumberType precision) {
  MemoryLedger ledger;
  Trace trace;
  Optimizer optimizer(settings, trace);
  const auto& states = optimizer.add_unit(ledger, precision, 1000);
  EXPECT_EQ(states.master.size(), precision == NumberType::fp32 ? 0U : 1000U);
  EXPECT_EQ(ledger.line(Category::master).now, 4 * states.master.size());
  EXPECT_EQ(ledger.line(Category::momentum).now, 4 * states.momentum.size());
  EXPECT_EQ(ledger.line(Category::variance).now, 4 * states.variance.size());
  for (const Buffer* buffer : {&states.master, &states.momentum, &states.variance})
    EXPECT_EQ(buffer->type(), NumberType::fp32);
  for (const Buffer* moment : {&states.momentum, &states.variance})
    for (const float value : moment->as<float>()) EXPECT_EQ(value, 0.0F);
  return ledger.total().now;
}

// Master weights and moments are fp32: 12, 8 and 4 bytes an element beside 16-bit parameters, 8, 4
// and 0 beside fp32 ones, which are their own master.
TEST(Optimizer, StoresFp32States) {
  for (const NumberType type : {NumberType::fp16, NumberType::bf16}) {
    EXPECT_EQ(state_bytes({.kind = adam}, type), 12'000U);
    EXPECT_EQ(state_bytes({.kind = adamw}, type), 12'000U);
    EXPECT_EQ(state_bytes({.kind = sgd, .momentum = 0.9}, type), 8000U);
    EXPECT_EQ(state_bytes({.kind = sgd}, type), 4000U);
  }
  EXPECT_EQ(state_bytes({.kind = adam}, NumberType::fp32), 8000U);
  EXPECT_EQ(state_bytes({.kind = sgd, .momentum = 0.9}, NumberType::fp32), 4000U);
  EXPECT_EQ(state_bytes({.kind = sgd}, NumberType::fp32), 0U);
}

// Steps of 1e-4 from 1.0 are below half a step of fp16 (2^-12) and bf16 (2^-9) there: only a master
// copy in fp32 can collect them. After 100 it has moved by 0.01, up to 100 roundings of 2^-25 and
// the quotient's 1e-8 + 8u a step, and the parameters are its rounding at every step.
TEST(Optimizer, SmallStepsReach16BitWeights) {
  for (const NumberType type : {NumberType::fp16, NumberType::bf16}) {
    for (const OptimizerKind kind : {adam, adamw, sgd}) {
      Unit unit({.kind = kind, .learning_rate = 1e-4}, type, std::vector<float>(5, 1.0F));
      for (int step = 0; step < 100; ++step) {
        unit.update(std::vector<float>(5, 1.0F));
        std::vector<std::byte> bytes(10);
        narrow(unit.weights(), Numbers{type, bytes.data(), 5});
        ASSERT_EQ(std::memcmp(bytes.data(), unit.parameters.numbers().data, 10), 0) << step;
      }
      const double tolerance = 100 * 0x1p-25 + 0.01 * (1e-8 + 600 * 0x1p-24);
      std::vector<float> stored(5);
      widen(unit.parameters, stored);
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(static_cast<double>(unit.weights()[i]), 0.99, tolerance) << name(type);
        EXPECT_NE(stored[i], 1.0F) << "the " << name(type) << " weight never moved";
      }
    }
  }
}

/// Weights after 20 steps of SGD in fp32 with the given rate, on gradients times `sum`.
std::vector<float> sgd_steps(double rate, float sum, double momentum) {
  Unit unit({.kind = sgd, .learning_rate = rate, .momentum = momentum}, NumberType::fp32,
            random_numbers(3, 500));
  for (std::size_t step = 0; step < 20; ++step) {
    std::vector<float> gradient = random_numbers(50 + step, 500);
    for (float& g : gradient) g *= sum;
    unit.update(gradient);
  }
  return {unit.weights().begin(), unit.weights().end()};
}

// Summed gradients instead of averaged ones are a learning rate N times as large: for SGD and N a
// power of two bit for bit, since then N changes exponents only. 3 shows that the test can tell.
TEST(Optimizer, SummedGradientsAreALargerLearningRate) {
  for (const double momentum : {0.0, 0.9}) {
    for (const int n : {1, 2, 4, 8}) {
      EXPECT_EQ(sgd_steps(0.01, static_cast<float>(n), momentum), sgd_steps(0.01 * n, 1, momentum))
          << n;
    }
    EXPECT_NE(sgd_steps(0.01, 3, momentum), sgd_steps(0.03, 1, momentum));
  }
}

// Units have states of their own and one t together.
TEST(Optimizer, UnitsShareTheStepCount) {
  MemoryLedger ledger;
  Trace trace;
  Optimizer optimizer({.kind = adam, .learning_rate = 0.125}, trace);
  std::array<Buffer, 2> parameters;
  Buffer gradient(ledger, Category::gradients, NumberType::fp32, 4);
  for (Buffer& unit : parameters) {
    unit = Buffer(ledger, Category::parameters, NumberType::fp32, 4);
    unit.fill_zero();
    optimizer.add_unit(ledger, NumberType::fp32, 4);
  }
  for (int step = 0; step < 2; ++step) {
    optimizer.start_update(1);
    for (std::size_t l = 0; l < 2; ++l) {
      for (float& g : gradient.as<float>()) g = l == 0 ? 1.0F : -1.0F;
      optimizer.update(l, parameters[l], gradient);
    }
  }
  EXPECT_EQ(optimizer.updates(), 2U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(parameters[0].as<float>()[i], -0.25F, 0.25F * 16 * 0x1p-24F + 2e-9F);
    EXPECT_EQ(parameters[0].as<float>()[i], -parameters[1].as<float>()[i]);
  }
}

TEST(Optimizer, RefusesSizesThatDiffer) {
  Unit unit({.kind = adam}, NumberType::fp16, std::vector<float>(4, 1.0F));
  unit.optimizer.start_update(1);
  EXPECT_THROW(unit.optimizer.update(0, unit.parameters, unit.gradients.numbers().part(0, 3)),
               Error);
}

}  // namespace
}  // namespace zerolab
