// doctor's self-tests: every collective that training uses, against a plain loop.
#include "doctor.hpp"
#include "zerolab/core/buffer.hpp"

namespace zerolab {

namespace {

constexpr std::size_t guards = 8;
constexpr double guard = -12345;

/// Small whole numbers, so that sums are exact in every type and order.
double contribution(std::size_t rank, std::size_t i) {
  return static_cast<double>((rank + 1) * (i % 7 + 1) % 16);
}

double expected_sum(std::size_t ranks, std::size_t i) {
  double sum = 0;
  for (std::size_t r = 0; r < ranks; ++r) sum += contribution(r, i);
  return sum;
}

void put(Numbers numbers, std::size_t i, double value) {
  narrow(std::span<const double>(&value, 1), numbers.part(i, 1));
}

double get(ConstNumbers numbers, std::size_t i) {
  double value = 0;
  widen(numbers.part(i, 1), std::span<double>(&value, 1));
  return value;
}

/// A vector of this rank's contributions with guard elements behind it.
class Guarded {
 public:
  Guarded(NumberType type, std::size_t size, std::size_t rank)
      : size_(size), buffer_(ledger_, Category::buffers, type, size + guards) {
    for (std::size_t i = 0; i < size; ++i) put(buffer_, i, contribution(rank, i));
    for (std::size_t i = size; i < size + guards; ++i) put(buffer_, i, type_guard());
  }
  Numbers inside() { return buffer_.numbers().part(0, size_); }
  bool guards_stand() const {
    for (std::size_t i = size_; i < size_ + guards; ++i) {
      if (get(buffer_, i) != type_guard()) return false;
    }
    return true;
  }

 private:
  double type_guard() const { return buffer_.type() == NumberType::fp64 ? guard : -124; }

  std::size_t size_;
  MemoryLedger ledger_;
  Buffer buffer_;
};

bool all_reduce_right(Communicator& comm, NumberType type, std::size_t size) {
  Guarded v(type, size, comm.rank());
  comm.all_reduce(v.inside());
  bool right = v.guards_stand();
  for (std::size_t i = 0; i < size; ++i)
    right &= get(v.inside(), i) == expected_sum(comm.size(), i);
  return right;
}

bool reduce_scatter_right(Communicator& comm, NumberType type, std::size_t size) {
  const Shards cut{size, comm.size()};
  Guarded v(type, size, comm.rank());
  comm.reduce_scatter(v.inside());
  bool right = v.guards_stand();
  for (std::size_t i = 0; i < cut.size(comm.rank()); ++i) {
    right &= get(v.inside(), i) == expected_sum(comm.size(), cut.first(comm.rank()) + i);
  }
  return right;
}

bool start_reduce_scatter_right(Communicator& comm, NumberType type, std::size_t size) {
  const Shards cut{size, comm.size()};
  Guarded full(type, size, comm.rank()), shard(type, cut.size(comm.rank()), 0);
  comm.start_reduce_scatter(full.inside(), shard.inside()).wait();
  bool right = full.guards_stand() && shard.guards_stand();
  for (std::size_t i = 0; i < cut.size(comm.rank()); ++i) {
    right &= get(shard.inside(), i) == expected_sum(comm.size(), cut.first(comm.rank()) + i);
  }
  return right;
}

template <bool waiting>
bool all_gather_right(Communicator& comm, NumberType type, std::size_t size) {
  const Shards cut{size, comm.size()};
  Guarded v(type, size, comm.rank());
  if (waiting) {
    comm.all_gather(v.inside());
  } else {
    comm.start_all_gather(v.inside()).wait();
  }
  bool right = v.guards_stand();
  for (std::size_t i = 0; i < size; ++i)
    right &= get(v.inside(), i) == contribution(cut.owner(i), i);
  return right;
}

template <bool waiting>
bool all_to_all_right(Communicator& comm, NumberType type, std::size_t size) {
  const Shards cut{size, comm.size()};
  const std::size_t mine = cut.size(comm.rank());
  Guarded full(type, size, comm.rank()), received(type, mine * comm.size(), 0);
  if (waiting) {
    comm.all_to_all(full.inside(), 0, size, received.inside());
  } else {
    comm.start_all_to_all(full.inside(), received.inside()).wait();
  }
  bool right = full.guards_stand() && received.guards_stand();
  for (std::size_t r = 0; r < comm.size(); ++r) {
    for (std::size_t i = 0; i < mine; ++i) {
      right &= get(received.inside(), r * mine + i) == contribution(r, cut.first(comm.rank()) + i);
    }
  }
  return right;
}

/// Sizes around N with empty shards at the end, and one where libraries change algorithm.
template <class Check>
bool right_at_all_sizes(Communicator& comm, Check check) {
  bool right = true;
  for (const NumberType type :
       {NumberType::fp16, NumberType::bf16, NumberType::fp32, NumberType::fp64}) {
    for (const std::size_t size : {std::size_t{1}, comm.size() - 1, comm.size(), comm.size() + 1,
                                   std::size_t{1000}, std::size_t{100003}}) {
      if (size > 0) right &= check(comm, type, size);
    }
  }
  return right;
}

/// Sums and maxima of 64-bit words, and texts from and to rank 0.
bool words_right(Communicator& comm) {
  std::array<std::uint64_t, 3> words{comm.rank() + 1, ~std::uint64_t{0}, 0};
  comm.sum(words);
  const std::uint64_t n = comm.size();
  return words == std::array<std::uint64_t, 3>{n * (n + 1) / 2, ~std::uint64_t{0} - n + 1, 0} &&
         comm.maximum(comm.rank()) == n - 1;
}

bool texts_right(Communicator& comm) {
  const auto text_of = [](std::size_t rank) { return std::string(rank * 1000 % 3001, 'a'); };
  bool right = comm.broadcast(text_of(comm.rank()), comm.size() - 1) == text_of(comm.size() - 1);
  const auto texts = comm.gather(text_of(comm.rank()));
  for (std::size_t r = 0; r < texts.size(); ++r) right &= texts[r] == text_of(r);
  return right;
}

}  // namespace

std::vector<SelfTest> collective_self_tests(Communicator& comm) {
  return {{"MPI_Allreduce", right_at_all_sizes(comm, all_reduce_right)},
          {"MPI_Allreduce of 64-bit words", words_right(comm)},
          {"MPI_Reduce_scatter", right_at_all_sizes(comm, reduce_scatter_right)},
          {"MPI_Allgather(v)", right_at_all_sizes(comm, all_gather_right<true>)},
          {"MPI_Alltoallv", right_at_all_sizes(comm, all_to_all_right<true>)},
          {"MPI_Ireduce_scatter", right_at_all_sizes(comm, start_reduce_scatter_right)},
          {"MPI_Iallgather(v)", right_at_all_sizes(comm, all_gather_right<false>)},
          {"MPI_Ialltoallv", right_at_all_sizes(comm, all_to_all_right<false>)},
          {"MPI_Gatherv, MPI_Bcast", texts_right(comm)}};
}

}  // namespace zerolab
