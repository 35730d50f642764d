// Prints the digests of all key jobs on the ranks it is started on, made by the stage that the
// first argument names (0): lines of keys.inc. labs/grading/make_keys.sh writes the whole file.
#include <cstdlib>

#include "stage_lab.hpp"

int main(int argc, char** argv) {
  using namespace zerolab;
  MPI_Init(&argc, &argv);
  {
    Communicator comm(MPI_COMM_WORLD);
    const int number = argc > 1 ? std::atoi(argv[1]) : 0;
    for (const lab::KeyJob& key : lab::key_jobs()) {
      const auto data = lab::key_data(key, comm.size());
      MemoryLedger memory;
      Trace trace;
      const auto stage = make_stage(number, {key.job, *data, comm, memory, trace});
      std::vector<std::string> digests(key.job.shape.units());
      for (std::size_t s = 0; s <= key.steps; ++s) {
        if (s > 0) stage->step(s - 1);
        for (std::size_t l = 0; l < digests.size(); ++l)
          digests[l] += fmt::format("{}0x{:016x}", s == 0 ? "" : ", ",
                                    lab::unit_digest(*stage, key.job, comm, l));
      }
      for (std::size_t l = 0; l < digests.size() && comm.rank() == 0; ++l)
        fmt::print("{{\"{}\", {}, {}, {{{}}}}},\n", key.name, comm.size(), l, digests[l]);
    }
  }
  MPI_Finalize();
}
