// Tests that misbehave on purpose; tests/harness_test.sh looks at what the harness makes of them.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <gtest/gtest.h>
#include <mpi.h>

#include <exception>
#include <stdexcept>

namespace {

int rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}

TEST(Probe, Passes) {
  EXPECT_GE(rank(), 0);
}

TEST(Probe, Skips) {
  GTEST_SKIP() << "skipped on purpose";
}

TEST(Probe, FailsOnRank1) {
  EXPECT_NE(rank(), 1) << "first line <&>\nsecond line";
}

TEST(Probe, FailsOnAllRanks) {
  EXPECT_EQ(rank(), -1);
}

TEST(Probe, ThrowsOnRank1) {
  if (rank() == 1) throw std::runtime_error("thrown on purpose");
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Probe, TerminatesOnRank1) {
  if (rank() == 1) std::terminate();
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Probe, Blocks) {
  if (rank() != 0) MPI_Barrier(MPI_COMM_WORLD);
  int never = 0;
  if (rank() == 0) MPI_Recv(&never, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

TEST(Probe, LeavesTheOthersBehind) {
  ASSERT_NE(rank(), 1) << "left early";
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
