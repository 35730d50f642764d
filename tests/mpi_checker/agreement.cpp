#include <dlfcn.h>

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "call.hpp"

namespace mpi_checker {

namespace {

constexpr std::array names{"function", "count", "type", "operation", "root"};

/// Operations of the program, by their functions.
std::vector<std::pair<MPI_Op, std::uint64_t>> operations;

/// Handles are addresses in one library and numbers in the other; an address counts from where its
/// own library was loaded.
template <class Handle>
std::uint64_t place(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    Dl_info library{};
    const auto address = reinterpret_cast<std::uintptr_t>(handle);
    if (dladdr(reinterpret_cast<const void*>(address), &library) == 0) return 1;
    return address - reinterpret_cast<std::uintptr_t>(library.dli_fbase);
  } else {
    return static_cast<std::uint64_t>(handle);
  }
}

}  // namespace

std::uint64_t hash(std::span<const std::byte> bytes) {
  std::uint64_t value = 0xcbf2'9ce4'8422'2325;  // FNV-1a
  for (const std::byte byte : bytes)
    value = (value ^ std::to_integer<std::uint64_t>(byte)) * 0x100'0000'01b3;
  return value;
}

std::uint64_t hash_of_counts(const int* counts, std::size_t ranks) {
  return hash(std::as_bytes(std::span(counts, ranks)));
}

std::uint64_t type_identity(MPI_Datatype type) {
  return place(type);
}

std::uint64_t operation_identity(MPI_Op operation) {
  for (const auto& [known, value] : operations)
    if (known == operation) return value;
  return place(operation);
}

void remember(MPI_Op operation, MPI_User_function* function) {
  std::erase_if(operations, [&](const auto& known) { return known.first == operation; });
  operations.emplace_back(operation, place(function));
}

Agreement::Agreement(const Call& call, const Description& mine)
    : call_(call),
      mine_{hash(std::as_bytes(std::span(call.function(), std::strlen(call.function())))),
            mine.count, mine.type, mine.operation, mine.root} {
  for (std::size_t i = 0; i < fields; ++i) {
    lowest_[i] = mine_[i];
    lowest_[fields + i] = ~mine_[i];
  }
  // Not blocking, for MPI_Ibarrier is nothing but this question, and all ranks ask it alike.
  PMPI_Iallreduce(MPI_IN_PLACE, lowest_.data(), static_cast<int>(lowest_.size()), MPI_UINT64_T,
                  MPI_MIN, call.comm(), &request_);
}

void Agreement::judge() const {
  std::string differing;
  for (std::size_t i = 0; i < fields; ++i) {
    if (lowest_[i] != ~lowest_[fields + i])
      differing += (differing.empty() ? "" : ", ") + std::string(names[i]);
  }
  if (differing.empty()) return;
  call_.violation("the ranks disagree in " + differing + "; here count " +
                  std::to_string(mine_[1]) + ", root " + std::to_string(mine_[4]));
}

}  // namespace mpi_checker
