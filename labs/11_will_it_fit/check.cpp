#include "check.hpp"

#include <bit>
#include <random>

#include "expected.hpp"

namespace {

void states(lab::Check& check) {
  const auto ask = [&](int stage, Number parameters, Number ranks, Number right,
                       const char* whose) {
    const Number got = student::state_bytes(stage, parameters, ranks);
    check.expect(got == right, "stage {}, Φ = {}, N = {}: {} {} bytes, got {}{}", stage, parameters,
                 ranks, whose, right, got,
                 got < right && right - got < 16 ? ": the fullest rank has ⌈Φ/N⌉ elements" : "");
  };
  struct Row {
    Number parameters, ranks;
    std::array<Number, 4> right;
  };
  for (const auto& [parameters, ranks, right] :
       {Row{5, 3, {80, 44, 38, 32}},
        {1, 10, {16, 16, 16, 16}},
        {40 * GB, 8, {640 * GB, 220 * GB, 150 * GB, 80 * GB}},
        {huge, 2, {16 * huge, 10 * huge, 9 * huge, 8 * huge}}}) {
    for (int stage = 0; stage < 4; ++stage)
      ask(stage, parameters, ranks, right[static_cast<std::size_t>(stage)], "expected");
  }
  for (int stage = 0; stage < 4; ++stage) {
    for (Number parameters = 1; parameters <= 12; ++parameters)
      ask(stage, parameters, check.ranks(), measured(check, stage, parameters), "measured");
  }
}

void fitting(lab::Check& check) {
  const auto ask = [&](int stage, const Need& need, Number ranks, bool right, const char* why) {
    const bool got = student::fits(stage, need, ranks);
    check.expect(got == right, "fits(), stage {}, {}, N = {}: expected {}, got {}: {}", stage,
                 text(need), ranks, right, got, why);
  };
  ask(3, {5, 40, 8}, 3, true, "32 + 8 bytes are just 40");
  ask(3, {5, 32, 8}, 3, false, "activations need room beside the states");
  ask(3, {5, 39, 8}, 3, false, "32 + 8 bytes are more than 39");
  ask(3, {1, 10, 26}, 1, false, "activations alone are too much");
  for (int stage = 0; stage < 4; ++stage) ask(stage, forty, 8, false, "60 GB are left for states");
  ask(3, forty, 16, true, "40 + 20 GB");
  ask(0, {huge, huge, 0}, 1, false, "16Φ is more than a signed 64-bit number holds");
  ask(3, {huge, 16, 0}, huge, true, "one element a rank; N·16Φ is more than 64 bits hold");
  ask(1, {5 * GB, 4 * GB, 0}, huge, false, "4Φ stays on every rank");
  for (int stage = 0; stage < 4; ++stage) {
    for (Number parameters = 1; parameters <= 12; ++parameters) {
      const Number held = measured(check, stage, parameters), beside = 7 * parameters;
      ask(stage, {parameters, held + beside, beside}, check.ranks(), true, "measured: just enough");
      ask(stage, {parameters, held + beside - 1, beside}, check.ranks(), false,
          "measured: a byte too little");
    }
  }
}

using Ask = Maybe (*)(int, const Need&);
constexpr std::pair<const char*, Ask> smallest{"smallest_ranks()", student::smallest_ranks};
constexpr std::pair<const char*, Ask> power{"smallest_power_of_two()",
                                            student::smallest_power_of_two};

/// Right is an N on which it fits, and not with fewer; none, if one element a rank is too much.
void minimal(lab::Check& check, const std::pair<const char*, Ask>& function, int stage,
             const Need& need) {
  const auto fit = [&](Number ranks) { return needed(stage, need, ranks) <= need.memory; };
  const auto& [what, ask] = function;
  const Maybe got = ask(stage, need);
  if (!got) {
    check.expect(!fit(need.parameters), "{}, stage {}, {}: got none, and it fits on N = {}", what,
                 stage, text(need), need.parameters);
    return;
  }
  check.expect(*got > 0 && fit(*got), "{}, stage {}, {}: got N = {}, where it does not fit{}", what,
               stage, text(need), *got, fit(need.parameters) ? "" : ", and no other would do");
  const bool of_two = function == power;
  check.expect(!of_two || std::has_single_bit(*got), "{}: {} is no power of two", what, *got);
  const Number fewer = of_two ? *got / 2 : *got - 1;
  check.expect(fewer == 0 || *got == 0 || !fit(fewer),
               "{}, stage {}, {}: got N = {}, and it fits on {}", what, stage, text(need), *got,
               fewer);
}

void enough_ranks(lab::Check& check) {
  struct Row {
    int stage;
    Need need;
    Maybe least, of_two;
  };
  for (const auto& [stage, need, least, of_two] : {Row{3, {5, 48, 8}, 3, 4},
                                                   {3, {5, 80, 0}, 1, 1},
                                                   {3, {5, 15, 0}, {}, {}},
                                                   {1, {5, 44, 0}, 3, 4},
                                                   {1, {5, 20, 0}, {}, {}},
                                                   {0, {5, 80, 0}, 1, 1},
                                                   {0, {5, 79, 0}, {}, {}},
                                                   {2, {5, 30, 31}, {}, {}},
                                                   {3, forty, 11, 16},
                                                   {3, {40 * GB, 80 * GB, 5 * GB}, 9, 16},
                                                   {3, {huge, 16, 0}, huge, Number{1} << 60}}) {
    for (const auto& [function, right] : {std::pair{smallest, least}, {power, of_two}}) {
      const auto& [what, ask] = function;
      minimal(check, function, stage, need);
      const Maybe got = ask(stage, need);
      check.expect(got == right, "{}, stage {}, {}: expected {}, got {}", what, stage, text(need),
                   text(right), text(got));
    }
  }
  std::mt19937_64 random(check.rank());  // every rank asks for others
  for (int i = 0; i < 4000; ++i) {
    const Number most = i % 2 == 0 ? 40 : huge / 25, parameters = random() % most + 1;
    const Number memory = 18 * parameters >> random() % 12;
    const Need need{parameters, memory, random() % (memory + memory / 8 + 2)};
    for (const auto& function : {smallest, power}) minimal(check, function, i % 4, need);
  }
}

void recommended(lab::Check& check) {
  struct Row {
    Need need;
    Number ranks;
    std::optional<int> right;
  };
  for (const auto& [need, ranks, right] : {Row{{5, 80, 0}, 3, 0},
                                           {{5, 79, 0}, 3, 1},
                                           {{5, 43, 0}, 3, 2},
                                           {{5, 38, 1}, 3, 3},
                                           {{5, 32, 0}, 3, 3},
                                           {{5, 31, 0}, 3, {}},
                                           {{5, 79, 0}, 1, {}},
                                           {{GB, 80 * GB, 0}, 8, 0},
                                           {{7 * GB, 80 * GB, 0}, 8, 1},
                                           {forty, 8, {}},
                                           {forty, 16, 3}}) {
    const std::optional<int> got = student::recommend(need, ranks);
    const bool dearer = got && right && *got > *right;
    check.expect(got == right, "recommend(), {}, N = {}: expected {}, got {}{}", text(need), ranks,
                 right ? fmt::format("stage {}", *right) : "none",
                 got ? fmt::format("stage {}", *got) : "none",
                 dearer ? ": a lower stage fits, and sends no more" : "");
  }
}

void segments(lab::Check& check) {
  for (const auto& [units, cut, bytes, right] : {std::array<Number, 4>{16, 1, 5, 85},
                                                 {16, 4, 5, 40},
                                                 {16, 16, 5, 85},
                                                 {10, 3, 1, 7},
                                                 {64, 8, 312'500'000, 5 * GB}}) {
    const Number got = student::recomputed_bytes(units, cut, bytes);
    check.expect(got == right, "{} units of {} bytes in {} segments: expected {}, got {}{}", units,
                 bytes, cut, right, got,
                 got + bytes == right ? ": the longest segment has ⌈units/segments⌉" : "");
  }
  // Bytes of s segments are those of s + ⌈L/s⌉ units, and the least of it is ⌈2√L⌉.
  for (const Number units : std::initializer_list<Number>{16, 10, 64, 1, 2, 3, 7, 1000, 999'999}) {
    const auto kept = [&](Number s) { return s + (units + s - 1) / s; };
    const Number s = student::best_segments(units);
    if (!check.expect(s > 0 && s <= units, "best_segments({}): got {}", units, s)) continue;
    check.expect((kept(s) - 1) * (kept(s) - 1) < 4 * units,
                 "best_segments({}): {} keep {} units, and less can be done", units, s, kept(s));
    for (Number fewer = 1; fewer < s; ++fewer) {
      check.expect(kept(fewer) > kept(s), "best_segments({}): {} segments do what {} do", units,
                   fewer, s);
    }
  }
}

void helping(lab::Check& check) {
  struct Row {
    const char* about;
    Need need;
    Number ranks, recomputed;
    student::Remedies right;
  };
  for (const auto& [about, need, ranks, recomputed, right] :
       {Row{"exercise 4.1", forty, 8, 5 * GB, {false, 16, 16, true}},
        {"states fit, activations do not",
         {GB, 80 * GB, 100 * GB},
         8,
         25 * GB,
         {true, {}, 1, false}},
        {"5 elements", {5, 30, 4}, 1, 2, {false, 8, 8, true}},
        {"5 elements, 50 bytes beside", {5, 60, 50}, 2, 12, {true, {}, 2, false}},
        {"nothing helps", {5, 15, 16}, 8, 8, {false, {}, {}, false}},
        {"one rank", {5, 60, 35}, 1, 20, {false, 8, 4, true}}}) {
    const student::Remedies got = student::remedies(need, ranks, recomputed);
    const std::string asked =
        fmt::format("remedies(), {}: {}, {} of them when recomputed, N = {}: ", about, text(need),
                    recomputed, ranks);
    check.equal(right.recompute, got.recompute, asked + "recompute");
    check.equal(text(right.ranks), text(got.ranks), asked + "ranks");
    check.equal(text(right.ranks_recomputing), text(got.ranks_recomputing),
                asked + "ranks_recomputing");
    check.equal(right.offload, got.offload, asked + "offload");
  }
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 1, "bytes of the fullest rank", states},
      {2, 2, "fits, to the byte", fitting},
      {3, 3, "enough ranks and not one more", enough_ranks, 10},
      {3, 1, "which stage", recommended},
      {4, 1, "activations recomputed in segments", segments},
      {5, 2, "what helps where nothing fits", helping},
  };
}
