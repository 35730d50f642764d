#include "zerolab/core/buffer.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace zerolab {

namespace {

constexpr std::size_t alignment = 64;  // a cache line, and the widest vector register

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

Buffer::Buffer(MemoryLedger& ledger, Category category, NumberType type, std::size_t elements)
    : ledger_(&ledger), category_(category), numbers_{type, nullptr, elements} {
  if (elements == 0) return;
  require(elements <= SIZE_MAX / 2 / width(type),
          "{} elements for {} are more than memory can hold", elements, name(category));
  const std::size_t bytes = numbers_.bytes();
  numbers_.data = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded_up(bytes)));
  require(numbers_.data != nullptr, "out of memory: {} bytes for {}, {} bytes already held", bytes,
          name(category), ledger.total().now);
#ifndef NDEBUG
  std::memset(numbers_.data, 0xFF, bytes);
#endif
  ledger.add(category, bytes);
}

Buffer::Buffer(Buffer&& other) noexcept
    : ledger_(std::exchange(other.ledger_, nullptr)),
      category_(other.category_),
      numbers_(std::exchange(other.numbers_, Numbers{})) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    release();
    ledger_ = std::exchange(other.ledger_, nullptr);
    category_ = other.category_;
    numbers_ = std::exchange(other.numbers_, Numbers{});
  }
  return *this;
}

Buffer::~Buffer() {
  release();
}

void Buffer::fill_zero() {
  if (size() > 0) std::memset(numbers_.data, 0, numbers_.bytes());
}

void Buffer::release() {
  if (ledger_ != nullptr) {
    if (ledger_->spoils_released() && size() > 0)
      std::memset(numbers_.data, 0xFF, numbers_.bytes());
    ledger_->remove(category_, numbers_.bytes());
  }
  std::free(numbers_.data);
}

}  // namespace zerolab
