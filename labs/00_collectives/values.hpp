#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "lab.hpp"
#include "meters.hpp"

// The check's own: runs a student's function on numbers of which a sum tells what is in it.

namespace values {

using lab::Check;

/// A function under test, and the MPI functions it may call.
struct Student {
  const char* name;
  std::size_t (*function)(std::span<double>, MPI_Comm);
  std::vector<std::string_view> allowed{"MPI_Sendrecv"};
};

/// What it left behind.
struct Ran {
  std::vector<double> full;
  std::size_t returned;
  std::vector<lab::Call> calls;

  std::size_t bytes_sent() const {
    return std::accumulate(calls.begin(), calls.end(), std::size_t{0},
                           [](std::size_t sum, const lab::Call& call) { return sum + call.bytes; });
  }
};

/// MPI's error handler: a fault inside MPI ends this rank's task with MPI's words.
inline void refuse(MPI_Comm*, int* code, ...) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0, kind = 0;
  PMPI_Error_string(*code, text.data(), &length);
  PMPI_Error_class(*code, &kind);
  throw std::runtime_error(fmt::format(
      "{}: {}{}", lab::call_under_way(), text.data(),
      kind == MPI_ERR_TRUNCATE
          ? "; more arrived than this rank asked for: it and the sender mean different shards"
          : ""));
}

inline Ran run(Check& check, const Student& student, const std::vector<double>& before) {
  constexpr std::size_t margin = 16;
  constexpr double untouched = -7777;
  std::vector<double> memory(before.size() + 2 * margin, untouched);
  const std::span<double> full = std::span(memory).subspan(margin, before.size());
  std::copy(before.begin(), before.end(), full.begin());
  MPI_Comm own = MPI_COMM_NULL;  // so that what a fault leaves on its way meets nobody later
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_dup(check.world(), &own);
  PMPI_Comm_create_errhandler(refuse, &handler);
  PMPI_Comm_set_errhandler(own, handler);
  lab::take_calls();
  const std::size_t returned = student.function(full, own);
  const Ran ran{{full.begin(), full.end()}, returned, lab::take_calls()};
  PMPI_Errhandler_free(&handler);
  PMPI_Comm_free(&own);
  for (std::size_t i = 0; i < margin; ++i) {
    check.expect(memory[i] == untouched && memory[memory.size() - 1 - i] == untouched,
                 "{} of {} elements has written outside of them", student.name, before.size());
  }
  for (const lab::Call& call : ran.calls) {
    check.expect(std::find(student.allowed.begin(), student.allowed.end(), call.function) !=
                     student.allowed.end(),
                 "{} calls {}; what is asked for is {}", student.name, call.function,
                 fmt::join(student.allowed, ", "));
  }
  check.expect(!ran.calls.empty() || before.size() < check.ranks() || check.ranks() == 1,
               "{} of {} elements moves nothing by {}", student.name, before.size(),
               fmt::join(student.allowed, ", "));
  return ran;
}

// Element i of rank r is (11 + i mod 9)·100^r: a sum has two digits for each rank, and no element's
// are a multiple of another's.
constexpr double base = 100;
inline std::size_t digits(std::size_t i) {
  return 11 + i % 9;
}
inline std::vector<double> own_values(const Check& check, std::size_t elements) {
  std::vector<double> own(elements);
  for (std::size_t i = 0; i < elements; ++i)
    own[i] = static_cast<double>(digits(i)) * std::pow(base, check.rank());
  return own;
}
inline double sum_at(const Check& check, std::size_t i) {
  double sum = 0;
  for (std::size_t r = 0; r < check.ranks(); ++r)
    sum += static_cast<double>(digits(i)) * std::pow(base, r);
  return sum;
}

/// What a wrong sum of element i looks like.
inline std::string likely(const Check& check, double got, std::size_t i) {
  if (!(got >= 0) || got >= std::pow(base, check.ranks()) || got != std::floor(got)) return "";
  std::vector<std::size_t> missing, repeated, other;
  bool own = false;
  for (std::size_t r = 0; r < check.ranks(); ++r, got = std::floor(got / base)) {
    const auto part = static_cast<std::size_t>(std::fmod(got, base));
    own = own || (r == check.rank() && part == digits(i));
    (part == 0 ? missing : part % digits(i) > 0 ? other : repeated).push_back(r);
    if (part == digits(i)) repeated.pop_back();
  }
  const auto of = [](const std::vector<std::size_t>& ranks) {
    return fmt::format("of rank{} {}", ranks.size() > 1 ? "s" : "", fmt::join(ranks, ", "));
  };
  if (own && missing.size() + 1 == check.ranks())
    return ": that is this rank's own value, nothing was added";
  if (!other.empty()) return ": what is in it " + of(other) + " is of another element as well";
  if (!repeated.empty()) return ": what is in it " + of(repeated) + " is in it more than once";
  return ": nothing " + of(missing) + " is in it";
}

/// Elements [first, first + count) are sums.
inline void sums(Check& check, const Ran& ran, const char* name, std::size_t first,
                 std::size_t count) {
  const std::size_t elements = ran.full.size();
  for (std::size_t i = first; i < first + count; ++i) {
    const double right = sum_at(check, i), got = ran.full[i];
    if (check.expect(got == right,
                     "{} of {} elements: element {}, in rank {}'s shard: expected {}, got {}{}",
                     name, elements, i, zerolab::Shards{elements, check.ranks()}.owner(i), right,
                     got, likely(check, got, i)))
      continue;
    return;
  }
}

}  // namespace values
