#pragma once

#include <vector>

#include "zerolab/partition/job.hpp"

namespace zerolab {

/// The work that no implementation of a step can leave out, run bare: no conversions, nothing
/// allocated, no bookkeeping but the communicator's. For one micro-batch a step (k = 1).
class Floor {
 public:
  Floor(const Job& job, int stage, Communicator& comm);

  /// cblas_sgemm on fp32 arrays: forward, weight gradient, input gradient from unit 1 on.
  void products();
  /// The stage's collectives, unit by unit, with the step's element type and lengths, in place.
  void collectives();
  /// What an Adam update of this rank's elements has to read and write, each once.
  std::size_t optimizer_bytes() const;

 private:
  void reduce(std::size_t unit, bool scatter);

  const NetworkShape shape_;
  NumberType precision_;
  ReduceMode reduce_;
  std::size_t rows_;
  int stage_;
  std::size_t chunk_elements_;
  Communicator& comm_;
  MemoryLedger memory_;                                   // before the buffers, which leave it last
  std::vector<Buffer> weights_, gradients_;               ///< [out × in]
  std::vector<Buffer> activations_, deltas_;              ///< [rows × width of the layer]
  std::vector<Buffer> sent_parameters_, sent_gradients_;  ///< [elements(unit)]
};

/// The speed of x = a·x + y on arrays far larger than the caches. Both arrays are read anyway, so
/// the 12 bytes an element are all that moves; every pass takes the next window of them.
class MemoryBandwidth {
 public:
  MemoryBandwidth();
  void pass();
  static constexpr std::size_t bytes_per_pass() { return 12 * window; }

 private:
  static constexpr std::size_t window = std::size_t{1} << 21, elements = std::size_t{1} << 26;

  MemoryLedger memory_;
  Buffer x_, y_;
  std::size_t next_ = 0;
};

}  // namespace zerolab
