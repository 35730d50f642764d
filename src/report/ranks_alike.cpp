// Are all ranks of the job started alike? Asked before anything else, for ranks that do different
// things wait for one another for ever.
#include "zerolab/report/ranks_alike.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>

#include "zerolab/comm/communicator.hpp"

namespace zerolab {

namespace {

std::string checksum_of(const char* file) {
  std::ifstream program(file, std::ios::binary);
  if (!program) return {};
  uLong sum = crc32(0, nullptr, 0);
  std::vector<char> block(std::size_t{1} << 18);
  while (program.read(block.data(), static_cast<std::streamsize>(block.size())),
         program.gcount() > 0)
    sum = crc32(sum, reinterpret_cast<const Bytef*>(block.data()),
                static_cast<uInt>(program.gcount()));
  return fmt::format("{:08x}", sum);
}

std::string describe_program(const Started& started) {
  return fmt::format("version {}, checksum {}", started.version,
                     started.checksum.empty() ? "not to be had" : started.checksum);
}

/// The word at `i`, with the option before it if it is a value.
std::string word_at(const std::vector<std::string>& words, std::size_t i) {
  if (i >= words.size()) return "nothing";
  const bool value = i > 0 && !words[i].starts_with("--") && words[i - 1].starts_with("--");
  return value ? fmt::format("'{} {}'", words[i - 1], words[i]) : fmt::format("'{}'", words[i]);
}

/// FNV-1a.
std::uint64_t hash(const std::string& text) {
  std::uint64_t sum = 14695981039346656037U;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return sum;
}

}  // namespace

Started started(int argc, const char* const* argv) {
  return {ZEROLAB_VERSION, checksum_of("/proc/self/exe"),
          std::vector<std::string>(argv + std::min(argc, 1), argv + argc)};
}

std::string difference(const Started& first, std::size_t rank, const Started& other) {
  if (other.version != first.version || other.checksum != first.checksum)
    return fmt::format("rank {} runs another program than rank 0: {} there, {} on rank 0", rank,
                       describe_program(other), describe_program(first));
  if (other.words == first.words) return {};
  const auto [here, there] =
      std::mismatch(first.words.begin(), first.words.end(), other.words.begin(), other.words.end());
  return fmt::format("rank {} was started with other options than rank 0: {} there, {} on rank 0",
                     rank,
                     word_at(other.words, static_cast<std::size_t>(there - other.words.begin())),
                     word_at(first.words, static_cast<std::size_t>(here - first.words.begin())));
}

std::string packed(const Started& started) {
  std::string text = started.version + '\0' + started.checksum + '\0';
  for (const std::string& word : started.words) text += word + '\0';
  return text;
}

Started unpacked(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\0', begin);
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return {words.at(0), words.at(1), {words.begin() + 2, words.end()}};
}

std::string unlike_ranks(Communicator& comm, const Started& mine) {
  const auto outside = comm.outside_training();
  const std::uint64_t digest = hash(packed(mine));
  const std::uint64_t largest = comm.maximum(digest), smallest = ~comm.maximum(~digest);
  if (largest == smallest) return {};
  const std::vector<std::string> all = comm.gather(packed(mine));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    std::string told = difference(mine, rank, unpacked(all[rank]));
    if (!told.empty()) return told;
  }
  return "ranks were not started alike";
}

}  // namespace zerolab
