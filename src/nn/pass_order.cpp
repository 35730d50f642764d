#include "zerolab/nn/pass_order.hpp"

#include "zerolab/core/require.hpp"
#include "zerolab/core/shards.hpp"

namespace zerolab {

namespace {

void require_next(const char* what, std::size_t unit, std::size_t next) {
  require(unit == next, "{} of unit {}, but unit {} comes next", what, unit, next);
}

}  // namespace

Segment segment_of(std::size_t unit, std::size_t units, std::size_t segments) {
  const Shards cut{units, std::min(segments, units)};
  const std::size_t s = cut.owner(unit), first = cut.first(s);
  return {first, first + cut.size(s) - 1};
}

void PassOrder::start(std::size_t units, std::size_t segments) {
  pass_ = Pass::forward;
  units_ = units;
  segments_ = segments;
  done_ = recomputed_ = 0;
}

void PassOrder::forward(std::size_t unit) {
  require(pass_ != Pass::none, "forward of unit {}, but no batch has been started", unit);
  require(pass_ == Pass::forward && done_ < units_,
          "forward of unit {}, but all {} units have run; the next batch has not been started",
          unit, units_);
  require_next("forward", unit, done_);
  ++done_;
}

void PassOrder::logits(const char* what) const {
  require(pass_ != Pass::none, "{} without a batch", what);
  require(pass_ == Pass::forward, "{} after the loss, whose gradient has replaced the logits",
          what);
  require(done_ == units_, "{} before the forward pass has run unit {}", what, done_);
}

void PassOrder::loss() {
  logits("loss");
  pass_ = Pass::backward;
  done_ = 0;
}

void PassOrder::recompute(std::size_t unit) {
  require(
      pass_ == Pass::backward && segments_ > 0 && done_ < units_ && recomputed_ < segment().size(),
      "recompute of unit {}, but nothing is to be recomputed", unit);
  require_next("recompute", unit, segment().first + recomputed_);
  ++recomputed_;
}

void PassOrder::backward(std::size_t unit) {
  require(pass_ == Pass::backward, "backward of unit {} before the loss", unit);
  require(done_ < units_, "backward of unit {}, but all {} units have run", unit, units_);
  require_next("backward", unit, units_ - 1 - done_);
  if (segments_ > 0) {
    const auto [first, last] = segment();
    require(recomputed_ == segment().size(),
            "backward of unit {} before units {} to {} have been recomputed", unit, first, last);
    if (unit == first) recomputed_ = 0;
  }
  ++done_;
}

}  // namespace zerolab
