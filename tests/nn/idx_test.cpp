// IDX files, plain and gzip'd: what is read equals what was written byte by byte; a file that is
// not what it should be is named with the expected and the found value, and makes nobody allocate.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "zerolab/core/process.hpp"
#include "zerolab/core/require.hpp"
#include "zerolab/nn/dataset.hpp"

namespace zerolab {
namespace {

std::string big_endian(std::initializer_list<std::uint32_t> numbers) {
  std::string bytes;
  for (const std::uint32_t number : numbers) {
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 0xFFU);
  }
  return bytes;
}

std::string pattern(std::size_t size, unsigned factor, unsigned modulus) {
  std::string bytes(size, 0);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * factor % modulus);
  return bytes;
}

std::string with(std::string text, std::size_t at, char byte) {
  text.at(at) = byte;
  return text;
}

struct Idx : testing::Test {
  const std::string stem = testing::TempDir() + "zerolab_idx_" + std::to_string(getpid());
  const std::string images_path = stem + ".images", labels_path = stem + ".labels";
  // Seven images of 3 × 2 pixels, every byte value's range touched; labels 0 … 3.
  const std::string images = big_endian({2051, 7, 3, 2}) + pattern(42, 37, 256);
  const std::string labels = big_endian({2049, 7}) + pattern(7, 3, 4);
  MemoryLedger ledger;

  ~Idx() override {
    for (const auto& path : {images_path, labels_path}) std::filesystem::remove(path);
  }

  static std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string zipped(const std::string& text) const {
    const gzFile file = gzopen(images_path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return contents(images_path);
  }
  std::unique_ptr<Dataset> open(const std::string& image_file, const std::string& label_file) {
    std::ofstream(images_path, std::ios::binary) << image_file;
    std::ofstream(labels_path, std::ios::binary) << label_file;
    return open_dataset("idx:" + images_path + "," + labels_path, 1, ledger);
  }
  void expect_error(const std::string& image_file, const std::string& label_file,
                    std::initializer_list<std::string> wanted) {
    std::string found = "no error";
    try {
      open(image_file, label_file);
    } catch (const Error& fault) {
      found = fault.what();
    }
    for (const std::string& part : wanted) {
      EXPECT_NE(found.find(part), std::string::npos) << "wanted: " << part << "\nfound:  " << found;
    }
    EXPECT_EQ(ledger.total().peak, 0U) << "storage was made before the fault was found";
  }
  void expect_seven(const Dataset& data) const {
    ASSERT_EQ(data.features(), 6U);
    EXPECT_EQ(data.classes(), 4U);
    ASSERT_EQ(data.samples(Split::train), 6U);
    ASSERT_EQ(data.samples(Split::test), 1U);
    std::vector<float> pixels(6);
    for (std::size_t row = 0; row < 7; ++row) {
      const Split split = row == 4 ? Split::test : Split::train;
      const std::size_t index = row == 4 ? 0 : row < 4 ? row : row - 1;
      data.read(split, index, pixels);
      for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(pixels[i], static_cast<float>((row * 6 + i) * 37 % 256));
      }
      EXPECT_EQ(data.label(split, index), static_cast<std::int32_t>(row * 3 % 4));
    }
  }
};

TEST_F(Idx, PlainAndGzippedReadTheSame) {
  expect_seven(*open(images, labels));
  expect_seven(*open(zipped(images), labels));
  expect_seven(*open(images, zipped(labels)));
  expect_seven(*open(zipped(images.substr(0, 20)) + zipped(images.substr(20)), labels));
}

// Closed form: rows × (features × 1 + 4).
TEST_F(Idx, HoldsWhatItsDimensionsSay) {
  const auto data = open(zipped(images), zipped(labels));
  EXPECT_EQ(data->bytes(), 7U * (6 * 1 + 4));
  EXPECT_EQ(ledger.line(Category::data).now, data->bytes());
  EXPECT_EQ(ledger.total().peak, data->bytes());
}

TEST_F(Idx, WrongMagicIsNamedWithAHint) {
  const std::string named = "\x1f\x8b\x08\x08";  // how a gzip file starts that holds its name
  const std::string twice = zipped(named + zipped(images)),
                    page = "\n <!DOCTYPE html><html></html>";
  expect_error(twice, labels, {images_path, "2051", "529205256", "still compressed?"});
  expect_error(images, zipped(named + labels), {labels_path, "2049", "529205256", "compressed?"});
  expect_error("PK\3\4 and so on", labels, {images_path, "2051", "compressed?"});
  expect_error(page, labels, {images_path, "2051", "a web page instead of the data?"});
  expect_error(images, "<html>", {labels_path, "2049", "a web page instead of the data?"});
  expect_error(labels, images, {images_path, "2051", "2049", "swapped?"});
  expect_error(images, images, {labels_path, "2049 of IDX labels", "found 2051", "swapped?"});
  std::string little = images;
  std::reverse(little.begin(), little.begin() + 4);
  expect_error(little, labels, {images_path, "2051", "50855936", "byte order?"});
  expect_error(big_endian({3331, 7, 3, 2}), labels, {images_path, "2051", "found 3331"});
}

TEST_F(Idx, SizesMustAgree) {
  expect_error(images.substr(0, 57), labels, {images_path, "58 bytes", "found 57", "truncated?"});
  expect_error(images + "x", labels, {images_path, "58 bytes", "found 59", "left over"});
  expect_error(images, labels.substr(0, 14), {labels_path, "15 bytes", "found 14", "truncated?"});
  expect_error(images, labels + "x", {labels_path, "15 bytes", "found 16", "left over"});
  expect_error(images, big_endian({2049, 6}) + pattern(6, 1, 3), {"7 images", "6 labels"});
  expect_error("", labels, {images_path, "header of 16 bytes", "found 0"});
  expect_error(images.substr(0, 15), labels, {images_path, "header of 16 bytes", "found 15"});
  expect_error(images, labels.substr(0, 3), {labels_path, "header of 8 bytes", "found 3"});
  expect_error(big_endian({2051, 0, 3, 2}), labels, {images_path, "holds no images"});
  expect_error(images, big_endian({2049, 0}), {labels_path, "holds no labels"});
  expect_error(big_endian({2051, 7, 0, 2}), labels, {images_path, "0 x 2 pixels"});
  expect_error(big_endian({2051, 7, 3, 0}), labels, {images_path, "3 x 0 pixels"});
}

TEST_F(Idx, DamagedGzipIsNamedWithBothSizes) {
  // Bytes that do not compress, so that half of the file is half of the data.
  std::string noise = big_endian({2051, 3000, 10, 10});
  for (std::uint32_t i = 0, state = 1; i < 300000; ++i) {
    noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24U);
  }
  const std::string zip = zipped(noise);
  expect_error(zip.substr(0, zip.size() / 2), labels,
               {images_path, "unexpected end", "300016 bytes expected"});
  expect_error(zip.substr(0, zip.size() - 4), labels,
               {images_path, "unexpected end", "300016 bytes"});
  expect_error(zip.substr(0, 12), labels,
               {images_path, "unexpected end", "16 bytes expected, 0 could"});
  const std::size_t sum = zip.size() - 8;  // the check sum
  expect_error(with(zip, sum, static_cast<char>(zip[sum] + 1)), labels,
               {images_path, "data check", "300016 bytes expected"});
  expect_error(with(zip, 10, '\7'), labels, {images_path, "invalid", "16 bytes expected, 0 could"});
}

TEST_F(Idx, LyingHeaderAllocatesNothing) {
  const bool resettable = reset_peak_resident();
  const std::size_t before = peak_resident_bytes();
  const std::string body(84, 1), most = "4294967295";
  expect_error(big_endian({2051, 1U << 31U, 28, 28}) + body, labels,
               {images_path, "1683627180048 bytes", "found 100"});
  expect_error(big_endian({2051, ~0U, 65535, 65535}) + body, labels,
               {images_path, "18446181123756261391 bytes"});
  expect_error(big_endian({2051, ~0U, ~0U, ~0U}) + body, labels,
               {images_path, most + " x " + most});
  expect_error(zipped(big_endian({2051, 1U << 31U, 28, 28})), labels, {images_path, "found 16"});
  expect_error(images, big_endian({2049, ~0U}) + body,
               {labels_path, "4294967303 bytes", "found 92"});
  if (resettable) {
    EXPECT_LT(peak_resident_bytes() - before, std::size_t{32} << 20U);
  }
}

TEST_F(Idx, MissingFileIsNamed) {
  open(images, labels);
  std::filesystem::remove(labels_path);
  try {
    open_dataset("idx:" + images_path + "," + labels_path, 1, ledger);
    ADD_FAILURE() << "opened without labels";
  } catch (const Error& fault) {
    EXPECT_EQ(fault.what(), labels_path + ": no such file");
  }
}

}  // namespace
}  // namespace zerolab
