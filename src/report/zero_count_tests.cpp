// doctor's self-tests with counts of 0 at the first, a middle and the last rank. Training's own
// cuts have their empty shards at the end, so these call MPI themselves.
#include <algorithm>
#include <numeric>

#include "doctor.hpp"

namespace zerolab {

namespace {

constexpr double guard = -12345;
constexpr std::size_t guards = 8;

/// 0 elements for rank `empty`, r % 3 + 1 for every other rank r.
struct Cut {
  std::vector<int> counts, displacements;

  Cut(std::size_t ranks, std::size_t empty) : counts(ranks), displacements(ranks) {
    for (std::size_t r = 0; r < ranks; ++r)
      counts[r] = r == empty ? 0 : static_cast<int>(r % 3 + 1);
    std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), 0);
  }
  std::size_t count(std::size_t rank) const { return static_cast<std::size_t>(counts[rank]); }
  std::size_t first(std::size_t rank) const {
    return static_cast<std::size_t>(displacements[rank]);
  }
  std::size_t all() const { return first(counts.size() - 1) + count(counts.size() - 1); }
};

/// Element i of rank r's vector; small, so that sums are exact.
double value(std::size_t rank, std::size_t i) {
  return static_cast<double>(100 * rank + i);
}

std::vector<double> guarded(std::size_t size) {
  return std::vector<double>(size + guards, guard);
}

bool guards_stand(const std::vector<double>& v) {
  return std::count(v.end() - guards, v.end(), guard) == guards;
}

bool reduce_scatter_right(const Cut& cut, std::size_t rank, std::size_t ranks) {
  std::vector<double> full = guarded(cut.all()), mine = guarded(cut.count(rank));
  for (std::size_t i = 0; i < cut.all(); ++i) full[i] = value(rank, i);
  MPI_Reduce_scatter(full.data(), mine.data(), cut.counts.data(), MPI_DOUBLE, MPI_SUM,
                     MPI_COMM_WORLD);
  bool right = guards_stand(full) && guards_stand(mine);
  for (std::size_t i = 0; i < cut.count(rank); ++i) {
    double sum = 0;
    for (std::size_t r = 0; r < ranks; ++r) sum += value(r, cut.first(rank) + i);
    right &= mine[i] == sum;
  }
  return right;
}

bool all_gatherv_right(const Cut& cut, std::size_t rank, std::size_t ranks) {
  std::vector<double> full = guarded(cut.all());
  for (std::size_t i = 0; i < cut.count(rank); ++i) full[cut.first(rank) + i] = value(rank, i);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, full.data(), cut.counts.data(),
                 cut.displacements.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  bool right = guards_stand(full);
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t i = 0; i < cut.count(r); ++i) right &= full[cut.first(r) + i] == value(r, i);
  return right;
}

/// Every rank sends count(r) elements to rank r, so the empty one sends and gets nothing.
bool all_to_allv_right(const Cut& cut, std::size_t rank, std::size_t ranks) {
  const std::size_t mine = cut.count(rank);
  std::vector<double> full = guarded(cut.all()), received = guarded(mine * ranks);
  for (std::size_t i = 0; i < cut.all(); ++i) full[i] = value(rank, i);
  std::vector<int> counts(ranks, static_cast<int>(mine)), places(ranks);
  for (std::size_t r = 0; r < ranks; ++r) places[r] = static_cast<int>(r * mine);
  MPI_Alltoallv(full.data(), cut.counts.data(), cut.displacements.data(), MPI_DOUBLE,
                received.data(), counts.data(), places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  bool right = guards_stand(full) && guards_stand(received);
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t i = 0; i < mine; ++i)
      right &= received[r * mine + i] == value(r, cut.first(rank) + i);
  return right;
}

}  // namespace

std::vector<SelfTest> zero_count_self_tests(const Communicator& comm) {
  const std::size_t n = comm.size();
  SelfTest reduce{"MPI_Reduce_scatter, counts of 0", true};
  SelfTest gather{"MPI_Allgatherv, counts of 0", true};
  SelfTest all_to_all{"MPI_Alltoallv, counts of 0", true};
  for (const std::size_t empty : {std::size_t{0}, n / 2, n - 1}) {
    const Cut cut(n, empty);
    reduce.right &= reduce_scatter_right(cut, comm.rank(), n);
    gather.right &= all_gatherv_right(cut, comm.rank(), n);
    all_to_all.right &= all_to_allv_right(cut, comm.rank(), n);
  }
  double none = 0;
  MPI_Allreduce(MPI_IN_PLACE, &none, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return {reduce, gather, all_to_all};
}

}  // namespace zerolab
