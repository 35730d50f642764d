#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zerolab {

/// What a byte is held for. The first six are the model state, in the order of the ZeRO paper
/// (section 3).
enum class Category {
  parameters,
  gradients,
  master,
  momentum,
  variance,
  accumulator,  ///< exact sums of several micro-batches, fp64
  activations,  ///< samples of a micro-batch, layer outputs, their gradients, tiles of the products
  buffers,      ///< what a reduction needs beside its operands
  data,         ///< samples and labels as loaded
};

inline constexpr std::size_t categories = 9;
std::string_view name(Category category);

class Timeline;

/// Bytes held by this rank, by category: now, and the high-water mark. Buffers enter and leave by
/// themselves; nothing else writes here.
class MemoryLedger {
 public:
  struct Line {
    std::size_t now = 0;   ///< bytes
    std::size_t peak = 0;  ///< bytes

    bool operator==(const Line&) const = default;
  };

  void add(Category category, std::size_t bytes);
  void remove(Category category, std::size_t bytes);

  /// Starts every high-water mark anew at what is held now.
  void restart_peaks();

  const Line& line(Category category) const { return lines_[static_cast<std::size_t>(category)]; }
  const Line& total() const { return total_; }

  /// Tells every change to a timeline from now on, or with nullptr to none.
  void watch(Timeline* timeline) { timeline_ = timeline; }

  /// From now on buffers are filled with NaN as they are released, so that whoever still uses one
  /// shows it.
  void spoil_released() { spoils_ = true; }
  bool spoils_released() const { return spoils_; }

 private:
  void tell(Category category, std::int64_t bytes) const;

  std::array<Line, categories> lines_{};
  Line total_{};
  Timeline* timeline_ = nullptr;
  bool spoils_ = false;
};

}  // namespace zerolab
