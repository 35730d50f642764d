// Lab 06. What a sum must be comes from integers, from the definition, or from all orders there
// are.
#include "check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "lab.hpp"
#include "meters.hpp"
#include "zerolab/core/random.hpp"

namespace {

using lab::Check;
using Vector = std::vector<float>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float smallest = std::numeric_limits<float>::denorm_min();

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
std::string shown(float x) {
  return fmt::format("{} ({:a})", x, x);
}

// --- On paper --------------------------------------------------------------------------------

/// 2^24 + 1 lies half-way between two fp32 numbers and is rounded to the even one, 2^24.
void three_numbers(Check& check) {
  const Vector three{0x1p24F, 1, 1};
  std::vector<std::size_t> order{0, 1, 2};
  do {
    const bool large_last = order[2] == 0;
    const float expected = large_last ? 16777218.0F : 16777216.0F;
    const float got = student::sum_in_order(three, order);
    check.expect(got == expected, "2^24, 1, 1 in the order {}: expected {}, got {}{}",
                 fmt::join(order, ", "), expected, got,
                 got != (large_last ? 16777216.0F : 16777218.0F) ? ""
                 : large_last ? ": added as they lie, not in the order asked for"
                              : ": added in a wider type and rounded at the end");
  } while (std::ranges::next_permutation(order).found);
  order = {1, 2, 1};
  check.equal(3.0F, student::sum_in_order(three, order), "1 + 1 + 1");
  check.equal(0.0F, student::sum_in_order(three, {}), "the sum of no numbers");
}

/// What a wrong distance may have been made of.
std::string why_not_ulps(float a, float b, std::uint64_t expected, std::uint64_t got) {
  const auto as_bits = [](float x) { return std::int64_t{std::bit_cast<std::int32_t>(x)}; };
  const bool across_zero = std::signbit(a) != std::signbit(b);
  const auto distance = static_cast<std::int64_t>(got);
  if (across_zero && got + 1 == expected) return ": from −0 to +0 is a step, too";
  if (across_zero && distance == std::abs(as_bits(a) - as_bits(b)))
    return ": the bits of a negative number grow as it falls";
  if (static_cast<double>(got) == std::floor(std::abs(static_cast<double>(a) - b)))
    return ": that is the difference of the two numbers, not the steps between them";
  return "";
}

void ulps(Check& check, float a, float b, std::uint64_t expected) {
  const std::uint64_t got = student::ulps_between(a, b);
  const auto name = [](std::uint64_t steps) {
    return steps == student::no_distance ? "no_distance" : std::to_string(steps);
  };
  check.expect(got == expected, "ulps_between({}, {}): expected {}, got {}{}", shown(a), shown(b),
               name(expected), name(got), why_not_ulps(a, b, expected, got));
}

void distances(Check& check) {
  constexpr std::uint64_t none = student::no_distance, one = 0x3F80'0000, top = 0x7F80'0000;
  struct Row {
    float a, b;
    std::uint64_t steps;
  };
  for (const auto& [a, b, steps] :
       {Row{1, 1, 0}, Row{1, 1 + 0x1p-23F, 1}, Row{0x1p24F, 0x1p24F + 2, 1}, Row{1, 2, 1 << 23},
        Row{-1, -1 - 0x1p-23F, 1}, Row{0, -0.0F, 1}, Row{smallest, -smallest, 3},
        Row{1, -1, 2 * one + 1}, Row{std::numeric_limits<float>::max(), infinity, 1},
        Row{infinity, -infinity, 2 * top + 1}, Row{nan, 1, none}, Row{nan, nan, none}}) {
    ulps(check, a, b, steps);
    ulps(check, b, a, steps);
  }
  for (std::uint64_t steps = 0; steps < 40; ++steps) {
    const float from =
        std::ldexp(zerolab::random_symmetric(6, steps), static_cast<int>(steps) - 20);
    float to = from;
    for (std::uint64_t s = 0; s < steps; ++s) to = std::nextafter(to, from * 2);
    ulps(check, from, to, steps);
  }
}

/// found is what is expected: nothing, or the difference at this place.
void found_at(Check& check, const std::string& what, const Vector& a, const Vector& b,
              std::optional<std::size_t> index, std::uint64_t steps) {
  const auto found = student::first_difference(a, b);
  const auto name = [](std::optional<std::size_t> i) {
    return i ? fmt::format("element {}", *i) : "no difference";
  };
  const auto got = found ? std::optional(found->index) : std::nullopt;
  if (!check.expect(got == index, "{}: expected {}, got {}", what, name(index), name(got))) return;
  if (!found) return;
  check.expect(same_bits(found->a, a[*index]) && same_bits(found->b, b[*index]),
               "{}: the sums are {} and {}, and {} and {} were named", what, a[*index], b[*index],
               found->a, found->b);
  check.equal(steps, found->ulps, what + ", ulps");
}

void where_vectors_part(Check& check) {
  const Vector a{1, -0.0F, nan, 0x1p24F, 5};
  const auto with = [&](std::size_t index, float value) {
    Vector b = a;
    b[index] = value;
    return b;
  };
  found_at(check, "equal vectors, −0 and a NaN among them", a, a, {}, 0);
  found_at(check, "empty vectors", {}, {}, {}, 0);
  found_at(check, "1 ulp in the first element", a, with(0, 1 + 0x1p-23F), 0, 1);
  found_at(check, "1 ulp in the last element", a, with(4, 5 + 0x1p-21F), 4, 1);
  found_at(check, "−0 against +0 in element 1", a, with(1, 0), 1, 1);
  found_at(check, "a NaN against 7 in element 2", a, with(2, 7), 2, student::no_distance);
  Vector twice = with(3, 0x1p24F + 2);
  twice[4] = 6;
  found_at(check, "differences in elements 3 and 4", a, twice, 3, 1);
}

// --- Over ranks ------------------------------------------------------------------------------

/// What rank `rank` brings: numbers of a few powers of two, so that the order shows.
Vector brought(std::size_t rank, std::size_t n) {
  Vector numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    numbers[i] =
        std::ldexp(zerolab::random_symmetric(rank, i), static_cast<int>((i + 3 * rank) % 8));
  }
  return numbers;
}

constexpr std::array<std::size_t, 7> sizes{40, 0, 1, 2, 3, 7, 1000};

/// Of each element the numbers that are added.
std::vector<Vector> by_element(const std::vector<Vector>& summed) {
  std::vector<Vector> terms(summed[0].size());
  for (const Vector& numbers : summed) {
    for (std::size_t i = 0; i < terms.size(); ++i) terms[i].push_back(numbers[i]);
  }
  return terms;
}

/// The calls since the last time: "MPI_Allgatherv of 5 elements, 20 bytes; …".
std::string calls_made() {
  std::vector<std::string> lines;
  for (const lab::Call& call : lab::take_calls())
    lines.push_back(
        fmt::format("{} of {} elements, {} bytes", call.function, call.elements, call.bytes));
  std::ranges::sort(lines);
  return lines.empty() ? "none" : fmt::format("{}", fmt::join(lines, "; "));
}

void expect_calls(Check& check, std::vector<std::string> functions, std::size_t n) {
  for (std::string& line : functions)
    line = fmt::format("{} of {} elements, {} bytes", line, n, n * sizeof(float));
  check.equal(fmt::format("{}", fmt::join(functions, "; ")), calls_made(),
              fmt::format("{} elements, calls of MPI", n));
}

std::string told(std::size_t index, float a, float b) {
  return fmt::format("element {}, {} by all-reduce, {} by reduce-scatter", index, shown(a),
                     shown(b));
}

/// The first difference of MPI's own two sums, by the check's own calls.
std::string first_of_mpi(Check& check, const Vector& mine) {
  const student::Ranks ranks(check.world(), mine.size());
  const auto& [counts, first] = ranks.shards;
  const int my_count = counts[check.rank()];
  Vector a(mine.size()), b(mine.size()), shard(static_cast<std::size_t>(my_count));
  PMPI_Allreduce(mine.data(), a.data(), static_cast<int>(a.size()), MPI_FLOAT, MPI_SUM,
                 check.world());
  PMPI_Reduce_scatter(mine.data(), shard.data(), counts.data(), MPI_FLOAT, MPI_SUM, check.world());
  PMPI_Allgatherv(shard.data(), my_count, MPI_FLOAT, b.data(), counts.data(), first.data(),
                  MPI_FLOAT, check.world());
  const auto [in_a, in_b] = std::ranges::mismatch(a, b, same_bits);
  if (in_a == a.end()) return "none";
  return told(static_cast<std::size_t>(in_a - a.begin()), *in_a, *in_b);
}

void two_sums_of_mpi(Check& check) {
  for (const std::size_t n : sizes) {
    Vector mine(n);
    std::iota(mine.begin(), mine.end(), static_cast<float>(check.rank()));
    check.expect(!student::mpi_difference(check.world(), mine),
                 "small integers add without rounding, and {} of them differ in some element", n);
    mine = brought(check.rank(), n);
    lab::take_calls();
    const auto found = student::mpi_difference(check.world(), mine);
    expect_calls(check, {"MPI_Allgatherv", "MPI_Allreduce", "MPI_Reduce_scatter"}, n);
    const std::string got = found ? told(found->index, found->a, found->b) : "none";
    check.equal(first_of_mpi(check, mine), got,
                fmt::format("{} elements, the first difference", n));
    if (check.rank() == 0 && n == sizes.back() && check.holds())
      fmt::print("N = {}, {} elements, the first difference: {}; ulps: {}\n", check.ranks(), n, got,
                 found ? found->ulps : 0);
  }
}

/// All numbers that the sum of a few can be, over every order and all brackets.
std::set<float> possible_sums(const Vector& terms) {
  if (terms.size() == 1) return {terms[0]};
  std::set<float> sums;
  for (std::size_t mask = 1; mask + 1 < std::size_t{1} << terms.size(); ++mask) {
    std::array<Vector, 2> parts;
    for (std::size_t t = 0; t < terms.size(); ++t) parts[mask >> t & 1U].push_back(terms[t]);
    for (const float a : possible_sums(parts[0]))
      for (const float b : possible_sums(parts[1])) sums.insert(a + b);
  }
  return sums;
}

/// Why `got` may have come out of what the ranks brought.
std::string why_unordered(const std::vector<Vector>& terms, const Vector& got) {
  std::size_t reordered = 0, in_double = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    reordered += terms[i].size() <= 4 && possible_sums(terms[i]).contains(got[i]);
    in_double +=
        got[i] == static_cast<float>(std::accumulate(terms[i].begin(), terms[i].end(), 0.0));
  }
  return in_double == got.size()   ? ": added in double"
         : reordered == got.size() ? ": the same numbers in another order"
         : terms[0].size() > 4     ? ""
                                   : ": no order of the ranks' numbers gives that";
}

void expect_ordered(Check& check, const Vector& got, const std::vector<Vector>& of_ranks) {
  const std::vector<Vector> terms = by_element(of_ranks);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float expected = std::accumulate(terms[i].begin(), terms[i].end(), 0.0F);
    if (same_bits(got[i], expected)) continue;
    return check.fail("element {} of {}: expected {} in rank order, got {}{}", i, got.size(),
                      shown(expected), shown(got[i]), why_unordered(terms, got));
  }
}

/// A communicator of all ranks with other numbers: the process of rank r gets number[r].
class Renumbered {
 public:
  Renumbered(Check& check, const std::vector<int>& number) {
    MPI_Comm_split(check.world(), 0, number[check.rank()], &comm_);
  }
  ~Renumbered() { MPI_Comm_free(&comm_); }
  Renumbered(const Renumbered&) = delete;
  Renumbered& operator=(const Renumbered&) = delete;
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Ways to number the ranks: forwards and backwards from every one of them. On 3 these are all.
std::vector<std::vector<int>> numberings(const Check& check) {
  std::vector<int> number(check.ranks());
  std::iota(number.begin(), number.end(), 0);
  std::vector<std::vector<int>> ways;
  for (std::size_t r = 0; r < 2 * number.size(); ++r) {
    ways.push_back(number);
    std::rotate(number.begin(), number.begin() + 1, number.end());
    if (r + 1 == number.size()) std::ranges::reverse(number);
  }
  return ways;
}

void in_rank_order(Check& check, MPI_Comm comm, std::size_t rank, std::size_t n) {
  std::vector<Vector> of_ranks;
  for (std::size_t r = 0; r < check.ranks(); ++r) of_ranks.push_back(brought(r, n));
  Vector data = of_ranks[rank];
  lab::take_calls();
  student::ordered_all_reduce(comm, data);
  expect_calls(check, {"MPI_Allgatherv", "MPI_Alltoallv"}, n);
  expect_ordered(check, data, of_ranks);
}

void same_by_order(Check& check) {
  for (const std::size_t n : sizes) in_rank_order(check, check.world(), check.rank(), n);
  for (const std::vector<int>& number : numberings(check)) {
    const Renumbered comm(check, number);
    in_rank_order(check, comm, static_cast<std::size_t>(number[check.rank()]), sizes[0]);
  }
  Vector zeros(3, -0.0F);
  student::ordered_all_reduce(check.world(), zeros);
  for (const float zero : zeros)
    check.expect(same_bits(zero, 0), "the sum of −0 on all ranks: expected 0, got {}", zero);
}

// --- Exact -----------------------------------------------------------------------------------

/// g in units of 2^-24, to nearest, of two the even one, from its own bits as an integer.
std::int64_t grid_units(float g) {
  int exponent = 0;
  const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(std::abs(g), &exponent), 24));
  std::int64_t units = 0;
  if (exponent >= 0) {
    units = digits << exponent;
  } else if (exponent > -26) {
    const std::int64_t unit = std::int64_t{1} << -exponent, rest = digits % unit;
    units = digits / unit;
    if (2 * rest > unit || (2 * rest == unit && units % 2 == 1)) ++units;
  }
  return std::signbit(g) ? -units : units;
}

void grid(Check& check) {
  const auto expect = [&](float g) {
    const double expected = std::ldexp(static_cast<double>(grid_units(g)), -24);
    const double got = student::on_grid(g);
    const double units = std::ldexp(static_cast<double>(g), 24);
    check.expect(got == expected, "{} units of 2^-24: expected {}, got {}{}", units,
                 std::ldexp(expected, 24), std::ldexp(got, 24),
                 std::ldexp(got, 24) == std::trunc(units)   ? ": cut off, not rounded"
                 : std::ldexp(got, 24) == std::round(units) ? ": of two nearest, take the even one"
                                                            : "");
  };
  for (const int half : {0, 1, 2, 3, 4, 5, 7, -1, -3, -5})
    expect(std::ldexp(static_cast<float>(half), -25));
  for (const float g : {0x1.000002p-25F, 0.1F, -0.1F, 1 + 0x1p-23F, 0x1.fffffep15F, -65535.5F})
    expect(g);
  for (std::uint64_t i = 0; i < 2000; ++i)
    expect(std::ldexp(zerolab::random_symmetric(7, i), static_cast<int>(i % 44) - 28));
  for (const float g : {0x1p16F, -0x1p16F, 1e30F, infinity, -infinity, nan}) {
    const double got = student::on_grid(g);
    check.expect(std::isinf(got) && (std::isnan(g) || std::signbit(got) == std::signbit(g)),
                 "{} has no place on the grid: expected an infinity of its sign, got {}", g, got);
  }
}

constexpr std::size_t vectors = 8;

/// The vectors that are summed, of n elements; first what can be followed on paper.
std::vector<Vector> summands(std::size_t n) {
  std::vector<Vector> all;
  for (std::size_t v = 0; v < vectors; ++v) {
    const bool even = v % 2 == 0;
    Vector numbers{v == 0  ? 1
                   : v < 3 ? 0x1p-24F
                           : 0,  // 1 + 1 unit + 1 unit
                   v == 0   ? 65535.0F
                   : v == 1 ? -65535.0F
                            : 0x1p-24F,  // 6 units are left
                   -0.0F,
                   even ? 0.1F : -0.1F,
                   0x1.8p-24F,  // one and a half units become 2, each time
                   even ? 0x1p15F : 0x1p-20F};
    const Vector more = brought(v, n);
    for (std::size_t i = numbers.size(); i < n; ++i)
      numbers.push_back(std::ldexp(more[i], static_cast<int>((5 * i + 7 * v) % 24) - 16));
    numbers.resize(n);
    all.push_back(numbers);
  }
  return all;
}

float exact_sum(const Vector& terms) {
  std::int64_t units = 0;
  for (const float term : terms) units += grid_units(term);
  return std::ldexp(static_cast<float>(units), -24);  // rounds once
}

/// Why `got` may have come out, when term v was dealt to rank v mod N.
std::string why_inexact(const std::vector<Vector>& terms, const Vector& got, std::size_t ranks) {
  std::size_t in_float = 0, twice = 0, raw = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    double rounded_sums = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      Vector of_rank;
      for (std::size_t v = r; v < vectors; v += ranks) of_rank.push_back(terms[i][v]);
      rounded_sums += exact_sum(of_rank);
    }
    twice += got[i] == static_cast<float>(rounded_sums);
    in_float += got[i] == std::accumulate(terms[i].begin(), terms[i].end(), 0.0F);
    raw += got[i] == static_cast<float>(std::accumulate(terms[i].begin(), terms[i].end(), 0.0));
  }
  return twice == got.size()      ? ": rounded on each rank, and again over ranks"
         : in_float == got.size() ? ": added in fp32"
         : raw == got.size()      ? ": not every number was put on the grid first"
                                  : "";
}

void expect_exact(Check& check, const Vector& got, const std::vector<Vector>& all,
                  std::size_t deal) {
  const std::vector<Vector> terms = by_element(all);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float expected = exact_sum(terms[i]);
    if (same_bits(got[i], expected)) continue;
    return check.fail("deal {}, element {}, the sum of {}: expected {}, got {}{}", deal, i,
                      fmt::join(terms[i], ", "), shown(expected), shown(got[i]),
                      why_inexact(terms, got, check.ranks()));
  }
}

/// The vectors of a rank: dealt in turn in several orders, in the last deal all to rank 0.
std::vector<Vector> dealt(const std::vector<Vector>& all, std::size_t deal, std::size_t rank,
                          std::size_t ranks) {
  const zerolab::Permutation shuffled(deal, vectors);
  std::vector<Vector> mine;
  for (std::size_t v = 0; v < vectors; ++v) {
    const std::size_t card = deal == 0 ? v : deal == vectors ? 0 : shuffled(v);
    if (card % ranks == rank) mine.push_back(all[v]);
  }
  return mine;
}

void sum_dealt(Check& check, MPI_Comm comm, std::size_t rank, std::size_t n, std::size_t deal) {
  const std::vector<Vector> all = summands(n), mine = dealt(all, deal, rank, check.ranks());
  Vector sum(n, nan);
  lab::take_calls();
  student::exact_all_reduce(comm, mine, sum);
  std::size_t bytes = 0;
  for (const lab::Call& call : lab::take_calls()) bytes += call.bytes;
  expect_exact(check, sum, all, deal);
  check.expect(bytes <= sizeof(double) * n,
               "{} elements, {} vectors on this rank: {} bytes went to MPI, more than 8 an element",
               n, mine.size(), bytes);
}

void same_in_any_order(Check& check) {
  for (const std::size_t n : sizes) {
    for (std::size_t deal = 0; deal <= vectors; ++deal)
      sum_dealt(check, check.world(), check.rank(), n, deal);
  }
  for (const std::vector<int>& number : numberings(check)) {
    const Renumbered comm(check, number);
    sum_dealt(check, comm, static_cast<std::size_t>(number[check.rank()]), sizes[0], 1);
  }
}

void out_of_range(Check& check) {
  const bool last = check.rank() + 1 == check.ranks();
  const Vector mine = last ? Vector{0x1p16F, -1e30F, nan, 1} : Vector{1, 1, 1, 1};
  Vector sum(mine.size());
  student::exact_all_reduce(check.world(), std::array{mine}, sum);
  const auto ranks = static_cast<float>(check.ranks());
  check.expect(
      sum[0] == infinity && sum[1] == -infinity && !std::isfinite(sum[2]) && sum[3] == ranks,
      "the last rank brings 65536, -1e30, nan, 1, the others ones: expected inf, -inf, "
      "not finite, {}, got {}",
      ranks, fmt::join(sum, ", "));
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 1, "three numbers in an order", three_numbers},
      {2, 2, "distance in ulps", distances},
      {2, 1, "the first element that differs", where_vectors_part},
      {3, 1, "MPI's two sums", two_sums_of_mpi},
      {3, 2, "the same bits by order", same_by_order},
      {4, 1, "the grid", grid},
      {5, 2, "the same bits by exact sums",
       [](Check& check) {
         same_in_any_order(check);
         out_of_range(check);
       }},
  };
}
