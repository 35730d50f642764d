#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "zerolab/nn/dataset.hpp"
#include "zerolab/report/training.hpp"

// What the experiments share, and their names. Each measures; what is right is for the findings to
// say.

namespace zerolab::experiment {

nlohmann::json accumulation(Communicator& comm);       // WY7
nlohmann::json activations(Communicator& comm);        // EC3
nlohmann::json averaging(Communicator& comm);          // WY4
nlohmann::json batches(Communicator& comm);            // TF1
nlohmann::json empty_shards(Communicator& comm);       // EC4
nlohmann::json identical_batches(Communicator& comm);  // EC6
nlohmann::json states(Communicator& comm);             // SE4
nlohmann::json sums(Communicator& comm);               // SE9
nlohmann::json variants(Communicator& comm);           // of TF3, TF8, TF10
nlohmann::json wire(Communicator& comm);               // SE6, of 3.2, EC1

/// Samples of another data set, which must outlive it, picked by their indices there, for training
/// alone. Remembers what was read.
class Picked final : public Dataset {
 public:
  Picked(const Dataset& from, std::vector<std::size_t> indices)
      : from_(from), indices_(std::move(indices)) {}

  std::size_t features() const override { return from_.features(); }
  std::size_t classes() const override { return from_.classes(); }
  std::size_t samples(Split split) const override {
    return split == Split::train ? indices_.size() : 0;
  }
  std::size_t bytes() const override { return 0; }
  void read(Split split, std::size_t index, std::span<float> out) const override {
    from_.read(split, indices_[index], out);
    read_.push_back(indices_[index]);
  }
  std::int32_t label(Split split, std::size_t index) const override {
    return from_.label(split, indices_[index]);
  }
  /// Indices, in the other data set, of the samples read since the last call.
  std::vector<std::size_t> take_read() const { return std::exchange(read_, {}); }

 private:
  const Dataset& from_;
  std::vector<std::size_t> indices_;
  mutable std::vector<std::size_t> read_;
};

/// 0 … size-1, from the first again after `of`.
std::vector<std::size_t> in_turn(std::size_t size, std::size_t of);

/// The digits, with the ledger that holds them.
struct Digits {
  MemoryLedger memory;
  std::unique_ptr<Dataset> all = open_dataset("digits", 1, memory);

  Picked pick(std::vector<std::size_t> indices) const { return {*all, std::move(indices)}; }
  Picked first(std::size_t size) const { return pick(in_turn(size, all->samples(Split::train))); }
};

/// A job on data like this: fp16 and Adam under exact, with a fixed loss scale so that no step is
/// skipped.
Job job_on(const Dataset& data, const std::vector<std::size_t>& hidden);
/// The same in fp32 with plain SGD.
Job plain_job_on(const Dataset& data, const std::vector<std::size_t>& hidden, double learning_rate);

/// Samples of each rank of so many in all, at least one.
std::size_t share(std::size_t samples, std::size_t ranks);

/// Trains, with nothing else to see than the outcome.
Outcome trained(const Job& job, int stage, std::size_t steps, const Dataset& data,
                Communicator& comm);

/// All units' numbers, one after the other, exactly: this rank's shard where the stage shards them.
std::vector<float> values(const std::vector<Buffer>& units);
/// A stage's parameters as the optimizer has them: master weights, in fp32 the parameters. In a
/// stage that shards them, this rank's shard.
std::vector<float> masters(const Stage& stage);

/// The averaged gradient along a direction of ±1 in every parameter; of a stage that keeps
/// gradients in full, in fp32.
double along_direction(const Stage& stage);

/// Of two values or more that are not all the same.
struct Moments {
  double mean, variance;  ///< Σ(x − mean)² over size − 1
  double excess;          ///< of the fourth moment over the normal distribution's
};
Moments moments(const std::vector<double>& values);

/// Digests as text, whether the ranks agree, and how many steps were not skipped.
nlohmann::json digests(const Outcome& outcome);
/// What every rank has to say, as a list on rank 0.
nlohmann::json gathered(Communicator& comm, const nlohmann::json& mine);

}  // namespace zerolab::experiment
