#pragma once

#include <optional>
#include <string>
#include <vector>

#include <functional>
#include <nlohmann/json.hpp>

#include "zerolab/comm/communicator.hpp"
#include "zerolab/comm/wire_counter.hpp"
#include "zerolab/report/machine.hpp"

namespace zerolab {

// The parts of doctor. All ranks together.

/// doctor.json: what is known of the machine, and its self-tests.
nlohmann::json measured_machine(Communicator& comm, const Machine& machine);

struct SelfTest {
  std::string what;
  bool right;  ///< on this rank
};

/// Every collective that training uses, against plain loops, with guard elements behind each
/// vector; then the same calls with counts of 0 at the first, a middle and the last rank.
std::vector<SelfTest> collective_self_tests(Communicator& comm);
std::vector<SelfTest> zero_count_self_tests(const Communicator& comm);

/// Whether ranks of one host may read each other's memory; none where there is no pair to try.
std::optional<bool> can_attach(Communicator& comm);

/// What each rank holds after an all-reduce, a reduce-scatter and an all-gather of known numbers.
/// On rank 0, elsewhere empty.
std::string collective_results(Communicator& comm);

/// Bytes that ranks send in a call, by rank on all of them: counted by the MPI, and in a ring.
struct SentBytes {
  std::vector<std::uint64_t> counted, ring;
};
SentBytes sent_bytes(Communicator& comm, const WireCounter& counter,
                     const std::function<void()>& call);

/// What each collective sends, from 8 B to 16 MB, as multiples of its payload. On rank 0, elsewhere
/// empty.
std::string collective_bytes(Communicator& comm);

}  // namespace zerolab
