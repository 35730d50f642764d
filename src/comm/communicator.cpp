#include "zerolab/comm/communicator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstring>
#include <thread>
#include <utility>

namespace zerolab {

namespace {

#ifdef ZEROLAB_SMPI
constexpr bool simulated = true;
#else
constexpr bool simulated = false;
void smpi_execute_flops(double) {}
#endif

int count(std::size_t elements) {
  require(elements <= INT_MAX, "{} elements in one MPI call; MPI counts end at {}", elements,
          INT_MAX);
  return static_cast<int>(elements);
}

MPI_Datatype datatype(NumberType type) {
  switch (type) {
    case NumberType::fp16:
    case NumberType::bf16:
      return MPI_UINT16_T;  // carried as bits; summed only by the operations below
    case NumberType::fp32:
      return MPI_FLOAT;
    case NumberType::fp64:
      return MPI_DOUBLE;
    case NumberType::uint8:
      return MPI_UINT8_T;
    case NumberType::int32:
      return MPI_INT32_T;
  }
  return MPI_DATATYPE_NULL;
}

/// The body of an MPI_Op on 16-bit numbers: sum = round(mine + sum), element by element. fp32 has
/// more than twice their precision plus two bits, so rounding the fp32 sum again is the correctly
/// rounded sum.
template <NumberType type>
void add_16_bit(void* mine, void* sum, int* length, MPI_Datatype*) {
  constexpr std::size_t block = 1024;
  std::array<float, block> a, b;
  const auto n = static_cast<std::size_t>(*length);
  const ConstNumbers in(type, static_cast<const std::byte*>(mine), n);
  const Numbers out{type, static_cast<std::byte*>(sum), n};
  for (std::size_t i = 0; i < n; i += block) {
    const std::size_t m = std::min(block, n - i);
    widen(in.part(i, m), std::span(a).first(m));
    widen(out.part(i, m), std::span(b).first(m));
    for (std::size_t j = 0; j < m; ++j) b[j] += a[j];
    narrow(std::span<const float>(b).first(m), out.part(i, m));
  }
}

Layout layout_of(const Shards& shards) {
  Layout layout;
  for (std::size_t r = 0; r < shards.ranks; ++r) layout.append(shards.size(r), shards.first(r));
  return layout;
}

std::string whole_library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return text.data();
}

}  // namespace

void Layout::append(std::size_t elements, std::size_t first) {
  counts.push_back(count(elements));
  displacements.push_back(count(first));
}

Request::Request(Request&& other) noexcept
    : request_(std::exchange(other.request_, MPI_REQUEST_NULL)),
      layouts_(std::move(other.layouts_)),
      running_(std::move(other.running_)),
      watchdog_(other.watchdog_),
      elements_(other.elements_) {}

Request& Request::operator=(Request&& other) noexcept {
  if (this != &other) {
    wait();
    request_ = std::exchange(other.request_, MPI_REQUEST_NULL);
    layouts_ = std::move(other.layouts_);
    running_ = std::move(other.running_);
    watchdog_ = other.watchdog_;
    elements_ = other.elements_;
  }
  return *this;
}

void Request::wait() {
  if (request_ != MPI_REQUEST_NULL) {
    const Watchdog::Inside inside(watchdog_, "MPI_Wait", elements_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
  layouts_.reset();
  running_.end();
}

std::string mpi_library() {
  std::string line = whole_library_version();
  line.resize(std::min({line.find_first_of(",\n"), line.find(". Copyright"), line.size()}));
  for (const char* word : {"Version:\t", "Version "}) {  // MPICH's, SMPI's
    if (const auto at = line.find(word); at != std::string::npos) line.erase(at, std::strlen(word));
  }
  return line;
}

std::string mpi_device() {
  constexpr std::string_view start = "Device:";
  const std::string whole = whole_library_version();
  const std::size_t found = whole.find(start);
  if (found == std::string::npos) return {};
  const std::size_t first = whole.find_first_not_of(" \t", found + start.size());
  return whole.substr(first, whole.find('\n', first) - first);
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return name.data();
}

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  rank_ = static_cast<std::size_t>(rank);
  size_ = static_cast<std::size_t>(size);
  constexpr int commutative = 1;
  MPI_Op_create(add_16_bit<NumberType::fp16>, commutative, &half_sum_);
  MPI_Op_create(add_16_bit<NumberType::bf16>, commutative, &bfloat16_sum_);
}

Communicator::~Communicator() {
  MPI_Op_free(&half_sum_);
  MPI_Op_free(&bfloat16_sum_);
  const auto inside_now = inside("MPI_Comm_free");
  if (owned_) MPI_Comm_free(&comm_);
}

std::unique_ptr<Communicator> Communicator::first(std::size_t ranks) {
  MPI_Comm part = MPI_COMM_NULL;
  const auto inside_now = inside("MPI_Comm_split");
  MPI_Comm_split(comm_, rank_ < ranks ? 0 : MPI_UNDEFINED, 0, &part);
  if (part == MPI_COMM_NULL) return nullptr;
  auto communicator = std::make_unique<Communicator>(part);
  communicator->owned_ = true;
  communicator->guard(watchdog_);
  return communicator;
}

MPI_Op Communicator::sum_of(NumberType type) const {
  if (type == NumberType::fp16) return half_sum_;
  if (type == NumberType::bf16) return bfloat16_sum_;
  return MPI_SUM;
}

void Communicator::record(Collective collective, std::size_t elements, std::size_t width,
                          std::size_t ring_elements) {
  ledger_.record(outside_ ? Collective::other : collective,
                 {1, elements, elements * width, ring_elements * width});
}

Timeline::Running Communicator::running(Collective collective, bool blocking) const {
  if (timeline_ == nullptr || outside_) return {};
  return timeline_->run(name(collective), std::nullopt, blocking);
}

void Communicator::all_reduce(Numbers full) {
  const auto running_now = running(Collective::all_reduce);
  const Shards cut{full.size, size_};
  const auto inside_now = inside("MPI_Allreduce", full.size);
  MPI_Allreduce(MPI_IN_PLACE, full.data, count(full.size), datatype(full.type), sum_of(full.type),
                comm_);
  record(Collective::all_reduce, full.size, width(full.type),
         2 * full.size - cut.size(rank_) - cut.size(next()));
}

void Communicator::reduce_scatter(Numbers full) {
  const auto running_now = running(Collective::reduce_scatter);
  const Shards cut{full.size, size_};
  const auto inside_now = inside("MPI_Reduce_scatter", full.size);
  MPI_Reduce_scatter(MPI_IN_PLACE, full.data, layout_of(cut).counts.data(), datatype(full.type),
                     sum_of(full.type), comm_);
  record(Collective::reduce_scatter, full.size, width(full.type), full.size - cut.size(rank_));
}

void Communicator::all_gather(Numbers full) {
  const auto running_now = running(Collective::all_gather);
  const Shards cut{full.size, size_};
  MPI_Datatype type = datatype(full.type);
  if (cut.even()) {
    const auto inside_now = inside("MPI_Allgather", full.size);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, full.data, count(cut.size(0)), type, comm_);
  } else {
    const Layout layout = layout_of(cut);
    const auto inside_now = inside("MPI_Allgatherv", full.size);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, full.data, layout.counts.data(),
                   layout.displacements.data(), type, comm_);
  }
  record(Collective::all_gather, full.size, width(full.type), full.size - cut.size(next()));
}

void Communicator::all_to_all(ConstNumbers full, std::size_t begin, std::size_t count_each,
                              Numbers received) {
  const auto running_now = running(Collective::all_to_all);
  const Shards cut{full.size, size_};
  const auto clipped = [&](std::size_t r) {
    return std::min(count_each, cut.size(r) - std::min(begin, cut.size(r)));
  };
  Layout send, receive;
  std::size_t total = 0;
  for (std::size_t r = 0; r < size_; ++r) {
    send.append(clipped(r), cut.first(r) + std::min(begin, cut.size(r)));
    receive.append(clipped(rank_), r * clipped(rank_));
    total += clipped(r);
  }
  const auto inside_now = inside("MPI_Alltoallv", total);
  MPI_Alltoallv(full.data, send.counts.data(), send.displacements.data(), datatype(full.type),
                received.data, receive.counts.data(), receive.displacements.data(),
                datatype(full.type), comm_);
  record(Collective::all_to_all, total, width(full.type), total - clipped(rank_));
}

Request Communicator::start_reduce_scatter(ConstNumbers full, Numbers shard) {
  const Shards cut{full.size, size_};
  require(shard.size == cut.size(rank_), "a shard of {} elements for the sum of {}", shard.size,
          cut.size(rank_));
  Request request;
  request.watchdog_ = watchdog_;
  request.elements_ = full.size;
  request.running_ = running(Collective::reduce_scatter, false);
  request.layouts_ =
      std::make_unique<const std::array<Layout, 2>>(std::array{layout_of(cut), Layout()});
  // SimGrid refuses a null pointer also where nothing is to arrive.
  void* const place = shard.size > 0 ? static_cast<void*>(shard.data) : &comm_;
  const auto inside_now = inside("MPI_Ireduce_scatter", full.size);
  MPI_Ireduce_scatter(full.data, place, (*request.layouts_)[0].counts.data(), datatype(full.type),
                      sum_of(full.type), comm_, &request.request_);
  record(Collective::reduce_scatter, full.size, width(full.type), full.size - cut.size(rank_));
  return request;
}

Request Communicator::start_all_gather(Numbers full) {
  const Shards cut{full.size, size_};
  MPI_Datatype type = datatype(full.type);
  Request request;
  request.watchdog_ = watchdog_;
  request.elements_ = full.size;
  request.running_ = running(Collective::all_gather, false);
  if (cut.even()) {
    const auto inside_now = inside("MPI_Iallgather", full.size);
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, full.data, count(cut.size(0)), type, comm_,
                   &request.request_);
  } else {
    request.layouts_ =
        std::make_unique<const std::array<Layout, 2>>(std::array{layout_of(cut), Layout()});
    const Layout& layout = (*request.layouts_)[0];
    const auto inside_now = inside("MPI_Iallgatherv", full.size);
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, full.data, layout.counts.data(),
                    layout.displacements.data(), type, comm_, &request.request_);
  }
  record(Collective::all_gather, full.size, width(full.type), full.size - cut.size(next()));
  return request;
}

Request Communicator::start_all_to_all(ConstNumbers full, Numbers received) {
  const Shards cut{full.size, size_};
  const std::size_t mine = cut.size(rank_);
  Layout receive;
  for (std::size_t r = 0; r < size_; ++r) receive.append(mine, r * mine);
  Request request;
  request.watchdog_ = watchdog_;
  request.elements_ = full.size;
  request.running_ = running(Collective::all_to_all, false);
  request.layouts_ =
      std::make_unique<const std::array<Layout, 2>>(std::array{layout_of(cut), receive});
  const auto& [from, to] = *request.layouts_;
  const auto inside_now = inside("MPI_Ialltoallv", full.size);
  MPI_Ialltoallv(full.data, from.counts.data(), from.displacements.data(), datatype(full.type),
                 received.data, to.counts.data(), to.displacements.data(), datatype(full.type),
                 comm_, &request.request_);
  record(Collective::all_to_all, full.size, width(full.type), full.size - mine);
  return request;
}

void Communicator::sum(std::span<std::uint64_t> words) {
  const auto running_now = running(Collective::scalars);
  const auto inside_now = inside("MPI_Allreduce", words.size());
  MPI_Allreduce(MPI_IN_PLACE, words.data(), count(words.size()), MPI_UINT64_T, MPI_SUM, comm_);
  const Shards cut{words.size(), size_};
  record(Collective::scalars, words.size(), sizeof(std::uint64_t),
         2 * words.size() - cut.size(rank_) - cut.size(next()));
}

std::uint64_t Communicator::maximum(std::uint64_t word) {
  // As signed numbers, the first bit turned over: MPICH 4.0.2 compares unsigned ones as signed.
  constexpr std::uint64_t first_bit = std::uint64_t{1} << 63;
  word ^= first_bit;
  const auto inside_now = inside("MPI_Allreduce", 1);
  MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_INT64_T, MPI_MAX, comm_);
  word ^= first_bit;
  const Shards cut{1, size_};
  record(Collective::scalars, 1, sizeof word, 2 - cut.size(rank_) - cut.size(next()));
  return word;
}

void Communicator::exclusive_or(std::span<std::uint32_t> words) {
  const auto inside_now = inside("MPI_Allreduce", words.size());
  MPI_Allreduce(MPI_IN_PLACE, words.data(), count(words.size()), MPI_UINT32_T, MPI_BXOR, comm_);
  ledger_.record(Collective::other, {1, words.size(), words.size_bytes(), 0});
}

std::vector<std::string> Communicator::gather(const std::string& text) {
  std::vector<int> counts(size_);
  const int mine = count(text.size());
  {
    const auto inside_now = inside("MPI_Gather", 1);
    MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm_);
  }
  Layout layout;
  std::size_t total = 0;
  for (const int n : counts) {
    layout.append(static_cast<std::size_t>(n), total);
    total += static_cast<std::size_t>(n);
  }
  std::string all(rank_ == 0 ? total : 0, '\0');
  const auto inside_now = inside("MPI_Gatherv", text.size());
  MPI_Gatherv(text.data(), mine, MPI_CHAR, all.data(), layout.counts.data(),
              layout.displacements.data(), MPI_CHAR, 0, comm_);
  ledger_.record(Collective::other, {2, text.size() + 1, text.size() + sizeof mine, 0});
  std::vector<std::string> texts;
  for (std::size_t r = 0; rank_ == 0 && r < size_; ++r) {
    texts.push_back(all.substr(static_cast<std::size_t>(layout.displacements[r]),
                               static_cast<std::size_t>(layout.counts[r])));
  }
  return texts;
}

std::string Communicator::broadcast(std::string text, std::size_t root) {
  std::uint64_t size = text.size();
  {
    const auto inside_now = inside("MPI_Bcast", 1);
    MPI_Bcast(&size, 1, MPI_UINT64_T, static_cast<int>(root), comm_);
  }
  text.resize(size);
  const auto inside_now = inside("MPI_Bcast", size);
  MPI_Bcast(text.data(), count(size), MPI_CHAR, static_cast<int>(root), comm_);
  ledger_.record(Collective::other, {2, size + 1, size + sizeof size, 0});
  return text;
}

void Communicator::pass_on(std::span<const char> to_next, std::span<char> from_previous) {
  constexpr int tag = 1;
  const auto inside_now = inside("MPI_Sendrecv", to_next.size());
  MPI_Sendrecv(to_next.data(), count(to_next.size()), MPI_CHAR, static_cast<int>(next()), tag,
               from_previous.data(), count(from_previous.size()), MPI_CHAR,
               static_cast<int>((rank_ + size_ - 1) % size_), tag, comm_, MPI_STATUS_IGNORE);
  ledger_.record(Collective::other, {1, to_next.size(), to_next.size(), 0});
}

void Communicator::barrier() {
  const auto inside_now = inside("MPI_Barrier");
  MPI_Barrier(comm_);
}

void Communicator::patient_barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto inside_now = inside("MPI_Ibarrier");
  MPI_Ibarrier(comm_, &request);
  for (int all_here = 0; all_here == 0;) {
    MPI_Test(&request, &all_here, MPI_STATUS_IGNORE);
    if (all_here == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

double Communicator::now() const {
  return MPI_Wtime();
}

void Communicator::compute(double flops) {
  if (!simulated) return;
  const double begin = now();
  smpi_execute_flops(flops);
  compute_seconds_ += now() - begin;
}

std::optional<double> Communicator::compute_seconds() const {
  return simulated ? std::optional(compute_seconds_) : std::nullopt;
}

}  // namespace zerolab
