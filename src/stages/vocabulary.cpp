#include "zerolab/stages/vocabulary.hpp"

namespace zerolab {

Model::Model(NetworkShape shape, MemoryLedger& ledger, Trace& trace, Reductions& sums)
    : Network(std::move(shape), ledger), ledger_(ledger), trace_(trace), sums_(sums) {}

void Model::forward(std::size_t unit, ConstNumbers parameters) {
  Network::forward(unit, parameters);
  trace_.event(unit, "forward");
}

void Model::backward(std::size_t unit, ConstNumbers parameters, Numbers gradient) {
  Network::backward(unit, parameters, gradient);
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

}  // namespace zerolab
