// doctor: what this machine's MPI and BLAS do; self-tests; hints.
#include "doctor.hpp"

#include <algorithm>
#include <chrono>

#include "zerolab/nn/blas.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/summary.hpp"

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

/// Facts with their names, in the order in which they are shown.
using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts(const Machine& m, std::size_t ranks) {
  return {{"BLAS", m.blas},
          {"MPI", mpi_library()},
          {"launcher", m.launcher},
          {"ranks", fmt::format("{}, {} of them on this host, which has {} cores ({} for this "
                                "rank)",
                                ranks, m.ranks, m.cores, m.usable_cores)},
          {"transport", transport(m)},
          {"memory attach", attach(m)},
          {"shared memory", shared_memory(m)},
          {"BLAS threads", fmt::format("{} per rank", m.blas_threads)},
          {"fp16 conversion", has_hardware_half() ? "by the CPU" : "in integer arithmetic"},
          {"timers", timers()}};
}

void print(const Facts& facts) {
  for (const auto& [what, value] : facts) {
    fmt::print("{}\n", what == "BLAS" ? value : fmt::format("  {:<16}{}", what, value));
  }
}

/// Ranks on the host of this one.
std::size_t ranks_here(Communicator& comm) {
  const auto hosts = comm.gather(host_name());
  return static_cast<std::size_t>(std::count(hosts.begin(), hosts.end(), host_name()));
}

/// Self-tests, each with the number of ranks on which it came out right.
struct Tested {
  std::vector<std::pair<std::string, std::uint64_t>> right;
  std::string gemm_fault;
  bool good = true;
};

Tested self_test(Communicator& comm) {
  Tested tested{{}, gemm_fault(), true};
  auto tests = collective_self_tests(comm);
  const auto more = zero_count_self_tests(comm);
  tests.insert(tests.end(), more.begin(), more.end());
  tests.push_back({"sgemm", tested.gemm_fault.empty()});
  for (const SelfTest& test : tests) {
    std::uint64_t right = test.right ? 1 : 0;
    comm.sum(std::span(&right, 1));
    tested.right.emplace_back(test.what, right);
    tested.good &= right == comm.size();
  }
  return tested;
}

/// Adds to a machine what only its ranks together know.
Machine known_to_all(Machine machine, Communicator& comm) {
  machine.attach = can_attach(comm);
  machine.ranks = ranks_here(comm);
  return machine;
}

std::string table_of(const Tested& tested, std::size_t ranks) {
  std::vector<std::vector<std::string>> rows{{"self-test", "right on ranks"}};
  for (const auto& [what, right] : tested.right) {
    rows.push_back({what, fmt::format("{} of {}", right, ranks)});
  }
  return table(rows);
}

nlohmann::json json_of(const Machine& machine, const Facts& facts, const Tested& tested,
                       std::size_t ranks) {
  nlohmann::json summary{{"machine", nlohmann::json::object()},
                         {"self_tests", nlohmann::json::array()},
                         {"hints", hints(machine)},
                         {"all_right", tested.good}};
  for (const auto& [what, value] : facts) summary["machine"][what] = value;
  for (const auto& [what, right] : tested.right) {
    summary["self_tests"].push_back({{"what", what}, {"right", right}, {"ranks", ranks}});
  }
  return summary;
}

}  // namespace

nlohmann::json measured_machine(Communicator& comm, const Machine& machine) {
  const auto outside = comm.outside_training();
  const Machine known = known_to_all(machine, comm);
  return json_of(known, facts(known, comm.size()), self_test(comm), comm.size());
}

int doctor_command(const Options& options, Communicator& comm, Machine machine) {
  const auto outside = comm.outside_training();
  const bool speaks = comm.rank() == 0 && !options.json_only();
  together(comm, [&] {
    if (comm.rank() == 0 && !options.json.empty() && !options.json_only())
      check_writable(options.json);
  });
  machine = known_to_all(std::move(machine), comm);
  const Facts known = facts(machine, comm.size());
  if (speaks) print(known);
  const Tested tested = self_test(comm);
  const std::string sent =
      options.collectives ? collective_results(comm) + collective_bytes(comm) : "";
  if (speaks) {
    fmt::print("{}", table_of(tested, comm.size()));
    if (!tested.gemm_fault.empty()) fmt::print("sgemm: {}\n", tested.gemm_fault);
    for (const std::string& hint : hints(machine)) fmt::print("hint: {}\n", hint);
    fmt::print("{}{}\n", sent, tested.good ? "all right" : "WRONG: training would be wrong here");
  }
  together(comm, [&] {
    if (comm.rank() != 0 || options.json.empty()) return;
    write_file(options.json, json_of(machine, known, tested, comm.size()).dump(2) + "\n");
  });
  return tested.good ? 0 : 1;
}

}  // namespace zerolab
