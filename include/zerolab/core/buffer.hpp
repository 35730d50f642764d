#pragma once

#include <cstddef>

#include "zerolab/core/memory_ledger.hpp"
#include "zerolab/core/number.hpp"

namespace zerolab {

/// Storage that counts itself: the only way to hold model state, activations, data or what a
/// reduction needs. Enters the ledger when made and leaves it when destroyed, so release is the end
/// of a scope. Contents are undefined until written; the Debug build fills them with NaN.
class Buffer {
 public:
  Buffer() = default;
  /// Throws Error naming category and size when the memory cannot be had.
  Buffer(MemoryLedger& ledger, Category category, NumberType type, std::size_t elements);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  std::size_t size() const { return numbers_.size; }  ///< elements
  NumberType type() const { return numbers_.type; }
  void fill_zero();

  operator Numbers() { return numbers_; }
  operator ConstNumbers() const { return numbers_; }
  Numbers numbers() { return numbers_; }
  ConstNumbers numbers() const { return numbers_; }
  template <class T>
  std::span<T> as() {
    return numbers_.as<T>();
  }
  template <class T>
  std::span<const T> as() const {
    return ConstNumbers(numbers_).as<const T>();
  }

 private:
  void release();

  MemoryLedger* ledger_ = nullptr;
  Category category_ = Category::buffers;
  Numbers numbers_{};
};

}  // namespace zerolab
