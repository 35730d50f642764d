#include "zerolab/stages/vocabulary.hpp"

namespace zerolab {

void InFlight::reduce_scatter(FullUnit gradient, Sum& shard) {
  wait_for_sum();
  gradient_.emplace(std::move(gradient));
  sum_ = sums_.start_reduce_scatter(*gradient_, shard);
}

void InFlight::all_reduce(Sum& full) {
  wait_for_sum();
  sum_ = sums_.start_all_reduce(full);
}

void InFlight::all_gather(Numbers full) {
  gathers_.push_back(sums_.start_all_gather(full));
}

void InFlight::wait() {
  wait_for_sum();
  gathers_.clear();  // a request that ends waits
}

void InFlight::wait_for_sum() {
  if (!sum_) return;
  sums_.complete(*sum_);
  if (sum_->of_full_sum()) all_gather(sum_->sum().stored);
  sum_.reset();
  gradient_.reset();
}

Model::Model(NetworkShape shape, MemoryLedger& ledger, Trace& trace, Reductions& sums,
             Communicator& ranks, Gemm gemm)
    : Network(std::move(shape), ledger, gemm),
      ledger_(ledger),
      trace_(trace),
      sums_(sums),
      ranks_(ranks) {}

void Model::forward(std::size_t unit, ConstNumbers parameters) {
  const auto computing = trace_.computing("forward", unit);
  Network::forward(unit, parameters);
  ranks_.compute(shape().forward_flops(unit, rows()));
  trace_.event(unit, "forward");
}

void Model::recompute(std::size_t unit, ConstNumbers parameters) {
  const auto computing = trace_.computing("recompute", unit);
  Network::recompute(unit, parameters);
  ranks_.compute(shape().forward_flops(unit, rows()));
  trace_.event(unit, "recompute");
}

void Model::backward(std::size_t unit, ConstNumbers parameters, Numbers gradient) {
  const auto computing = trace_.computing("backward", unit);
  Network::backward(unit, parameters, gradient);
  ranks_.compute(shape().backward_flops(unit, rows()));
  trace_.event(unit, "backward");
}

void Model::backward(std::size_t unit, ConstNumbers parameters, Sum& gradient) {
  if (sums_.takes_in_place()) {
    backward(unit, parameters, gradient.stored.numbers());
    gradient.state = Sum::State::summing;
    return;
  }
  Buffer micro_batch(ledger_, Category::gradients, gradient.stored.type(), gradient.stored.size());
  backward(unit, parameters, micro_batch.numbers());
  sums_.add(micro_batch, gradient);
}

void StageOptimizer::update(std::size_t unit, Numbers parameters, ConstNumbers gradients) {
  const auto computing = trace_.computing("update", unit);
  Optimizer::update(unit, parameters, gradients);
  ranks_.compute(flops(parameters.size));
}

}  // namespace zerolab
