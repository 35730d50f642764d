// What is held is what is counted: buffers against their size, the ledger against a history kept
// beside it, the process's peak against memory that is really touched.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "zerolab/core/buffer.hpp"
#include "zerolab/core/process.hpp"

namespace zerolab {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
constexpr bool address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool address_sanitizer = false;
#endif

// A buffer counts elements times width in its category and nowhere else, and leaves with its scope.
TEST(Buffer, EntersAndLeavesTheLedger) {
  MemoryLedger ledger;
  {
    const Buffer momentum(ledger, Category::momentum, NumberType::fp32, 100);
    const Buffer parameters(ledger, Category::parameters, NumberType::fp16, 7);
    EXPECT_EQ(ledger.line(Category::momentum).now, 400U);
    EXPECT_EQ(ledger.line(Category::parameters).now, 14U);
    EXPECT_EQ(ledger.line(Category::variance).now, 0U);
    EXPECT_EQ(ledger.total().now, 414U);
  }
  EXPECT_EQ(ledger.total().now, 0U);
  EXPECT_EQ(ledger.line(Category::momentum).now, 0U);
  EXPECT_EQ(ledger.line(Category::momentum).peak, 400U);
  EXPECT_EQ(ledger.line(Category::parameters).peak, 14U);
  EXPECT_EQ(ledger.total().peak, 414U);
}

// A move hands over memory and entry: counted once, contents kept, the target's old entry gone.
TEST(Buffer, MovesItsEntry) {
  MemoryLedger ledger, other;
  Buffer a(ledger, Category::master, NumberType::fp32, 3);
  a.as<float>()[2] = 5.0F;
  const std::byte* const memory = a.numbers().data;
  Buffer b(std::move(a));
  EXPECT_EQ(b.numbers().data, memory);
  EXPECT_EQ(ledger.total().now, 12U);
  EXPECT_EQ(ledger.total().peak, 12U);

  Buffer c(other, Category::data, NumberType::uint8, 10);
  c = std::move(b);
  EXPECT_EQ(other.total().now, 0U) << "the assigned buffer's old memory was not released";
  EXPECT_EQ(ledger.line(Category::master).now, 12U);
  EXPECT_EQ(c.size(), 3U);
  EXPECT_EQ(c.type(), NumberType::fp32);
  EXPECT_EQ(c.as<float>()[2], 5.0F);

  Buffer& same = c;
  c = std::move(same);
  EXPECT_EQ(c.as<float>()[2], 5.0F);
  EXPECT_EQ(ledger.total().now, 12U);
  c = Buffer();
  EXPECT_EQ(ledger.total().now, 0U);
  EXPECT_EQ(c.size(), 0U);
}

// Memory is aligned for vectors, fill_zero reaches the last element, another type is refused, and
// an empty buffer works like any other.
TEST(Buffer, HoldsItsElements) {
  MemoryLedger ledger;
  for (const std::size_t size : {0U, 1U, 3U, 1000U}) {
    Buffer buffer(ledger, Category::gradients, NumberType::fp64, size);
    EXPECT_EQ(buffer.size(), size);
    EXPECT_EQ(std::bit_cast<std::uintptr_t>(buffer.numbers().data) % 64, 0U);
#ifndef NDEBUG
    for (const double value : buffer.as<double>()) EXPECT_TRUE(std::isnan(value));
#endif
    std::ranges::fill(buffer.as<double>(), 1.0);
    buffer.fill_zero();
    for (const double value : std::as_const(buffer).as<double>()) EXPECT_EQ(value, 0.0);
    EXPECT_THROW(buffer.as<float>(), Error);
    EXPECT_THROW(std::as_const(buffer).as<std::uint8_t>(), Error);
  }
}

void expect_refusal(std::size_t elements) {
  MemoryLedger ledger;
  try {
    const Buffer buffer(ledger, Category::momentum, NumberType::fp64, elements);
    ADD_FAILURE() << elements << " elements were allocated";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("momentum"), std::string::npos) << error.what();
  }
  EXPECT_EQ(ledger.total().now, 0U) << "a refused buffer was counted";
  EXPECT_EQ(ledger.total().peak, 0U);
}

// More bytes than a size can say (2^61 elements of 8 bytes would wrap round to nothing).
TEST(Buffer, RefusesSizesThatOverflow) {
  expect_refusal(std::size_t{1} << 61U);
  expect_refusal(SIZE_MAX);
}

// More bytes than an address space has.
TEST(Buffer, RefusesWhatTheSystemRefuses) {
  if (address_sanitizer) GTEST_SKIP() << "the sanitizer's allocator aborts instead";
  expect_refusal(std::size_t{1} << 58U);
}

// Random buffers come and go; the ledger's present and peak equal those of a history kept here.
TEST(MemoryLedger, KeepsTheHighWaterMark) {
  MemoryLedger ledger;
  std::mt19937_64 random(1);
  std::vector<std::pair<Category, Buffer>> held;
  std::array<std::size_t, categories> now{}, peak{};
  std::size_t total_now = 0, total_peak = 0;
  for (int i = 0; i < 2000; ++i) {
    if (held.empty() || random() % 2 == 0) {
      const auto category = static_cast<Category>(random() % categories);
      const std::size_t size = random() % 100;
      held.emplace_back(category, Buffer(ledger, category, NumberType::int32, size));
      now[static_cast<std::size_t>(category)] += 4 * size;
      total_now += 4 * size;
    } else {
      const auto last = held.begin() + static_cast<std::ptrdiff_t>(random() % held.size());
      now[static_cast<std::size_t>(last->first)] -= 4 * last->second.size();
      total_now -= 4 * last->second.size();
      held.erase(last);
    }
    total_peak = std::max(total_peak, total_now);
    for (std::size_t c = 0; c < categories; ++c) {
      peak[c] = std::max(peak[c], now[c]);
      ASSERT_EQ(ledger.line(static_cast<Category>(c)).now, now[c]);
      ASSERT_EQ(ledger.line(static_cast<Category>(c)).peak, peak[c]);
    }
    ASSERT_EQ(ledger.total().now, total_now);
    ASSERT_EQ(ledger.total().peak, total_peak);
  }
}

TEST(MemoryLedger, NamesItsCategories) {
  const std::array<std::string_view, categories> names{"parameters",  "gradients", "master",
                                                       "momentum",    "variance",  "accumulator",
                                                       "activations", "buffers",   "data"};
  for (std::size_t c = 0; c < categories; ++c) EXPECT_EQ(name(static_cast<Category>(c)), names[c]);
}

// ru_maxrss counts kilobytes everywhere but on macOS.
TEST(Process, MaxRssUnits) {
  EXPECT_EQ(max_rss_to_bytes(262'144, false), std::size_t{256} << 20U);
  EXPECT_EQ(max_rss_to_bytes(268'435'456, true), std::size_t{256} << 20U);
}

// Touching 256 MiB raises the peak by 256 MiB within 10 %; it outlives the memory until it is
// reset.
TEST(Process, PeakGrowsByWhatIsTouched) {
  constexpr std::size_t size = std::size_t{256} << 20U;
  // The address sanitizer's shadow takes one byte for eight.
  constexpr double growth = size * (address_sanitizer ? 1.125 : 1.0);
  const bool resets = reset_peak_resident();
  const std::size_t before = peak_resident_bytes();
  {
    MemoryLedger ledger;
    Buffer buffer(ledger, Category::data, NumberType::uint8, size);
    buffer.fill_zero();
  }
  const std::size_t after = peak_resident_bytes();
  EXPECT_NEAR(static_cast<double>(after - before), growth, 0.1 * growth);
  if (resets && !address_sanitizer) {  // which keeps freed memory
    ASSERT_TRUE(reset_peak_resident());
    EXPECT_LT(peak_resident_bytes(), before + size / 10);
  }
}

}  // namespace
}  // namespace zerolab
