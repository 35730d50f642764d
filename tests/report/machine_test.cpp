// What doctor concludes from what it finds: pure functions, with pretended machines.
#include "zerolab/report/machine.hpp"

#include <gtest/gtest.h>

#include <map>

namespace zerolab {
namespace {

using Variables = std::map<std::string, std::string>;

std::string launcher(const Variables& set) {
  return launcher_of([&](const char* variable) {
    const auto found = set.find(variable);
    return found == set.end() ? std::string() : found->second;
  });
}

TEST(Machine, KnowsItsLauncher) {
  EXPECT_EQ(launcher({}), "none: started alone");
  EXPECT_EQ(launcher({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "0"}}), "Open MPI's mpirun");
  EXPECT_EQ(launcher({{"PMIX_RANK", "0"}}), "a launcher that speaks PMIx");
  EXPECT_EQ(launcher({{"PMI_RANK", "0"}, {"HYDI_CONTROL_FD", "7"}}), "Hydra (MPICH's mpiexec)");
  EXPECT_EQ(launcher({{"PMI_RANK", "0"}, {"SLURM_PROCID", "0"}}), "Slurm's srun");
  EXPECT_EQ(launcher({{"SLURM_PROCID", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), "Open MPI's mpirun")
      << "mpirun within a Slurm allocation";
  EXPECT_EQ(launcher({{"SMPI_GLOBAL_SIZE", "4"}}), "smpirun, on a simulated platform");
}

const std::string maps =
    "7f10-7f20 r--p 00000000 08:01 11 /usr/lib/openmpi3/mca_btl_self.so\n"
    "7f20-7f30 r-xp 00000000 08:01 12 /usr/lib/openmpi3/mca_btl_vader.so\n"
    "7f30-7f40 r--p 00000000 08:01 12 /usr/lib/openmpi3/mca_btl_vader.so\n"
    "7f40-7f50 r--p 00000000 08:01 13 /usr/lib/openmpi3/mca_pml_ob1.so\n"
    "7f50-7f60 r--p 00000000 08:01 14 /usr/lib/openmpi3/mca_pml_monitoring.so\n"
    "7f60-7f70 r--p 00000000 08:01 15 /usr/lib/openmpi3/mca_coll_tuned.so\n"
    "7f70-7f80 rw-s 00000000 00:18 16 /a folder/vader_segment.host.0.1\n"
    "7f80-7f90 rw-p 00000000 00:00 0 [heap]\n";

TEST(Machine, ReadsTransportFromMappedFiles) {
  EXPECT_EQ(transport_in(maps), "pml ob1, btl self vader");
  EXPECT_EQ(segment_folder_in(maps), "/a folder");
  EXPECT_EQ(transport_in("7f10-7f20 r--p 00000000 08:01 11 /usr/lib/libmpi.so.40\n"), "");
  EXPECT_EQ(segment_folder_in(""), "");
}

/// A machine that needs no hint.
Machine good() {
  Machine m;
  m.open_mpi = true;
  m.cores = 4;
  m.ranks = 4;
  m.host = "host";
  m.shared_memory_folder = "/dev/shm";
  m.shared_memory_free = 4 * shared_memory_per_rank;
  m.attach = true;
  m.kernel = "Haswell";
  return m;
}

/// The one hint that a change of the good machine brings; empty when there is none.
std::string hint(void (*change)(Machine&)) {
  Machine m = good();
  change(m);
  const auto lines = hints(m);
  EXPECT_LE(lines.size(), 1U);
  return lines.empty() ? "" : lines[0];
}

bool begins(const std::string& text, const std::string& start) {
  return text.starts_with(start);
}

TEST(Hints, AGoodMachineNeedsNone) {
  EXPECT_EQ(hint([](Machine&) {}), "");
  EXPECT_EQ(hint([](Machine& m) { m.attach = std::nullopt; }), "");
  EXPECT_EQ(hint([](Machine& m) { m.shared_memory_free = std::nullopt; }), "");
}

TEST(Hints, TellWhatToDo) {
  EXPECT_TRUE(begins(hint([](Machine& m) { m.root = true; }), "root: "));
  EXPECT_TRUE(begins(hint([](Machine& m) { m.cores = 3; }), "slots: 4 ranks on 3 cores"));
  const auto attach = hint([](Machine& m) { m.attach = false; });
  EXPECT_TRUE(begins(attach, "memory attach blocked")) << attach;
  EXPECT_NE(attach.find("btl_vader_single_copy_mechanism none"), std::string::npos);
  EXPECT_TRUE(begins(hint([](Machine& m) { --*m.shared_memory_free; }),
                     "small shared memory: 31 MB free in /dev/shm, 4 ranks may need 32 MB"));
  EXPECT_TRUE(begins(hint([](Machine& m) { m.host_resolves = false; }), "host name host has no"));
  const auto kernel = hint([](Machine& m) {
    m.kernel = "Prescott";
    m.faster_kernel = "Haswell";
  });
  EXPECT_TRUE(begins(kernel, "slow BLAS kernel Prescott")) << kernel;
  EXPECT_NE(kernel.find("OPENBLAS_CORETYPE=Haswell"), std::string::npos);
  EXPECT_TRUE(begins(hint([](Machine& m) { m.blas_threads = 2; }), "2 BLAS threads × 4 ranks"));
}

TEST(Hints, AreNotGivenWhereTheyDoNotApply) {
  EXPECT_EQ(hint([](Machine& m) {
              m.attach = false;
              m.attach_switched_off = true;
            }),
            "");
  EXPECT_EQ(hint([](Machine& m) {
              m.root = true;
              m.open_mpi = false;
            }),
            "");
  EXPECT_EQ(hint([](Machine& m) {
              m.ranks = 2;
              m.blas_threads = 2;
            }),
            "");
  EXPECT_EQ(hint([](Machine& m) {
              m.ranks = 1;
              m.shared_memory_free = 0;
            }),
            "");
}

}  // namespace
}  // namespace zerolab
