// SE9: stage 0 with a planted fault, gradients summed and not averaged, against stage 0.
#include <algorithm>
#include <cmath>

#include "experiment.hpp"

namespace zerolab::experiment {

namespace {

class Summing final : public Stage {
 public:
  explicit Summing(const Setup& setup) : Stage(setup, placements_of(0)) {}

 private:
  void forward() override {
    for (const auto l : units) model.forward(l, parameters[l]);
  }
  void backward() override {
    for (const auto l : units_last_first) model.backward(l, parameters[l], gradients[l]);
  }
  void average_gradients() override {
    comm.start(1);  // the fault: the divisor is 1 and not the number of micro-batches
    for (const auto l : units) comm.all_reduce(gradients[l]);
  }
  void update() override {
    for (const auto l : units) optimizer.update(l, parameters[l], gradients[l]);
  }
};

std::unique_ptr<Stage> make_summing(int, const Stage::Setup& setup) {
  return std::make_unique<Summing>(setup);
}

constexpr std::size_t path_steps = 20;

/// Master weights at the start, after the first step and after the last.
struct Path {
  std::vector<float> start, first, last;
  StateDigest digest;
};

class Jobs {
 public:
  explicit Jobs(Communicator& comm)
      : comm_(comm), data_(digits_.first(path_steps * comm.size() * Job{}.batch)) {}

  Job plain(double learning_rate) const { return plain_job_on(data_, {32}, learning_rate); }

  Path train(const Job& job, bool summing) {
    Path path;
    MemoryLedger memory;
    path.digest = run({.job = job,
                       .stage = 0,
                       .steps = path_steps,
                       .data = data_,
                       .comm = comm_,
                       .memory = memory,
                       .make = summing ? make_summing : make_stage,
                       .before_steps = [&](const Stage& stage) { path.start = masters(stage); },
                       .after_step =
                           [&](std::size_t step, const StepResult&, const Stage& stage) {
                             (step == 0 ? path.first : path.last) = masters(stage);
                           }})
                      .digest;
    return path;
  }

 private:
  Communicator& comm_;
  Digits digits_;
  Picked data_;
};

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = double{a[i]} - double{b[i]};
    squares += d * d;
  }
  return std::sqrt(squares);
}

/// How a run that sums goes, and one that averages with the same learning rate.
nlohmann::json compared(const Path& sum, const Path& mean, double learning_rate) {
  double difference = 0, weight = 0;
  for (std::size_t i = 0; i < sum.first.size(); ++i) {
    difference = std::max(difference, std::abs(double{sum.first[i]} - double{mean.first[i]}));
    weight = std::max({weight, std::abs(double{sum.first[i]}), std::abs(double{mean.first[i]})});
  }
  const std::vector<float> origin(mean.first.size());
  return {
      {"learning_rate", learning_rate},
      {"first_step",
       {{"sum", distance(sum.first, sum.start)},
        {"mean", distance(mean.first, mean.start)},
        {"norm", distance(mean.first, origin)},
        {"largest_difference", difference},
        {"largest_weight", weight}}},
      {"last_step",
       {{"mean", distance(mean.last, mean.start)}, {"difference", distance(sum.last, mean.last)}}}};
}

}  // namespace

nlohmann::json sums(Communicator& comm) {
  const auto n = static_cast<double>(comm.size());
  constexpr double sgd_rate = 0x1p-6, adam_rate = 1e-3;
  Jobs jobs(comm);
  const Path sum = jobs.train(jobs.plain(sgd_rate), true);
  const Path mean = jobs.train(jobs.plain(sgd_rate), false);
  const Path faster = jobs.train(jobs.plain(sgd_rate * n), false);

  Job half = jobs.plain(sgd_rate);
  half.precision = NumberType::fp16;
  const Path half_sum = jobs.train(half, true);
  half.optimizer.learning_rate *= n;
  const Path half_faster = jobs.train(half, false);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < half_sum.last.size(); ++i) {
    differing += half_sum.last[i] != half_faster.last[i] ? 1 : 0;
  }

  Job adam = jobs.plain(adam_rate);
  adam.optimizer.kind = OptimizerKind::adam;
  return {{"ranks", comm.size()},
          {"steps", path_steps},
          {"parameters", sum.first.size()},
          {"digest",
           {{"sum", hex(sum.digest.parameters)},
            {"mean", hex(mean.digest.parameters)},
            {"mean_n_times_learning_rate", hex(faster.digest.parameters)}}},
          {"fp16_differing", differing},
          {"sgd", compared(sum, mean, sgd_rate)},
          {"adam", compared(jobs.train(adam, true), jobs.train(adam, false), adam_rate)}};
}

}  // namespace zerolab::experiment
