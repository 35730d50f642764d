// A non-blocking call between its start and its end: MPI works on copies, so whatever the program
// does to its own memory meanwhile is seen.
#pragma once

#include <list>
#include <memory>

#include "call.hpp"

namespace mpi_checker {

/// A copy of parts of the program's memory, packed one after the other.
class Copy {
 public:
  explicit Copy(Parts user);
  const Parts& user() const { return user_; }
  std::byte* data() { return bytes_.data(); }
  /// Covers the program's bytes with NaNs of every type.
  void poison();
  void require_poison(const Call& call) const;
  void require_equal(const Call& call) const;
  void give_back(std::size_t bytes);  ///< the first of them

 private:
  Parts user_;
  std::vector<std::byte> bytes_;
};

/// Counts and displacements of the packed copy, and a watch over the program's own.
class PackedCounts {
 public:
  PackedCounts(const int* counts, const int* places, std::size_t ranks);
  const int* counts() const { return counts_.data(); }
  const int* places() const { return packed_.data(); }
  void require_unchanged(const Call& call) const;

 private:
  const int *user_counts_, *user_places_;
  std::vector<int> counts_, user_places_then_, packed_;
};

class InFlight {
 public:
  explicit InFlight(const Call& call) : call_(call) {}
  const Call& call() const { return call_; }
  Parts sent() const { return send_ ? send_->user() : Parts(); }
  Parts received() const { return receive_ ? receive_->user() : Parts(); }

  /// What MPI is to read. The program may read it too.
  const void* send(const Parts& user);
  /// What MPI is to write; in place, it reads there first. `given_back` bytes at most are results.
  void* receive(const Parts& user, std::size_t given_back);
  const PackedCounts& layout(const int* counts, const int* places);
  void ask(const Description& mine);  ///< MPI_Ibarrier: the agreement is the barrier
  void complete();                    ///< MPI has ended it

  MPI_Request request = MPI_REQUEST_NULL;  ///< MPI's
  MPI_Request handle = MPI_REQUEST_NULL;   ///< the program's; MPI gives one request to several

 private:
  Call call_;
  std::unique_ptr<Copy> send_, receive_;
  std::size_t given_back_ = 0;
  std::list<PackedCounts> layouts_;
  std::unique_ptr<Agreement> agreement_;
};

/// All that are under way.
std::list<InFlight>& in_flight();
InFlight& start(const Call& call, MPI_Request* handle);
InFlight* find(MPI_Request handle);
void end(InFlight& ended);

}  // namespace mpi_checker
