// SE4: the same run with optimizer states in fp32 and rounded to 16 bits after every update.
#include <cmath>

#include "experiment.hpp"

namespace zerolab::experiment {

namespace {

constexpr std::size_t steps = 100, samples = 128;

void round_to(NumberType type, Buffer& state) {
  MemoryLedger apart;
  Buffer rounded(apart, Category::buffers, type, state.size());
  narrow(std::span<const float>(state.as<float>()), rounded);
  widen(rounded, state.as<float>());
}

/// Which states are rounded.
struct Rounded {
  const char* name;
  bool master, moments;
};

std::vector<float> momenta(const Stage& stage) {
  std::vector<float> all;
  for (const auto& unit : stage.optimizer_states().states()) {
    const auto momentum = unit.momentum.as<float>();
    all.insert(all.end(), momentum.begin(), momentum.end());
  }
  return all;
}

/// Rounds what is to be rounded; counts the variances that become 0 by it.
std::size_t round_states(Stage& stage, const Rounded& which, NumberType type) {
  std::size_t zeros = 0;
  for (auto& unit : stage.optimizer_states().states()) {
    if (which.master) round_to(type, unit.master);
    if (!which.moments) continue;
    const std::vector<float> before(unit.variance.as<float>().begin(),
                                    unit.variance.as<float>().end());
    round_to(type, unit.momentum);
    round_to(type, unit.variance);
    for (std::size_t i = 0; i < before.size(); ++i) {
      zeros += before[i] != 0 && unit.variance.as<float>()[i] == 0 ? 1 : 0;
    }
  }
  return zeros;
}

/// A weight this large has neighbours in `type` that lie more than twice `reach` away, on either
/// side: 16 bits round each update of it away.
bool out_of_reach(float weight, NumberType type, double reach) {
  const int fraction_bits = type == NumberType::fp16 ? 10 : 7;
  if (weight == 0) return false;
  const double below = std::ldexp(1.0, std::ilogb(weight) - fraction_bits - 1);
  return below > 2 * reach;
}

/// Adam moves a weight by at most so many learning rates in any of the first steps:
/// |m̂|/√v̂ ≤ (1−β₁)/√(1−β₂) · √Σ(β₁²/β₂)ⁱ · √(1−β₂ᵗ)/(1−β₁ᵗ), by Cauchy and Schwarz.
double most_moved() {
  constexpr double beta1 = 0.9, beta2 = 0.999, ratio = beta1 * beta1 / beta2;
  double most = 0;
  for (std::size_t t = 1; t <= steps; ++t) {
    const auto power = [t](double x) { return std::pow(x, static_cast<double>(t)); };
    most = std::max(most, (1 - beta1) / std::sqrt(1 - beta2) *
                              std::sqrt((1 - power(ratio)) / (1 - ratio)) *
                              std::sqrt(1 - power(beta2)) / (1 - power(beta1)));
  }
  return most;
}

nlohmann::json train(const Job& job, const Dataset& data, const Rounded& which,
                     Communicator& comm) {
  MemoryLedger memory;
  Trace trace;
  const auto stage = make_stage(0, {job, data, comm, memory, trace});
  const NumberType type = job.precision;
  const double reach = most_moved() * job.optimizer.learning_rate;
  std::size_t updates = 0, lost = 0, zero_variances = 0, fixed = 0, fixed_moved = 0;
  round_states(*stage, which, type);
  const std::vector<float> start = masters(*stage);
  std::vector<float> before = start;
  StepResult result;
  double first_loss = 0;
  for (std::size_t s = 0; s < steps; ++s) {
    result = stage->step(s);
    if (s == 0) first_loss = result.loss;
    const std::vector<float> momentum = momenta(*stage);  // 0 where there is no update
    zero_variances += round_states(*stage, which, type);
    const std::vector<float> after = masters(*stage);
    for (std::size_t i = 0; i < after.size(); ++i) {
      updates += momentum[i] != 0 ? 1 : 0;
      lost += momentum[i] != 0 && after[i] == before[i] ? 1 : 0;
    }
    before = after;
  }
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (!out_of_reach(start[i], type, reach)) continue;
    ++fixed;
    fixed_moved += before[i] != start[i] ? 1 : 0;
  }
  return {{"states", which.name},     {"first_loss", first_loss},
          {"last_loss", result.loss}, {"updates", updates},
          {"lost_updates", lost},     {"zero_variances", zero_variances},
          {"out_of_reach", fixed},    {"out_of_reach_moved", fixed_moved}};
}

}  // namespace

nlohmann::json states(Communicator& comm) {
  const Digits digits;
  Job job = job_on(*digits.all, {32});
  job.batch = share(samples, comm.size());  // every step has all samples, so losses compare
  job.loss_scale.max_skips = steps + 1;
  const Picked data = digits.first(job.batch * comm.size());
  nlohmann::json found{{"ranks", comm.size()}, {"steps", steps}};
  for (const auto type : {NumberType::fp16, NumberType::bf16}) {
    job.precision = type;
    job.optimizer.learning_rate = type == NumberType::fp16 ? 1.25e-5 : 1e-4;
    nlohmann::json runs;
    for (const Rounded& which : {Rounded{"fp32", false, false}, Rounded{"master", true, false},
                                 Rounded{"all", true, true}}) {
      runs.push_back(train(job, data, which, comm));
    }
    found["precisions"].push_back({{"precision", name(type)},
                                   {"learning_rate", job.optimizer.learning_rate},
                                   {"runs", runs}});
  }
  return found;
}

}  // namespace zerolab::experiment
