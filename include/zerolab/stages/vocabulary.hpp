#pragma once

#include "zerolab/comm/reductions.hpp"
#include "zerolab/nn/network.hpp"

// The few words that the stage files need beside the floors below.

namespace zerolab {

/// One whole unit for as long as the scope lasts; its release is told to the trace.
class FullUnit {
 public:
  FullUnit(Buffer buffer, Trace& trace, const char* what, std::size_t unit, std::size_t kept)
      : buffer_(std::move(buffer)), trace_(trace), what_(what), unit_(unit), kept_(kept) {}
  ~FullUnit() { trace_.event(unit_, "release {}{}", what_, buffer_.size() - kept_); }
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

/// The network as a stage sees it: gradients may also go straight into a sum.
class Model : public Network {
 public:
  Model(NetworkShape shape, MemoryLedger& ledger, Trace& trace, Reductions& sums);

  void forward(std::size_t unit, ConstNumbers parameters);
  /// Writes the micro-batch's gradient.
  void backward(std::size_t unit, ConstNumbers parameters, Numbers gradient);
  /// Adds the micro-batch's gradient; the first one of a step is written in place where the sum is
  /// held in the storage type.
  void backward(std::size_t unit, ConstNumbers parameters, Sum& gradient);

 private:
  MemoryLedger& ledger_;
  Trace& trace_;
  Reductions& sums_;
};

}  // namespace zerolab
