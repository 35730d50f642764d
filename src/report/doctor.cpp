// doctor: what this machine's MPI and BLAS do; self-tests; hints.
#include "doctor.hpp"

#include <algorithm>
#include <chrono>

#include "zerolab/nn/blas.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

std::string transport(const Machine& m) {
  if (m.transport.empty()) return "not available";
  return m.open_mpi ? m.transport + " (the components that are loaded)" : m.transport;
}

/// The smallest step that a clock is seen to make, in ns; `now` gives seconds.
template <class Now>
std::string resolution(Now now) {
  double smallest = 1;
  for (int changes = 0; changes < 1000; ++changes) {
    const double before = now();
    double after = now();
    for (int calls = 0; after == before; ++calls, after = now()) {
      if (calls > 100'000) return "stands still";  // simulated time
    }
    smallest = std::min(smallest, after - before);
  }
  return fmt::format("{:.0f} ns", smallest * 1e9);
}

std::string timers() {
  const std::string mpi = resolution([] { return MPI_Wtime(); });
  const std::string steady = resolution([] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  });
  return fmt::format("MPI_Wtime {} (it claims {:.0f}), steady_clock {}: smallest steps seen", mpi,
                     MPI_Wtick() * 1e9, steady);
}

std::string shared_memory(const Machine& m) {
  if (!m.shared_memory_free) return "not available";
  return fmt::format("{} MB free in {}", grouped(*m.shared_memory_free >> 20U),
                     m.shared_memory_folder);
}

std::string attach(const Machine& m) {
  if (!m.attach) return "not tried";
  return *m.attach ? "works" : m.attach_switched_off ? "blocked, and switched off" : "blocked";
}

void print_machine(const Machine& m, std::size_t ranks) {
  const auto line = [](const char* what, const std::string& value) {
    fmt::print("  {:<16}{}\n", what, value);
  };
  fmt::print("{}\n", m.blas);
  line("MPI", mpi_library());
  line("launcher", m.launcher);
  line("ranks", fmt::format("{}, {} of them on this host, which has {} cores ({} for this rank)",
                            ranks, m.ranks, m.cores, m.usable_cores));
  line("transport", transport(m));
  line("memory attach", attach(m));
  line("shared memory", shared_memory(m));
  line("BLAS threads", fmt::format("{} per rank", m.blas_threads));
  line("fp16 conversion", has_hardware_half() ? "by the CPU" : "in integer arithmetic");
  line("timers", timers());
}

/// Ranks on the host of this one.
std::size_t ranks_here(Communicator& comm) {
  const auto hosts = comm.gather(host_name());
  return static_cast<std::size_t>(std::count(hosts.begin(), hosts.end(), host_name()));
}

/// Rows of a table, and whether all is right on every rank. All ranks together.
bool judge(const std::vector<SelfTest>& tests, Communicator& comm,
           std::vector<std::vector<std::string>>& rows) {
  bool good = true;
  for (const SelfTest& test : tests) {
    std::uint64_t right = test.right ? 1 : 0;
    comm.sum(std::span(&right, 1));
    good &= right == comm.size();
    rows.push_back({test.what, fmt::format("{} of {}", right, comm.size())});
  }
  return good;
}

}  // namespace

int doctor_command(const Options& options, Communicator& comm, Machine machine) {
  const auto outside = comm.outside_training();
  const bool speaks = comm.rank() == 0;
  machine.attach = can_attach(comm);
  machine.ranks = ranks_here(comm);
  if (speaks) print_machine(machine, comm.size());

  const std::string fault = gemm_fault();
  auto tests = collective_self_tests(comm);
  const auto more = zero_count_self_tests(comm);
  tests.insert(tests.end(), more.begin(), more.end());
  tests.push_back({"sgemm", fault.empty()});
  std::vector<std::vector<std::string>> rows{{"self-test", "right on ranks"}};
  const bool good = judge(tests, comm, rows);
  const std::string sent = options.collectives ? collective_bytes(comm) : "";
  if (speaks) {
    fmt::print("{}", table(rows));
    if (!fault.empty()) fmt::print("sgemm: {}\n", fault);
    for (const std::string& hint : hints(machine)) fmt::print("hint: {}\n", hint);
    fmt::print("{}{}\n", sent, good ? "all right" : "WRONG: training would be wrong here");
  }
  return good ? 0 : 1;
}

}  // namespace zerolab
