#include "zerolab/comm/wire_dump.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>

namespace zerolab {

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The dump of a rank, as soon as it is complete.
std::optional<RankDump> wait_for(const std::filesystem::path& file, std::size_t rank,
                                 std::size_t ranks, std::chrono::steady_clock::time_point limit) {
  while (true) {
    auto dump = parse_dump(text_of(file), rank, ranks);
    if (dump || std::chrono::steady_clock::now() > limit) return dump;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::uint64_t sum(const std::vector<std::uint64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

constexpr std::size_t longest_name = 4096;

/// Open MPI puts the rank into the name.
std::filesystem::path dump_of(const std::filesystem::path& file, std::size_t rank) {
  return file.string() + fmt::format(".{}.prof", rank);
}

}  // namespace

std::optional<RankDump> parse_dump(const std::string& text, std::size_t rank, std::size_t ranks) {
  RankDump dump{std::vector<std::uint64_t>(ranks), std::vector<std::uint64_t>(ranks)};
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != "# POINT TO POINT") return std::nullopt;
  while (std::getline(lines, line)) {
    if (line.starts_with("# ") && !lines.eof()) return dump;  // the next part has begun
    std::istringstream words(line);
    std::string kind, unit;
    std::size_t from = 0, to = 0;
    std::uint64_t bytes = 0;
    if (!(words >> kind >> from >> to >> bytes >> unit) || unit != "bytes") return std::nullopt;
    if (from != rank || to >= ranks || (kind != "E" && kind != "I")) return std::nullopt;
    (kind == "E" ? dump.own : dump.inside)[to] += bytes;
  }
  return std::nullopt;
}

WireBytes read_smpi_trace(const std::string& file, std::size_t ranks) {
  WireBytes wire{std::vector<std::uint64_t>(ranks), {}};
  std::vector<bool> known(ranks);  // the message of known length to the next rank was seen
  std::ifstream in(file);
  std::string line, word, kind;
  while (std::getline(in, line)) {
    // A message that leaves: 15 time type container PTP container SENDER_RECEIVER_TAG_… size. Both
    // count from 1; tags below 0 are those inside collectives.
    std::istringstream words(line);
    if (!(words >> word) || word != "15") continue;
    std::size_t from = 0, to = 0;
    long tag = 0;
    char between = 0;
    std::uint64_t bytes = 0;
    words >> word >> word >> word >> kind >> word >> from >> between >> to >> between >> tag >>
        word;
    if (kind != "PTP") continue;
    if (!(words >> bytes) || from < 1 || from > ranks || (tag < 0 && (to < 1 || to > ranks)))
      return {{}, fmt::format("{}: is no trace of {} ranks", file, ranks)};
    if (tag < 0 && from != to) wire.per_rank[from - 1] += bytes;
    if (tag >= 0 && to == from % ranks + 1 && bytes == WireDump::known_bytes(from - 1))
      known[from - 1] = true;
  }
  for (std::size_t r = 0; r < ranks && ranks > 1; ++r) {
    if (!known[r])
      return {{},
              fmt::format("self-test: {} does not show rank {}'s message of {} bytes", file, r,
                          WireDump::known_bytes(r))};
  }
  return wire;
}

WireDump::WireDump(Communicator& comm, std::filesystem::path file)
    : rank_(comm.rank()), mine_(std::move(file)) {
  const auto outside = comm.outside_training();
  const std::vector<char> known(known_bytes(rank_));
  std::vector<char> received(known_bytes((rank_ + comm.size() - 1) % comm.size()));
  comm.pass_on(known, received);
  const auto hosts = comm.gather(host_name());
  one_host_ = comm.maximum(std::any_of(hosts.begin(), hosts.end(), [&](const std::string& host) {
    return host != hosts[0];
  })) == 0;
  // All names are sent at one length, so that no digit of a process id counts as a byte of the run.
  std::string name = mine_.string();
  name.resize(longest_name, '\0');
  for (const std::string& sent : comm.gather(name)) files_.emplace_back(sent.c_str());
}

void WireDump::open_folder() const {
  std::error_code without;  // then there is no file, and collect() says so
  if (!std::filesystem::create_directory(mine_.parent_path(), without)) return;
  std::filesystem::permissions(mine_.parent_path(), std::filesystem::perms::owner_all, without);
}

WireBytes WireDump::read(std::chrono::milliseconds patience) const {
  if (!one_host_) return {{}, "ranks run on several hosts, each leaves its count on its own"};
  const std::size_t ranks = files_.size();
  if (!parse_dump(text_of(dump_of(mine_, 0)), 0, ranks)) {
    return {{}, "this MPI left no count (Open MPI's component pml_monitoring does)"};
  }
  WireBytes wire;
  const auto limit = std::chrono::steady_clock::now() + patience;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto dump = wait_for(dump_of(files_[r], r), r, ranks, limit);
    if (!dump) return {{}, fmt::format("rank {} left no count", r)};
    const std::uint64_t known = known_bytes(r);
    if (sum(dump->own) != known || dump->own[(r + 1) % ranks] != known) {
      return {{},
              fmt::format("self-test: rank {} sent a message of {} bytes, {} were counted", r,
                          known, sum(dump->own))};
    }
    wire.per_rank.push_back(sum(dump->inside) - dump->inside[r]);
  }
  return wire;
}

WireBytes WireDump::collect(std::chrono::milliseconds patience) const {
  WireBytes wire;
  if (rank_ == 0) wire = read(patience);
  std::error_code left_over;
  if (rank_ == 0 && one_host_) {
    for (const auto& file : files_) std::filesystem::remove_all(file.parent_path(), left_over);
  } else if (!one_host_) {
    std::filesystem::remove_all(mine_.parent_path(), left_over);
  }
  return wire;
}

}  // namespace zerolab
