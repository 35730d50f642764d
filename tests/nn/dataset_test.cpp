// What `--data` accepts, the embedded digits, Fashion-MNIST and the synthetic samples.
#include "zerolab/nn/dataset.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "../../src/nn/data_sources.hpp"

namespace zerolab {
namespace {

const std::string fashion_directory = "/usr/share/datasets/fashion-mnist";

std::vector<float> sample(const Dataset& data, Split split, std::size_t index) {
  std::vector<float> values(data.features());
  data.read(split, index, values);
  return values;
}

std::vector<std::size_t> class_counts(const Dataset& data, std::initializer_list<Split> splits) {
  std::vector<std::size_t> counts(data.classes());
  for (const Split split : splits) {
    for (std::size_t i = 0; i < data.samples(split); ++i) {
      ++counts.at(static_cast<std::size_t>(data.label(split, i)));
    }
  }
  return counts;
}

template <class Action>
std::string error(Action action) {
  try {
    action();
  } catch (const Error& fault) {
    return fault.what();
  }
  return "no error";
}

TEST(DataName, BadTextIsNamedWithWhatIsAllowed) {
  MemoryLedger ledger;
  for (const std::string text : {"",
                                 "mnist",
                                 "Digits",
                                 "digits:",
                                 "digits:8",
                                 "fashion-mnist:x",
                                 "csv",
                                 "csv:",
                                 "idx",
                                 "idx:",
                                 "idx:a",
                                 "idx:a,",
                                 "idx:,b",
                                 "idx:a,b,c",
                                 "synthetic:",
                                 "synthetic:1",
                                 "synthetic:1,2",
                                 "synthetic:1,2,3,4",
                                 "synthetic:0,2,3",
                                 "synthetic:1,0,3",
                                 "synthetic:1,2,0",
                                 "synthetic:1,2,1",
                                 "synthetic:1,2,65537",
                                 "synthetic:-1,2,3",
                                 "synthetic:+1,2,3",
                                 "synthetic:1, 2,3",
                                 "synthetic:1.5,2,3",
                                 "synthetic:1e3,2,3",
                                 "synthetic:a,b,c",
                                 "synthetic:1,2,3x",
                                 "synthetic:1,,3",
                                 "synthetic:18446744073709551616,1,2",
                                 "synthetic:4294967296,4294967296,2",
                                 "synthetic:9223372036854775807,3,2"}) {
    const std::string found = error([&] { open_dataset(text, 1, ledger); });
    EXPECT_TRUE(found.starts_with("--data " + text + ": ")) << found;
    for (const char* part :
         {"digits |", "fashion-mnist |", "synthetic[:SAMPLES,FEATURES,CLASSES] |", "csv:FILE |",
          "idx:IMAGES,LABELS"}) {
      EXPECT_NE(found.find(part), std::string::npos) << found;
    }
  }
  EXPECT_EQ(parse_data_name("csv:a:b,c").file, "a:b,c");
}

// First rows and counts per class as the data set's own documentation gives them.
TEST(Digits, AreTheEmbeddedTable) {
  MemoryLedger ledger;
  const auto data = open_dataset("digits", 1, ledger);
  EXPECT_EQ(data->features(), 64U);
  EXPECT_EQ(data->samples(Split::train), 1438U);
  EXPECT_EQ(data->samples(Split::test), 359U);
  EXPECT_EQ(class_counts(*data, {Split::train, Split::test}),
            (std::vector<std::size_t>{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}));
  const std::vector<float> first = sample(*data, Split::train, 0);
  EXPECT_EQ(std::vector(first.begin(), first.begin() + 8),
            (std::vector<float>{0, 0, 5 / 16.0F, 13 / 16.0F, 9 / 16.0F, 1 / 16.0F, 0, 0}));
  // The file starts 0, 1, 2, … 9, 0, …: row 4 is the first test row, row 5 the fifth training row.
  for (std::int32_t i = 0; i < 4; ++i) EXPECT_EQ(data->label(Split::train, std::size_t(i)), i);
  EXPECT_EQ(data->label(Split::test, 0), 4);
  EXPECT_EQ(data->label(Split::train, 4), 5);
  EXPECT_EQ(data->label(Split::test, 1), 9);
  EXPECT_EQ(data->bytes(), 1797U * (64 * 4 + 4));
  EXPECT_EQ(ledger.line(Category::data).now, data->bytes());
  EXPECT_EQ(ledger.total().peak, data->bytes());
}

TEST(Digits, WrongIndexOrSizeIsRefused) {
  MemoryLedger ledger;
  const auto data = open_dataset("digits", 1, ledger);
  std::vector<float> out(64);
  EXPECT_THROW(data->read(Split::test, 359, out), Error);
  EXPECT_THROW(data->label(Split::train, 1438), Error);
  out.resize(63);
  EXPECT_THROW(data->read(Split::test, 0, out), Error);
}

// Ranks compare it: any value or label that differs, in either table, makes another checksum.
TEST(Stored, ChecksumChangesWithValuesLabelsAndPlaces) {
  MemoryLedger ledger;
  const auto table = [&](const char* text) { return read_csv_text(text, "text", ledger); };
  const char* const rows = "1,2,0\n3,4,1\n";
  std::vector<std::uint32_t> sums;
  for (const char* text :
       {rows, "1,2,1\n3,4,1\n", "1,2,0\n3,4,0\n", "1,5,0\n3,4,1\n", "3,4,1\n1,2,0\n"}) {
    sums.push_back(StoredDataset(1.0F, table(text)).checksum());
    sums.push_back(StoredDataset(1.0F, table(rows), table(text)).checksum());
  }
  EXPECT_EQ(StoredDataset(1.0F, table(rows)).checksum(), sums[0]);
  for (std::size_t a = 0; a < sums.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(sums[a], sums[b]) << a << " and " << b;
}

TEST(FashionMnist, IsThePackageWithItsOwnSplit) {
  if (!std::filesystem::exists(fashion_directory)) GTEST_SKIP() << "package not installed";
  MemoryLedger ledger;
  const auto data = open_dataset("fashion-mnist", 1, ledger);
  EXPECT_EQ(data->features(), 784U);
  EXPECT_EQ(class_counts(*data, {Split::train}), std::vector<std::size_t>(10, 6000));
  EXPECT_EQ(class_counts(*data, {Split::test}), std::vector<std::size_t>(10, 1000));
  EXPECT_EQ(data->label(Split::train, 0), 9);  // an ankle boot
  float largest = 0;
  for (const float value : sample(*data, Split::train, 0)) {
    const float pixel = value * 255;
    EXPECT_NEAR(pixel, std::round(pixel), 1e-4F);
    EXPECT_EQ(value, std::round(pixel) / 255);
    largest = std::max(largest, value);
  }
  EXPECT_EQ(largest, 1.0F);
  EXPECT_EQ(data->bytes(), 70000U * (784 * 1 + 4));
  EXPECT_EQ(ledger.total().peak, data->bytes());
}

TEST(FashionMnist, AbsentPackageSaysHowToGetIt) {
  MemoryLedger ledger;
  const std::string found = error([&] { open_fashion_mnist("/no/such/place", ledger); });
  for (const char* part : {"/no/such/place/train-images-idx3-ubyte.gz",
                           "apt install dataset-fashion-mnist", "./run_labs.sh install"}) {
    EXPECT_NE(found.find(part), std::string::npos) << found;
  }
}

TEST(Synthetic, SizesAndNoStorage) {
  MemoryLedger ledger;
  const auto data = open_dataset("synthetic", 1, ledger);
  EXPECT_EQ(data->samples(Split::train), 4096U);
  EXPECT_EQ(data->samples(Split::test), 820U);  // ceil(4096 / 5)
  EXPECT_EQ(data->features(), 784U);
  EXPECT_EQ(data->classes(), 10U);
  EXPECT_EQ(data->bytes(), 0U);
  EXPECT_EQ(ledger.total().peak, 0U);
  EXPECT_EQ(open_dataset("synthetic:1,1,2", 1, ledger)->samples(Split::test), 1U);
  EXPECT_EQ(open_dataset("synthetic:10,1,2", 1, ledger)->samples(Split::test), 2U);
  const auto vast = open_dataset("synthetic:4611686018427387904,1,2", 1, ledger);
  EXPECT_EQ(sample(*vast, Split::train, vast->samples(Split::train) - 1).size(), 1U);
  EXPECT_THROW(data->label(Split::test, 820), Error);
}

// A sample depends on seed, split and index; not on the order of reading, the object or the sample
// count.
TEST(Synthetic, ValuesDependOnSeedSplitAndIndexOnly) {
  MemoryLedger ledger;
  const auto one = open_dataset("synthetic:100,13,5", 7, ledger);
  const auto other = open_dataset("synthetic:1000,13,5", 7, ledger);
  const auto reseeded = open_dataset("synthetic:100,13,5", 8, ledger);
  for (std::size_t i = 100; i-- > 0;) {
    EXPECT_EQ(sample(*one, Split::train, i), sample(*other, Split::train, i));
    EXPECT_EQ(one->label(Split::train, i), other->label(Split::train, i));
    EXPECT_NE(sample(*one, Split::train, i), sample(*reseeded, Split::train, i));
    EXPECT_NE(sample(*one, Split::train, i), sample(*one, Split::train, (i + 1) % 100));
  }
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NE(sample(*one, Split::train, i), sample(*one, Split::test, i));
  }
}

// The noise of a sample is no shifted piece of its neighbour's. Differences of samples of one class
// hold noise alone.
TEST(Synthetic, SamplesShareNoNoise) {
  constexpr std::size_t features = 24;
  MemoryLedger ledger;
  const auto data = open_dataset("synthetic:200,24,2", 7, ledger);
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i + 2 < 200; ++i) {
    const auto label = [&](std::size_t index) { return data->label(Split::train, index); };
    if (label(i) != label(i + 1) || label(i) != label(i + 2)) continue;
    ++looked_at;
    const auto a = sample(*data, Split::train, i), b = sample(*data, Split::train, i + 1),
               c = sample(*data, Split::train, i + 2);
    for (std::size_t shift = 0; shift + 8 <= features; ++shift) {
      std::size_t same = 0;
      for (std::size_t f = 0; f < 8; ++f)
        same += a[f + shift] - b[f + shift] == b[f] - c[f] ? 1 : 0;
      EXPECT_LT(same, 8U) << "samples from " << i << ", shifted by " << shift;
    }
  }
  EXPECT_GT(looked_at, 10U);
}

// Share of test samples that the nearest class mean, a linear classifier, gets right.
double nearest_mean_accuracy(const Dataset& data) {
  const std::size_t features = data.features();
  std::vector<double> means(data.classes() * features);
  const std::vector<std::size_t> counts = class_counts(data, {Split::train});
  for (std::size_t i = 0; i < data.samples(Split::train); ++i) {
    const auto label = static_cast<std::size_t>(data.label(Split::train, i));
    const std::vector<float> x = sample(data, Split::train, i);
    for (std::size_t f = 0; f < features; ++f) {
      means[label * features + f] += double{x[f]} / static_cast<double>(counts[label]);
    }
  }
  std::size_t right = 0;
  for (std::size_t i = 0; i < data.samples(Split::test); ++i) {
    const std::vector<float> x = sample(data, Split::test, i);
    std::vector<double> distance(data.classes());
    for (std::size_t c = 0; c < data.classes(); ++c) {
      for (std::size_t f = 0; f < features; ++f) {
        distance[c] += std::pow(double{x[f]} - means[c * features + f], 2);
      }
    }
    const auto best = std::min_element(distance.begin(), distance.end()) - distance.begin();
    right += best == data.label(Split::test, i) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(data.samples(Split::test));
}

TEST(Synthetic, CanBeLearned) {
  MemoryLedger ledger;
  for (const char* name :
       {"synthetic", "synthetic:1000,64,10", "synthetic:1000,16,4", "synthetic:500,3000,10"}) {
    EXPECT_GT(nearest_mean_accuracy(*open_dataset(name, 1, ledger)), 0.9) << name;
  }
}

}  // namespace
}  // namespace zerolab
