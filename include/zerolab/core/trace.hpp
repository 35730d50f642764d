#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "zerolab/core/timeline.hpp"

namespace zerolab {

/// One step told in words, a line per unit and phase (more where it is long), in the order in which
/// things happen on this rank. Off unless told otherwise; whoever acts on a unit says so here,
/// never a stage file.
class Trace {
 public:
  /// From here on, forgetting what was told before.
  void start() {
    on_ = new_line_ = true;
    lines_.clear();
  }
  void stop() { on_ = false; }
  bool on() const { return on_; }

  /// Opens a new phase with a line of its own.
  template <class... Arguments>
  void phase(fmt::format_string<Arguments...> words, Arguments&&... arguments) {
    if (on_) add_phase(fmt::format(words, std::forward<Arguments>(arguments)...));
  }
  /// Adds words to the unit's line, or starts that line.
  template <class... Arguments>
  void event(std::size_t unit, fmt::format_string<Arguments...> words, Arguments&&... arguments) {
    if (on_ || timeline_ != nullptr)
      add_event(unit, fmt::format(words, std::forward<Arguments>(arguments)...));
  }
  /// The unit that acted last, for those who do not know units.
  std::size_t unit() const { return unit_; }

  const std::vector<std::string>& lines() const { return lines_; }

  /// Tells every event to a timeline from now on, or with nullptr to none.
  void watch(Timeline* timeline) { timeline_ = timeline; }
  /// Computation on a unit until the end of the scope, told to the timeline.
  [[nodiscard]] Timeline::Running computing(std::string_view what, std::size_t unit) {
    return timeline_ == nullptr ? Timeline::Running() : timeline_->run(what, unit, true);
  }

 private:
  void add_phase(std::string words);
  void add_event(std::size_t unit, const std::string& words);

  bool on_ = false;
  bool new_line_ = true;
  std::size_t unit_ = 0;
  std::vector<std::string> lines_;
  Timeline* timeline_ = nullptr;
};

}  // namespace zerolab
