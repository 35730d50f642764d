#pragma once

#include <cstddef>

namespace zerolab {

/// Consecutive units of which only the input is kept until the backward pass comes to them.
struct Segment {
  std::size_t first, last;

  std::size_t size() const { return last - first + 1; }
};

/// The segment of `unit`, where `units` are cut into min(segments, units) of them, ragged as shards
/// are: the first may be one unit longer.
Segment segment_of(std::size_t unit, std::size_t units, std::size_t segments);

/// The order in which a batch runs through the units: forward first to last, loss, backward last to
/// first, before each segment its recomputation first to last. Told before each; throws Error where
/// something else comes next.
class PassOrder {
 public:
  /// A batch; with 0 segments nothing is recomputed.
  void start(std::size_t units, std::size_t segments);
  void end() { pass_ = Pass::none; }

  void forward(std::size_t unit);
  void logits(const char* what) const;  ///< `what` reads the last unit's output
  void loss();                          ///< puts its gradient in their place
  void recompute(std::size_t unit);
  void backward(std::size_t unit);

 private:
  /// The segment that the backward pass enters, or is in.
  Segment segment() const { return segment_of(units_ - 1 - done_, units_, segments_); }

  enum class Pass { none, forward, backward } pass_ = Pass::none;
  std::size_t units_ = 0, segments_ = 0;
  std::size_t done_ = 0;        ///< units that this pass has run
  std::size_t recomputed_ = 0;  ///< units of segment()
};

}  // namespace zerolab
