#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zerolab/core/memory_ledger.hpp"

namespace zerolab {

/// One step of this rank with times: memory that comes and goes, computation and collectives from
/// their begin to their end, and the words of the trace. Ledger, communicator and trace tell it
/// what happens while they are given it; never a stage file.
class Timeline {
 public:
  struct Change {
    double at;  ///< seconds since the step began, as all times here
    Category category;
    std::int64_t bytes;  ///< below 0 where memory is released
  };
  struct Span {
    std::string_view what;
    std::optional<std::size_t> unit;  ///< none for collectives, which know no units
    bool blocking;                    ///< else it goes on beside others
    double begin, end;
  };
  struct Mark {
    double at;
    std::size_t after;  ///< changes of memory that came before it
    std::size_t unit;
    std::string words;
  };
  struct Step {
    std::size_t index = 0;
    double seconds = 0;
    std::array<std::size_t, categories> held{};  ///< bytes when it began
    std::vector<Change> changes;
    std::vector<Span> spans;
    std::vector<Mark> marks;
  };

  /// `clock` gives seconds.
  explicit Timeline(std::function<double()> clock) : clock_(std::move(clock)) {}

  void start(std::size_t step, const MemoryLedger& memory);
  /// Ends the step; the last one that was to be kept is what remains.
  void stop(bool keep);
  const std::optional<Step>& kept() const { return kept_; }

  void change(Category category, std::int64_t bytes);
  void mark(std::size_t unit, std::string words);

  /// A span that ends with this, or before.
  class Running {
   public:
    Running() = default;
    ~Running() { end(); }
    Running(Running&& other) noexcept : Running() { *this = std::move(other); }
    Running& operator=(Running&& other) noexcept;
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    void end();

   private:
    friend class Timeline;
    Timeline* timeline_ = nullptr;
    std::size_t step_ = 0, span_ = 0;
  };
  [[nodiscard]] Running run(std::string_view what, std::optional<std::size_t> unit, bool blocking);

 private:
  double now() const { return clock_() - begin_; }

  std::function<double()> clock_;
  double begin_ = 0;
  bool on_ = false;
  Step step_;
  std::optional<Step> kept_;
};

}  // namespace zerolab
