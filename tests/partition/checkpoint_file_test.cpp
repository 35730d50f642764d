// The checkpoint file, byte by byte against its description, and with every kind of damage.
#include "zerolab/partition/checkpoint_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "zerolab/core/random.hpp"

namespace zerolab {
namespace {

constexpr std::size_t block = CheckpointHead::block;

class CheckpointFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "zerolab-file-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ / "step";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Writes all of every state, in shards of `ranks` writers of ragged units.
  void write(std::size_t elements, std::size_t ranks,
             std::vector<SavedState> states = {SavedState::master, SavedState::momentum,
                                               SavedState::variance}) {
    const CheckpointHead head{"{\"any\": 1}", elements, std::move(states), {}};
    CheckpointWriter::create(path_, head);
    CheckpointWriter whole(path_, head);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      CheckpointWriter writer(path_, head);
      for (const SavedState state : head.states) {
        for (std::size_t first = 0; first < elements; first += unit) {
          const std::size_t size = std::min(unit, elements - first), small = size / ranks;
          const std::size_t begin = rank * small, end = rank + 1 == ranks ? size : begin + small;
          const std::vector<float> values = numbers(state, first + begin, end - begin);
          writer.write(state, first + begin, values);
        }
      }
      for (std::size_t i = 0; i < whole.checksums().size(); ++i)
        whole.checksums()[i] ^= writer.checksums()[i];
    }
    whole.write_head();
    whole.sync();
  }

  static std::vector<float> numbers(SavedState state, std::size_t first, std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = random_symmetric(static_cast<std::uint64_t>(state), first + i);
    return values;
  }

  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  /// What opening the file and reading all of it is refused with; empty: it is not.
  std::string refusal() const try {
    const CheckpointReader file(path_);
    for (const SavedState state : file.head().states)
      file.read(state, 0, file.head().elements, [](std::span<const float>, std::size_t) {});
    return "";
  } catch (const Error& error) {
    return error.what();
  }

  static constexpr std::size_t unit = 10'007;
  std::filesystem::path folder_, path_;
};

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The offsets of the README, with zlib's CRC-32 over the bytes as they lie in the file.
TEST_F(CheckpointFileTest, LiesAsDescribed) {
  const std::size_t elements = 2 * block + 5;
  write(elements, 3);
  const std::string file = bytes();
  EXPECT_EQ(file.substr(0, 8), std::string("zerolab\0", 8));
  EXPECT_EQ(at<std::uint32_t>(file, 8), 1U);
  const std::size_t description = at<std::uint32_t>(file, 12);
  EXPECT_EQ(description, 10U);
  EXPECT_EQ(at<std::uint64_t>(file, 16), elements);
  EXPECT_EQ(at<std::uint32_t>(file, 24), 7U);
  EXPECT_EQ(at<std::uint32_t>(file, 28), block);
  EXPECT_EQ(file.substr(32, description), "{\"any\": 1}");
  const std::size_t sums = 32 + description, end = sums + 4 * 3 * 3;
  const auto crc = [&](std::size_t first, std::size_t size) {
    return crc32(0, reinterpret_cast<const Bytef*>(file.data() + first), static_cast<uInt>(size));
  };
  EXPECT_EQ(at<std::uint32_t>(file, end), crc(0, end));
  ASSERT_EQ(file.size(), end + 4 + 3 * 4 * elements);
  for (std::size_t state = 0; state < 3; ++state) {
    const std::size_t begin = end + 4 + state * 4 * elements;
    const std::vector<float> values = numbers(static_cast<SavedState>(state), 0, elements);
    EXPECT_EQ(std::memcmp(file.data() + begin, values.data(), 4 * elements), 0);
    for (std::size_t b = 0; b < 3; ++b) {
      EXPECT_EQ(at<std::uint32_t>(file, sums + 4 * (3 * state + b)),
                crc(begin + 4 * b * block, b < 2 ? 4 * block : 20));
    }
  }
}

// Whoever wrote which part, the file is the same.
TEST_F(CheckpointFileTest, DoesNotDependOnTheRanks) {
  for (const std::size_t elements : {std::size_t{1}, block - 1, block, block + 1, 3 * block + 17}) {
    write(elements, 1);
    const std::string one = bytes();
    for (const std::size_t ranks : {2U, 3U, 4U, 8U}) {
      write(elements, ranks);
      EXPECT_EQ(bytes() == one, true) << elements << " elements by " << ranks;
    }
  }
}

TEST_F(CheckpointFileTest, AnyRangeIsRead) {
  const std::size_t elements = 2 * block + 5;
  write(elements, 2, {SavedState::master, SavedState::variance});
  const CheckpointReader file(path_);
  EXPECT_FALSE(file.head().holds(SavedState::momentum));
  EXPECT_THROW(file.read(SavedState::momentum, 0, 1, [](auto, auto) {}), Error);
  EXPECT_THROW(file.read(SavedState::master, elements, 1, [](auto, auto) {}), Error);
  for (const auto& [begin, size] : {std::pair<std::size_t, std::size_t>{0, elements},
                                    {0, 0},
                                    {elements, 0},
                                    {0, 1},
                                    {block - 1, 2},
                                    {block, block},
                                    {7, 2 * block - 7},
                                    {elements - 1, 1}}) {
    const std::size_t first = begin, count = size;
    std::vector<float> read;
    file.read(SavedState::variance, first, count, [&](std::span<const float> some, std::size_t i) {
      EXPECT_EQ(i, first + read.size());
      read.insert(read.end(), some.begin(), some.end());
    });
    EXPECT_EQ(read, numbers(SavedState::variance, first, count));
  }
}

// One bit flipped anywhere: all bits of the head and of the first and last bytes of each block, and
// some in between.
TEST_F(CheckpointFileTest, EveryFlippedBitIsFound) {
  write(block + 100, 2);
  const std::string good = bytes();
  ASSERT_EQ(refusal(), "");
  const std::size_t head = good.size() - 3 * 4 * (block + 100);
  std::size_t flips = 0;
  for (std::size_t i = 0; i < good.size(); i += i < head + 8 || i + 8 > good.size() ? 1 : 977) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      put(bad);
      const std::string why = refusal();
      EXPECT_TRUE(why.starts_with(path_.string() + ": ")) << "byte " << i << ": '" << why << "'";
      ++flips;
    }
  }
  EXPECT_GT(flips, 1500U);
}

TEST_F(CheckpointFileTest, EveryLengthButTheRightOneIsFound) {
  write(100, 2);
  const std::string good = bytes();
  for (std::size_t size = 0; size < good.size(); ++size) {
    put(good.substr(0, size));
    EXPECT_NE(refusal(), "") << size << " bytes";
  }
  put(good.substr(0, good.size() - 1));
  EXPECT_NE(refusal().find("truncated?"), std::string::npos) << refusal();
  put(good + "x");
  EXPECT_NE(refusal().find("bytes left over"), std::string::npos) << refusal();
}

TEST_F(CheckpointFileTest, SaysWhatAFileIsInstead) {
  const auto refused_with = [&](const std::string& bytes, const std::string& words) {
    put(bytes);
    EXPECT_NE(refusal().find(words), std::string::npos) << refusal();
  };
  write(100, 1);
  std::string good = bytes();
  refused_with("", "no checkpoint");
  refused_with(std::string(5000, '\0'), "not completed");
  refused_with("PK" + good.substr(2), "no checkpoint of zerolab");
  good[8] = 2;
  refused_with(good, "format version 2; this program reads version 1");
  std::filesystem::remove(path_);
  EXPECT_NE(refusal().find("No such file"), std::string::npos) << refusal();
  std::filesystem::create_directory(path_);
  EXPECT_NE(refusal().find("no regular file"), std::string::npos) << refusal();
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_NE(refusal().find("no regular file"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace zerolab
