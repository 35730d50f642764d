#include <fmt/format.h>

#include "zerolab/report/machine.hpp"

namespace zerolab {

std::vector<std::string> hints(const Machine& m) {
  std::vector<std::string> lines;
  const auto hint = [&](bool applies, std::string text) {
    if (applies) lines.push_back(std::move(text));
  };
  hint(m.root && m.open_mpi,
       "root: mpirun wants --allow-run-as-root; a user of your own is the better choice");
  hint(m.ranks > m.cores,
       fmt::format("slots: {} ranks on {} cores take turns: right results, but times that say "
                   "little",
                   m.ranks, m.cores));
  hint(m.attach == false && m.open_mpi && !m.attach_switched_off,
       "memory attach blocked: --mca btl_vader_single_copy_mechanism none (Open MPI 5: smsc ^cma)");
  const std::uint64_t wanted = shared_memory_per_rank * m.ranks;
  hint(m.ranks > 1 && m.shared_memory_free && *m.shared_memory_free < wanted,
       fmt::format("small shared memory: {} MB free in {}, {} ranks may need {} MB (docker: "
                   "--shm-size)",
                   m.shared_memory_free.value_or(0) >> 20U, m.shared_memory_folder, m.ranks,
                   wanted >> 20U));
  hint(
      !m.host_resolves,
      fmt::format("host name {} has no address: a line \"127.0.0.1 {}\" in /etc/hosts gives it one",
                  m.host, m.host));
  hint(!m.faster_kernel.empty(),
       fmt::format("slow BLAS kernel {} on a newer CPU: OPENBLAS_CORETYPE={} chooses a faster one",
                   m.kernel, m.faster_kernel));
  hint(m.blas_threads > 1 && static_cast<std::size_t>(m.blas_threads) * m.ranks > m.cores,
       fmt::format("{} BLAS threads × {} ranks on {} cores: OPENBLAS_NUM_THREADS=1 is faster",
                   m.blas_threads, m.ranks, m.cores));
  return lines;
}

}  // namespace zerolab
