#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace zerolab {

/// Notices that this rank stays in one MPI call. A thread of its own wakes at a fixed tick and
/// counts the ticks that begin and end inside the same call. It counts ticks and reads no clock, so
/// that neither a clock that is set nor a job that is suspended as a whole (Ctrl-Z, a closed
/// laptop) looks like a wait: a thread that is suspended too counts one tick at most.
class Watchdog {
 public:
  struct Call {
    const char* name;      ///< as MPI writes it
    std::size_t elements;  ///< 0 where it carries none
    std::uint64_t number;  ///< of the calls of this rank, from 1
    std::size_t step;      ///< of training, from 1; 0 outside
  };
  using Bark = std::function<void(const Call&)>;

  /// `bark` is called on the watchdog's thread, once for a call that lasts `seconds`. Above 0.
  Watchdog(double seconds, Bark bark);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// This rank is in a call as long as one of these lives; one at a time. `name` must stay.
  class Inside {
   public:
    /// Without a watchdog nothing is noted.
    Inside(Watchdog* watchdog, const char* name, std::size_t elements = 0) : watchdog_(watchdog) {
      if (watchdog_ != nullptr) watchdog_->enter(name, elements);
    }
    ~Inside() {
      if (watchdog_ != nullptr) watchdog_->leave();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Watchdog* watchdog_;
  };

  /// The step that is trained from now on, from 1; 0: none.
  void note_step(std::size_t step) { step_.store(step, std::memory_order_relaxed); }

  static double tick(double seconds);  ///< seconds between two looks, for a limit

 private:
  void enter(const char* name, std::size_t elements);
  void leave();
  std::optional<Call> call_since(std::uint64_t turn) const;
  void watch(double seconds);

  // One rank writes, the watchdog reads. A turn is an entry or an exit: inside a call it is odd.
  std::atomic<std::uint64_t> turn_{0};
  std::atomic<const char*> name_{""};
  std::atomic<std::size_t> elements_{0}, step_{0};

  const Bark bark_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread thread_;  ///< last, for it uses all of the above
};

}  // namespace zerolab
