// How ranks come to measure together, and how they part when one of them cannot.
#include <gtest/gtest.h>

#include "report/ask_measure.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {
namespace {

constexpr const char* file = "experiment-of-the-test.json";

nlohmann::json fault_of_rank_0(Communicator& comm) {
  require(comm.rank() != 0, "rank 0 alone");
  return nullptr;
}

nlohmann::json fault_of_all(Communicator& comm) {
  together(comm, [] { throw Error("all ranks"); });
  return nullptr;
}

/// What comes out of a measurement on this rank.
std::string thrown(Communicator& comm, nlohmann::json (*measure)(Communicator&)) {
  const std::array experiments{Experiment{file, measure}};
  Measurements measurements(comm, {}, "", true, experiments);
  try {
    measurements.during([](Results& results) {
      results.json(file);
      return 0;
    });
    return "nothing";
  } catch (const AgreedError& error) {
    return std::string("agreed: ") + error.what();
  } catch (const Error& error) {
    return std::string("an Error: ") + error.what();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

/// What rank 0 owes the others that wait for its next word and then agree that all went well.
void release(Communicator& comm) {
  comm.patient_barrier();
  comm.broadcast("", 0);
  comm.maximum(0);
  comm.maximum(0);
}

TEST(Measurements, AFaultOfOneRankLeavesTheMeasurementAtOnce) {
  Communicator comm{MPI_COMM_WORLD};
  const std::string what = thrown(comm, fault_of_rank_0);
  if (comm.rank() == 0) {
    EXPECT_EQ(what, std::string(file) + ": rank 0 alone");
    // A rank 0 that has told the others to stop has nothing left to release them from.
    if (!what.starts_with("agreed: ")) release(comm);
  } else {
    EXPECT_EQ(what, "nothing");
  }
}

TEST(Measurements, AFaultOfAllRanksIsOneOfAll) {
  Communicator comm{MPI_COMM_WORLD};
  EXPECT_EQ(thrown(comm, fault_of_all), "agreed: rank 0: all ranks");
}

}  // namespace
}  // namespace zerolab
