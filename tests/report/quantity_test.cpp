// Quantities as people write them: exact to the last digit, and what is refused with which words.
#include "zerolab/report/quantity.hpp"

#include <gtest/gtest.h>

namespace zerolab {
namespace {

using enum Quantity;

void expect(Quantity quantity, const char* written, const Fraction& value) {
  const Reading reading = read_quantity(quantity, written);
  EXPECT_EQ(reading.fault, "") << written;
  EXPECT_TRUE(reading.value == value) << written << " is read as " << text(reading.value);
}

void expect_fault(Quantity quantity, const char* written, const std::string& words) {
  const Reading reading = read_quantity(quantity, written);
  EXPECT_TRUE(reading.fault.starts_with(std::string("'") + written + "' ") &&
              reading.fault.find(words) != std::string::npos)
      << "'" << written << "' is told: " << reading.fault;
}

constexpr Whole thousand = 1000, million = 1'000'000, billion = 1'000'000'000;

TEST(Quantity, CountsInThousands) {
  for (const char* written :
       {"7B", "7e9", "7000000000", "7G", "7000M", "7.0B", "+7B", "0.7e10", "7 B", "70e8",
        "7000000000.000", "0.000007e15", "007B", "7E9", "7e+9"}) {
    expect(count, written, 7 * billion);
  }
  expect(count, "1.5B", 1500 * million);
  expect(count, "175B", 175 * billion);
  expect(count, "350M", 350 * million);
  expect(count, "2k", 2 * thousand);
  expect(count, "2K", 2 * thousand);
  expect(count, "1.000000000001T", thousand * billion + 1);
  expect(count, "0", 0);
  expect(count, "1e18", billion * billion);
  expect(count, "999999999999999999", billion * billion - 1);  // a double cannot hold that
  expect(count, "123456789012345678", 123'456'789'012'345'678);
  expect(count, "0.1e1", 1);
  expect(count, "1000e-3", 1);
}

TEST(Quantity, BytesOfThousandsAndOf1024) {
  expect(bytes, "80GB", 80 * billion);
  expect(bytes, "80e9", 80 * billion);
  expect(bytes, "80GiB", 80 * (Whole{1} << 30));
  expect(bytes, "500MB", 500 * million);
  expect(bytes, "2.06TB", 2060 * billion);
  expect(bytes, "1.5KiB", 1536);
  expect(bytes, "8kB", 8000);
  expect(bytes, "12B", 12);
  expect(bytes, "0.5KiB", 512);
  expect(bytes, "8.8817841970012523233890533447265625e-16PiB", 1);  // 2^-50
}

TEST(Quantity, BandwidthsInBytesAndInBits) {
  for (const char* written : {"300GB/s", "300e9", "2400Gb/s", "2400Gbit/s", "2.4Tbit/s", "300GBps",
                              "2400Gbps", "300000MB/s"}) {
    expect(bandwidth, written, 300 * billion);
  }
  expect(bandwidth, "10Gb/s", 1250 * million);
  expect(bandwidth, "1GiB/s", Whole{1} << 30);
  expect(bandwidth, "8b/s", 1);
}

TEST(Quantity, SecondsAndSharesNeedNotBeWhole) {
  expect(seconds, "10", 10);
  expect(seconds, "10s", 10);
  expect(seconds, "500ms", {1, 2});
  expect(seconds, "0.3", {3, 10});
  expect(seconds, "1.5us", {3, 2 * million});
  expect(seconds, "0", 0);
  expect(share, "80%", {4, 5});
  expect(share, "0.8", {4, 5});
  expect(share, "100%", 1);
  expect(share, "1", 1);
  expect(share, "99.9%", {999, 1000});
}

TEST(Quantity, WhatIsNoNumberIsRefused) {
  for (const Quantity quantity : {count, bytes, bandwidth, seconds, share}) {
    for (const char* written :
         {"", " ", "nan", "inf", "seven", "x7", " 7", "GB", ".", "e9", "--7"}) {
      const Reading reading = read_quantity(quantity, written);
      EXPECT_NE(reading.fault, "") << written;
    }
    expect_fault(quantity, "-5", "is below zero");
    expect_fault(quantity, "7e9x", "unknown unit 'x'");
    expect_fault(quantity, "1.2.3", "unknown unit '.3'");
    expect_fault(quantity, "1e", "unknown unit 'e'");
    expect_fault(quantity, "7,5", "unknown unit ',5'");
  }
}

TEST(Quantity, UnitsOfSomethingElseAreRefusedWithWhatToWrite) {
  expect_fault(count, "7GB", "has a unit of bytes or bits, and this counts; write a count like");
  expect_fault(count, "7GiB", "this counts");
  expect_fault(bytes, "80Gb", "is in bits, and this is in bytes; write bytes like");
  expect_fault(bytes, "80Gbit", "is in bits");
  expect_fault(bytes, "80G",
               "has no B for bytes; write bytes like 80e9, 80GB (10^9) or 80GiB (2^30)");
  expect_fault(bytes, "80Gi", "has no B for bytes");
  expect_fault(bytes, "80GB/s", "is a bandwidth");
  expect_fault(bytes, "80gb", "unknown unit 'gb'");
  expect_fault(bandwidth, "300GB", "has no /s");
  expect_fault(bandwidth, "10Gb", "has no /s");
  expect_fault(bandwidth, "300G", "bytes or of bits");
  expect_fault(seconds, "10GB", "unknown unit 'GB'; write seconds");
  expect_fault(share, "80", "above 1, which is 100%; write a share like 80% or 0.8");
  expect_fault(share, "100.1%", "above 1");
}

TEST(Quantity, WhatIsNotWholeOrTooLargeIsRefused) {
  expect_fault(count, "0.5", "is not whole");
  expect_fault(count, "1.0000000001B", "is not whole");
  expect_fault(count, "1e-999", "is not whole");
  expect_fault(bytes, "0.3", "is not a whole number of bytes");
  expect_fault(bytes, "0.0001KiB", "is not a whole number of bytes");
  expect_fault(bandwidth, "1b/s", "is not a whole number of bytes");
  expect_fault(count, "1000000000000000001", "is above 10^18");
  expect_fault(count, "1e999", "is above 10^18");
  expect_fault(count, "99999999999999999999999999999999999999", "is above 10^18");
  expect_fault(count, "1234567890123456789012345678901234567891", "is above 10^18");  // 40 digits
  expect_fault(bytes, "1EiB", "is above 10^18");
  expect_fault(bandwidth, "9e18b/s", "is above 10^18");
  expect_fault(seconds, "1e-30", "is too fine");
}

}  // namespace
}  // namespace zerolab
