// Communication time and how much of a step is computation (exercises 5.2 and 5.3).
#include "zerolab/report/plan.hpp"

namespace zerolab {

namespace {

std::optional<Fraction> share(const Fraction& part, const Fraction& of) {
  if (of.zero()) return std::nullopt;
  return part / of;
}

/// Bytes that may take at most `seconds`: the bandwidth that this needs, none when none is enough.
std::optional<Fraction> bandwidth_for(const Fraction& bytes, const Fraction& seconds) {
  if (bytes.zero()) return Fraction(0);
  if (seconds.zero()) return std::nullopt;
  return bytes / seconds;
}

}  // namespace

Timing plan_time(const Fraction& bytes, const Fraction& bandwidth, const Fraction& compute_seconds,
                 const std::optional<Fraction>& target) {
  const Fraction& t = compute_seconds;
  Timing timing;
  timing.seconds = bytes / bandwidth;
  timing.none.efficiency = share(t, t + timing.seconds);
  timing.full.efficiency = share(t, std::max(t, timing.seconds));
  if (!target) return timing;
  if (target->zero()) {  // any bandwidth reaches that
    timing.none.bandwidth = timing.full.bandwidth = Fraction(0);
    return timing;
  }
  // t/(t+c) >= e when c <= t(1-e)/e; t/max(t, c) >= e when c <= t/e.
  const Fraction hidden = t / *target;
  timing.none.bandwidth = bandwidth_for(bytes, hidden - t);
  timing.full.bandwidth = bandwidth_for(bytes, hidden);
  return timing;
}

}  // namespace zerolab
