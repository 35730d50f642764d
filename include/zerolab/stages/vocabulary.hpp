#pragma once

#include <optional>
#include <vector>

#include "zerolab/comm/reductions.hpp"
#include "zerolab/nn/network.hpp"
#include "zerolab/partition/optimizer.hpp"

// The few words that the stage files need beside the floors below.

namespace zerolab {

/// One whole unit for as long as the scope lasts; its release is told to the trace.
class FullUnit {
 public:
  FullUnit(Buffer buffer, Trace& trace, const char* what, std::size_t unit, std::size_t kept)
      : buffer_(std::move(buffer)), trace_(trace), what_(what), unit_(unit), kept_(kept) {}
  ~FullUnit() {  // nothing is left where another FullUnit took it over
    if (buffer_.size() > 0) trace_.event(unit_, "release {}{}", what_, buffer_.size() - kept_);
  }
  FullUnit(FullUnit&& other) noexcept = default;
  FullUnit& operator=(FullUnit&&) = delete;
  FullUnit(const FullUnit&) = delete;
  FullUnit& operator=(const FullUnit&) = delete;

  operator Numbers() { return buffer_; }
  operator ConstNumbers() const { return buffer_; }

 private:
  Buffer buffer_;
  Trace& trace_;
  const char* what_;
  std::size_t unit_;
  std::size_t kept_;  ///< elements that this rank still has afterwards: its shard
};

/// What the overlapped stages have sent and not yet received: one sum at a time, any number of
/// gathers. Whoever leaves early, by a skip or a fault, waits for MPI and not for the result.
class InFlight {
 public:
  explicit InFlight(Reductions& sums) : sums_(sums) {}

  /// Starts the sum of a gradient after the one before has arrived; `shard` gets my shard of it.
  void reduce_scatter(FullUnit gradient, Sum& shard);
  /// The same of a stored gradient; its all-gather starts when the sum has arrived.
  void all_reduce(Sum& full);
  void all_gather(Numbers full);
  /// Waits for all of it.
  void wait();

 private:
  void wait_for_sum();

  Reductions& sums_;
  std::optional<FullUnit> gradient_;
  std::optional<Reductions::UnderWay> sum_;  // after the gradient, so that it ends before it
  std::vector<Request> gathers_;
};

/// The network as a stage sees it: gradients may also go straight into a sum, and the
/// communicator hears of the computation.
class Model : public Network {
 public:
  Model(NetworkShape shape, MemoryLedger& ledger, Trace& trace, Reductions& sums,
        Communicator& ranks, Gemm gemm);

  void forward(std::size_t unit, ConstNumbers parameters);
  void recompute(std::size_t unit, ConstNumbers parameters);
  /// Writes the micro-batch's gradient.
  void backward(std::size_t unit, ConstNumbers parameters, Numbers gradient);
  /// Adds the micro-batch's gradient; the first one of a step is written in place where the sum is
  /// held in the storage type.
  void backward(std::size_t unit, ConstNumbers parameters, Sum& gradient);

 private:
  MemoryLedger& ledger_;
  Trace& trace_;
  Reductions& sums_;
  Communicator& ranks_;
};

/// The optimizer as a stage sees it: the communicator hears of the computation.
class StageOptimizer : public Optimizer {
 public:
  StageOptimizer(const OptimizerSettings& settings, Trace& trace, Communicator& ranks)
      : Optimizer(settings, trace), trace_(trace), ranks_(ranks) {}

  void update(std::size_t unit, Numbers parameters, ConstNumbers gradients);

 private:
  Trace& trace_;
  Communicator& ranks_;
};

}  // namespace zerolab
