// SE6, EC1: what the MPI really sends for an all-reduce, for its two halves, and on one rank alone.
#include "doctor.hpp"
#include "experiment.hpp"

namespace zerolab::experiment {

nlohmann::json wire(Communicator& comm) {
  constexpr std::size_t large = 1U << 18U;  // elements: libraries send little vectors in other ways
  const std::size_t elements = large / comm.size() * comm.size();
  const WireCounter counter(comm);
  nlohmann::json file{{"ranks", comm.size()},
                      {"payload_bytes", elements * sizeof(float)},
                      {"not_available", nullptr}};
  if (!counter.fault().empty()) {
    file["not_available"] = counter.fault();
    return file;
  }
  MemoryLedger memory;
  Buffer full(memory, Category::buffers, NumberType::fp32, elements);
  full.fill_zero();
  const auto enter = [&](const char* name, const std::function<void()>& call) {
    const SentBytes sent = sent_bytes(comm, counter, call);
    file[name] = {{"sent", sent.counted}, {"ring", sent.ring}};
  };
  enter("allreduce", [&] { comm.all_reduce(full); });
  enter("reduce_scatter", [&] { comm.reduce_scatter(full); });
  enter("allgather", [&] { comm.all_gather(full); });
  // What a rank sends that trains alone.
  const Digits digits;
  Job job = job_on(*digits.all, {32});
  job.reduce = ReduceMode::mpi;
  const Picked data = digits.first(job.batch);
  Communicator alone(MPI_COMM_SELF);
  for (int stage = 0; stage < 4; ++stage) {
    file["alone"].push_back(
        sent_bytes(comm, counter, [&] { trained(job, stage, 1, data, alone); }).counted);
  }
  return file;
}

}  // namespace zerolab::experiment
