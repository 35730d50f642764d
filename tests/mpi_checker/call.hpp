// What every checked MPI call goes through: which bytes it may touch, and what all ranks have to
// say alike before it starts.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mpi_checker {

/// Bytes that a call reads or writes.
struct Part {
  std::byte* data;
  std::size_t bytes;
};
using Parts = std::vector<Part>;

/// What the ranks of a communicator say alike of a call; 0 where that has no meaning.
struct Description {
  std::uint64_t count = 0;  ///< in bytes, or the hash of all counts
  std::uint64_t type = 0;
  std::uint64_t operation = 0;
  std::uint64_t root = 0;
};

class Call {
 public:
  Call(const char* function, MPI_Comm comm);

  /// Says what is wrong, and ends the job with exit code 3.
  [[noreturn]] void violation(const std::string& what) const;
  std::string name() const;  ///< "MPI_Bcast call 7"

  MPI_Comm comm() const { return comm_; }
  std::size_t me() const { return static_cast<std::size_t>(me_); }
  std::size_t ranks() const { return static_cast<std::size_t>(ranks_); }
  const char* function() const { return function_; }

  /// Bytes of one element; only types without gaps are known here.
  std::size_t width(MPI_Datatype type) const;
  Parts part(const void* buffer, int count, MPI_Datatype type) const;
  /// One part a rank; `places` in elements, or nullptr for one after the other.
  Parts parts(const void* buffer, const int* counts, const int* places, MPI_Datatype type) const;

  /// The same of `count` elements for each rank.
  Parts equal_parts(const void* buffer, int count, MPI_Datatype type) const;

  /// No byte that arrives is sent as well, arrives twice, or belongs to a call still under way.
  void require_apart(const Parts& sent, const Parts& received) const;
  /// All ranks describe the call alike; waits for them.
  void require_agreement(const Description& mine) const;
  /// `sent[r]` bytes go to rank r, and rank r expects as many; of these ranks, `expected` arrive.
  void require_pairs(std::vector<std::uint64_t> sent, const Parts& expected) const;

 private:
  const char* function_;
  MPI_Comm comm_;
  std::size_t number_;
  int me_ = 0, ranks_ = 1;
};

/// The question to all ranks whether they describe a call alike, under way.
class Agreement {
 public:
  Agreement(const Call& call, const Description& mine);
  MPI_Request& request() { return request_; }
  void judge() const;  ///< when the request is complete

 private:
  static constexpr std::size_t fields = 5;
  Call call_;
  std::array<std::uint64_t, fields> mine_;
  std::array<std::uint64_t, 2 * fields> lowest_;  ///< of each field, and of its complement
  MPI_Request request_ = MPI_REQUEST_NULL;
};

// What the blocking and the non-blocking form of a collective are checked for alike.
void require_all_gather(const Call& call, const void* send, int send_count, MPI_Datatype send_type,
                        const Parts& received, MPI_Datatype type);
void require_all_to_all(const Call& call, const Parts& sent, const Parts& received,
                        MPI_Datatype type);
void require_gather(const Call& call, const void* send, int send_count, MPI_Datatype send_type,
                    const Parts& received, int root);

std::uint64_t hash(std::span<const std::byte> bytes);
std::uint64_t hash_of_counts(const int* counts, std::size_t ranks);
std::size_t bytes_of(const Parts& parts);
bool overlap(const Parts& some, const Parts& others);
/// The same number for the same type or operation on every rank, wherever the libraries lie there.
std::uint64_t type_identity(MPI_Datatype type);
std::uint64_t operation_identity(MPI_Op operation);
void remember(MPI_Op operation, MPI_User_function* function);
std::size_t calls_so_far();

}  // namespace mpi_checker
