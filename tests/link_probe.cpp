// Rank 0 sends BYTES to rank 1, once: link_probe BYTES. Rank 1 prints the seconds it took, by MPI's
// clock. Under SMPI only: its shared memory makes a gigabyte cost nothing here.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = std::atoi(argv[1]);
  void* buffer = SMPI_SHARED_MALLOC(static_cast<std::size_t>(bytes));
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (rank == 0) MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::printf("%.9f\n", MPI_Wtime() - begin);
  }
  SMPI_SHARED_FREE(buffer);
  MPI_Finalize();
}
