#include "check.hpp"

#include <random>

#include "expected.hpp"
#include "on_ranks.hpp"
#include "zerolab/report/cost_model.hpp"

// The library has a cost model too; here, where it is to be written, it is not to be had.
namespace {
[[noreturn]] void not_here() {
  throw Error("the library's cost model was called; what is asked for is yours");
}
}  // namespace
std::vector<State> zerolab::model_states(const Job&, int) {
  not_here();
}
StateBytes zerolab::state_bytes(const Job&, int) {
  not_here();
}

namespace {

void one_unit(lab::Check& check) {
  const auto ask = [&](const Case& it, const States* paper) {
    const States got = student::state_bytes(it.way.in(it.stage), it.units[0], it.ranks, it.rank);
    for (std::size_t s = 0; s < got.size(); ++s)
      it.compare(check, "state_bytes()", s, paper != nullptr ? (*paper)[s] : it.bytes(s), got[s]);
  };
  struct Row {
    int stage;
    Shards cut;
    Number rank;
    States right;
  };
  for (const Row& row : {Row{0, {5, 8}, 7, {10, 10, 20, 20, 20}},
                         {1, {5, 8}, 4, {10, 10, 4, 4, 4}},
                         {1, {5, 8}, 5, {10, 10, 0, 0, 0}},
                         {2, {15, 4}, 3, {30, 6, 12, 12, 12}},
                         {3, {8, 3}, 1, {6, 6, 12, 12, 12}},
                         {3, {8, 3}, 2, {4, 4, 8, 8, 8}}})
    ask({mixed, row.stage, {row.cut.elements}, row.cut.ranks, row.rank}, &row.right);
  for (const Way& way : ways) {
    for (int stage = 0; stage < 4; ++stage) {
      for (const Shards& cut : {Shards{15, 1}, {8, 3}, {5, 8}, {7 * billion + 3, 8}}) {
        for (Number rank = 0; rank < cut.ranks; ++rank)
          ask({way, stage, {cut.elements}, cut.ranks, rank}, nullptr);
      }
    }
  }
}

/// A model of aΦ + bΦ/N bytes, and what a function is to say of it.
struct Row {
  Cost cost;
  Number elements, ranks, right;
};
void compare(lab::Check& check, const char* what, Number (*ask)(const Cost&, Number, Number),
             const std::vector<Row>& rows, const char* (*hint)(const Row&, Number)) {
  for (const Row& row : rows) {
    const Number got = ask(row.cost, row.elements, row.ranks);
    check.expect(got == row.right, "{}, {}Φ + {}Φ/N, Φ = {}, N = {}: expected {} bytes, got {}{}",
                 what, row.cost.full, row.cost.sharded, row.elements, row.ranks, row.right, got,
                 hint(row, got));
  }
}

void a_and_b(lab::Check& check) {
  for (const Way& way : ways) {
    for (std::size_t stage = 0; stage < 4; ++stage) {
      const Cost got = student::cost(way.in(static_cast<int>(stage)));
      const Number sum = way.full[0], a = way.full[stage];
      check.expect(got == Cost{a, sum - a},
                   "cost(), stage {}, {}: expected a = {} and b = {}, {} together; got {} and {}",
                   stage, way.name, a, sum - a, sum, got.full, got.sharded);
    }
  }
  compare(check, "bytes_on_fullest()", student::bytes_on_fullest,
          {{{4, 12}, 5, 8, 32},
           {{2, 14}, 5, 8, 24},
           {{0, 16}, 5, 8, 16},
           {{0, 16}, 23, 3, 128},
           {{16, 0}, 7 * billion, 8, 112 * billion},
           {{4, 12}, 7 * billion, 8, 38'500'000'000},
           {{2, 14}, 7 * billion, 8, 26'250'000'000},
           {{0, 16}, 7 * billion, 8, 14 * billion},
           {{0, 16}, 7 * billion, 16, 7 * billion},
           {{6, 12}, 1000, 1'000'000, 6012}},
          [](const Row& row, Number got) {
            const auto [a, b] = row.cost;
            if (got == a * row.elements + b * (row.elements / row.ranks))
              return ": Φ/N was rounded down; the fullest rank has one element more";
            return got < row.right ? ": deal out elements, then count bytes" : "";
          });
}

void all_ranks(lab::Check& check) {
  compare(check, "bytes_of_all()", student::bytes_of_all,
          {{{16, 0}, 5, 8, 640},
           {{4, 12}, 5, 8, 220},
           {{2, 14}, 5, 8, 150},
           {{0, 16}, 5, 8, 80},
           {{4, 12}, 5, 1, 80},
           {{0, 16}, 23, 3, 368},
           {{16, 0}, 175 * billion, 8, 22'400 * billion},
           {{0, 16}, 175 * billion, 8, 2'800 * billion},
           {{0, 16}, 175 * billion, 16, 2'800 * billion}},
          [](const Row& row, Number got) {
            return got < row.right ? ": all shards together are a whole copy, not an N-th of one"
                                   : ": shards are not padded, so nothing is rounded in their sum";
          });
}

void factor(lab::Check& check) {
  const auto ask = [&](const Cost& cost, Number ranks) {
    const auto [a, b] = cost;
    const Number less = (a + b) * ranks, more = a * ranks + b;
    const auto [up, down] = student::reduction(cost, ranks);
    check.expect(up * more == down * less, "reduction(), {}Φ + {}Φ/N, N = {}: {}/{} is not {}/{}",
                 a, b, ranks, up, down, less, more);
    check.expect(std::gcd(up, down) == 1, "reduction(), {}Φ + {}Φ/N, N = {}: {}/{} {}", a, b, ranks,
                 up, down, "can be cancelled further");
  };
  for (const Cost& adam : {Cost{4, 12}, {2, 14}, {0, 16}, {16, 0}}) {
    for (const Number ranks : std::initializer_list<Number>{8, 1, 3}) ask(adam, ranks);
  }
  std::mt19937_64 random(check.rank());
  for (int i = 0; i < 200; ++i) ask({random() % 20, random() % 20 + 1}, random() % 1000 + 1);

  const auto text = [](const std::optional<Fraction>& f) {
    return f ? fmt::format("{}/{}", f->numerator, f->denominator) : std::string("none");
  };
  for (const auto& [cost, right] :
       std::vector<std::pair<Cost, std::optional<Fraction>>>{{{4, 12}, Fraction{4, 1}},
                                                             {{2, 14}, Fraction{8, 1}},
                                                             {{16, 0}, Fraction{1, 1}},
                                                             {{5, 11}, Fraction{16, 5}},
                                                             {{6, 12}, Fraction{3, 1}},
                                                             {{0, 16}, std::nullopt}}) {
    const auto got = student::ceiling(cost);
    check.expect(got == right, "ceiling(), {}Φ + {}Φ/N: expected {}, got {}{}", cost.full,
                 cost.sharded, text(right), text(got),
                 cost.full == 0 ? ": a = 0 is a case of its own" : "");
  }
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 2, "five states of a unit, full or a shard", one_unit},
      {2, 2, "a and b, and 7 billion parameters", a_and_b},
      {2, 1, "all ranks together", all_ranks},
      {3, 2, "how many times less, and the ceiling", factor},
      {4, 2, "held as calculated, by the ledgers of all ranks", held},
      {5, 1, "measured, and back to a and b", measured},
  };
}
