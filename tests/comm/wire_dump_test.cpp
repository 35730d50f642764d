// The dump of Open MPI's monitoring component: read as it is written, and believed only when it
// shows the known message. The files here are written by the test; tests/program/wire.sh has real
// ones.
#include "zerolab/comm/wire_dump.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace zerolab {
namespace {

using Bytes = std::vector<std::uint64_t>;

const std::string real =
    "# POINT TO POINT\n"
    "E\t1\t2\t10008 bytes\t1 msgs sent\t0,0,1,0\n"
    "I\t1\t0\t24 bytes\t2 msgs sent\t0,2,0,0\n"
    "I\t1\t2\t400000 bytes\t2 msgs sent\n"
    "# OSC\n"
    "# COLLECTIVES\n"
    "C\t1\t0\t999 bytes\t1 msgs sent\n"
    "D\tMPI_COMM_WORLD\tprocs: 0,1,2\n";

TEST(WireDump, IsReadByKindAndRank) {
  const auto dump = parse_dump(real, 1, 3);
  ASSERT_TRUE(dump);
  EXPECT_EQ(dump->own, (Bytes{0, 0, 10008}));
  EXPECT_EQ(dump->inside, (Bytes{24, 0, 400000})) << "what collectives mean to send is not counted";
}

TEST(WireDump, IsCompleteWhenTheNextPartHasBegun) {
  const std::size_t next_part = real.find("# OSC\n");
  for (std::size_t length = 0; length < real.size(); ++length) {
    EXPECT_EQ(parse_dump(real.substr(0, length), 1, 3).has_value(), length >= next_part + 6)
        << real.substr(0, length);
  }
}

TEST(WireDump, AnythingElseIsNotUnderstood) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = real;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_FALSE(parse_dump(real, 0, 3)) << "another rank's";
  EXPECT_FALSE(parse_dump(real, 1, 2)) << "a rank that does not exist";
  EXPECT_FALSE(parse_dump(changed("bytes", "kB"), 1, 3));
  EXPECT_FALSE(parse_dump(changed("E\t", "X\t"), 1, 3));
  EXPECT_FALSE(parse_dump(changed("10008", "many"), 1, 3));
  EXPECT_FALSE(parse_dump(changed("# POINT TO POINT", "# POINTS"), 1, 3));
}

/// The trace of two simulated ranks, in the simulator's form, read on one rank.
WireBytes trace_of(const std::string& events, std::size_t ranks) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("trace.{}", getpid());
  std::ofstream(file) << events;
  const WireBytes bytes = read_smpi_trace(file, ranks);
  std::filesystem::remove(file);
  return bytes;
}

TEST(SmpiTrace, CountsWhatLeavesInsideCollectives) {
  const std::string known =
      "15 0.1 3 0 PTP 1 1_2_1_4 10007\n"
      "15 0.1 3 0 PTP 2 2_1_1_5 10008\n";
  const std::string events =
      "%EventDef ...\n12 0.1 2 1 8 10007\n" + known +
      "15 0.2 3 0 PTP 1 1_2_-112_6 10007\n"  // no known message: a tag below 0
      "16 0.3 3 0 PTP 2 1_2_-112_6\n"
      "15 0.3 3 0 PTP 2 2_1_-3334_7 24\n"
      "15 0.3 3 0 PTP 2 2_2_-3334_8 99\n";  // to itself
  EXPECT_EQ(trace_of(events, 2).per_rank, (Bytes{10007, 24}));
  EXPECT_EQ(trace_of(events, 1).per_rank, Bytes{}) << "more ranks than the run had";
  EXPECT_EQ(trace_of(events.substr(events.find("15 0.1 3 0 PTP 2")), 2).reason.substr(0, 10),
            "self-test:");
  EXPECT_EQ(trace_of("", 2).per_rank, Bytes{});
}

/// All ranks play a run whose ranks leave dumps.
struct WireFolders : testing::Test {
  Communicator comm{MPI_COMM_WORLD};
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("zerolab-test.{}", getpid());

  /// The count, when this rank's dump shows a known message of `known` bytes.
  WireBytes count(std::uint64_t known, bool complete = true) {
    const std::size_t me = comm.rank(), next = (me + 1) % comm.size();
    const WireDump dump(comm, folder / "sent");
    dump.open_folder();
    std::ofstream(folder / fmt::format("sent.{}.prof", me))
        << fmt::format("# POINT TO POINT\nE\t{0}\t{1}\t{2} bytes\t1 msgs sent\n", me, next, known)
        << fmt::format("I\t{0}\t{0}\t7 bytes\t1 msgs sent\n", me)
        << fmt::format("I\t{0}\t{1}\t{2} bytes\t1 msgs sent\n", me, next, 1000 + me)
        << (complete ? "# OSC\n" : "");
    comm.barrier();
    const WireBytes bytes = dump.collect(std::chrono::milliseconds(100));
    comm.barrier();
    EXPECT_FALSE(std::filesystem::exists(folder));
    return bytes;
  }
};

TEST_F(WireFolders, CountWhatWentToOthersWithoutTheKnownMessage) {
  const WireBytes bytes = count(WireDump::known_bytes(comm.rank()));
  Bytes wanted;
  for (std::size_t r = 0; r < comm.size(); ++r) wanted.push_back(comm.size() == 1 ? 0 : 1000 + r);
  EXPECT_EQ(bytes.per_rank, comm.rank() == 0 ? wanted : Bytes{});
  EXPECT_EQ(bytes.reason, "");
}

TEST_F(WireFolders, AreNotBelievedWhenTheKnownMessageIsWrong) {
  const bool last = comm.rank() + 1 == comm.size();
  const WireBytes bytes = count(WireDump::known_bytes(comm.rank()) - (last ? 1 : 0));
  EXPECT_EQ(bytes.per_rank, Bytes{});
  if (comm.rank() == 0) {
    EXPECT_EQ(bytes.reason.substr(0, 10), "self-test:");
  }
}

TEST_F(WireFolders, AreNotBelievedWhenARankLeavesNone) {
  const bool last = comm.rank() + 1 == comm.size();
  const WireBytes bytes = count(WireDump::known_bytes(comm.rank()), !last);
  EXPECT_EQ(bytes.per_rank, Bytes{});
  if (comm.rank() == 0) {
    EXPECT_NE(bytes.reason.find("left no count"), std::string::npos) << bytes.reason;
  }
}

}  // namespace
}  // namespace zerolab
