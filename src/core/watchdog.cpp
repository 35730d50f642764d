#include "zerolab/core/watchdog.hpp"

#include <algorithm>
#include <chrono>

#include "zerolab/core/require.hpp"

namespace zerolab {

Watchdog::Watchdog(double seconds, Bark bark) : bark_(std::move(bark)) {
  require(seconds > 0, "a watchdog with a limit of {} seconds", seconds);
  thread_ = std::thread([this, seconds] { watch(seconds); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

double Watchdog::tick(double seconds) {
  return std::clamp(seconds / 50, 0.01, 0.2);
}

// Name and elements are stored with release, so that whoever reads the next call's also reads the
// turn that ended this one.
void Watchdog::enter(const char* name, std::size_t elements) {
  name_.store(name, std::memory_order_release);
  elements_.store(elements, std::memory_order_release);
  turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void Watchdog::leave() {
  turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

/// The call that began with this turn; none if it has ended meanwhile.
std::optional<Watchdog::Call> Watchdog::call_since(std::uint64_t turn) const {
  const Call call{name_.load(std::memory_order_acquire), elements_.load(std::memory_order_acquire),
                  turn / 2 + 1, step_.load(std::memory_order_relaxed)};
  return turn_.load(std::memory_order_relaxed) == turn ? std::optional(call) : std::nullopt;
}

void Watchdog::watch(double seconds) {
  const std::chrono::duration<double> tick_length(tick(seconds));
  const double limit = seconds / tick_length.count();
  std::uint64_t seen = 0, told = 0, ticks = 0;
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, tick_length, [this] { return ends_; })) {
    const std::uint64_t turn = turn_.load(std::memory_order_acquire);
    ticks = turn == seen && turn % 2 == 1 ? ticks + 1 : 0;
    seen = turn;
    if (static_cast<double>(ticks) < limit || told == turn) continue;
    lock.unlock();
    if (const auto call = call_since(turn)) bark_(*call);
    told = turn;
    lock.lock();
  }
}

}  // namespace zerolab
