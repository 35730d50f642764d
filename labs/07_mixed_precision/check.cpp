// Lab 07. Expected values are integers and powers of two, so that no rounding of the check's own
// comes in.
#include "check.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lab.hpp"
#include "meters.hpp"
#include "zerolab/core/random.hpp"
#include "zerolab/partition/optimizer.hpp"

namespace {

using lab::Check;
using student::LossScaler;
using zerolab::Buffer;
using zerolab::Category;
using zerolab::Half;
using zerolab::NumberType;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// --- Bytes -----------------------------------------------------------------------------------

using Bytes = std::array<std::size_t, 5>;
constexpr std::array<const char*, 5> states{"parameters", "gradients", "master weights", "momentum",
                                            "variance"};

void expect_bytes(Check& check, NumberType precision, std::size_t elements, const Bytes& expected) {
  const student::StateBytes got = student::state_bytes(precision, elements);
  const Bytes bytes{got.parameters, got.gradients, got.master, got.momentum, got.variance};
  for (std::size_t s = 0; s < states.size(); ++s) {
    check.expect(bytes[s] == expected[s], "{}, {} parameters, {}: expected {} bytes, got {}{}",
                 name(precision), elements, states[s], expected[s], bytes[s],
                 s != 2             ? ""
                 : expected[s] == 0 ? ": in fp32 the parameters are the master weights"
                                    : ": momentum and variance alone are 8 of Adam's 12 bytes");
  }
}

void bytes_of_states(Check& check) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}}) {
    expect_bytes(check, NumberType::fp16, n, {2 * n, 2 * n, 4 * n, 4 * n, 4 * n});
    expect_bytes(check, NumberType::bf16, n, {2 * n, 2 * n, 4 * n, 4 * n, 4 * n});
    expect_bytes(check, NumberType::fp32, n, {4 * n, 4 * n, 0, 4 * n, 4 * n});
  }
  constexpr std::size_t seven = 7'000'000'000;  // 14 + 14 + 3 · 28 = 112 GB
  expect_bytes(check, NumberType::fp16, seven,
               {2 * seven, 2 * seven, 4 * seven, 4 * seven, 4 * seven});

  // What the library's Adam holds for this rank's ragged shard, by its ledger.
  const std::size_t mine = zerolab::Shards{1003, check.ranks()}.size(check.rank());
  for (const NumberType type : {NumberType::fp16, NumberType::bf16, NumberType::fp32}) {
    zerolab::MemoryLedger ledger;
    zerolab::Trace trace;
    zerolab::Optimizer adam({}, trace);
    adam.add_unit(ledger, type, mine);
    const std::size_t working = width(type) * mine;
    expect_bytes(check, type, mine,
                 {working, working, ledger.line(Category::master).now,
                  ledger.line(Category::momentum).now, ledger.line(Category::variance).now});
  }
}

// --- The loss scale --------------------------------------------------------------------------

struct Row {
  bool skipped;
  double scale;  ///< after the step, as the two counts
  std::size_t updates_in_a_row, skips;
};

void follow(Check& check, LossScaler scaler, const std::vector<Row>& rows) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto& [skipped, scale, updates_in_a_row, skips] = rows[r];
    const LossScaler before = scaler;
    student::after_step(scaler, skipped);
    check.expect(
        scaler.scale == scale && scaler.updates_in_a_row == updates_in_a_row &&
            scaler.skips == skips,
        "step {} {}, growth interval {}, before it scale {}, {} updates in a row, {} skips: "
        "expected {}, {}, {}, got {}, {}, {}",
        r + 1, skipped ? "skipped" : "updates", before.growth_interval, before.scale,
        before.updates_in_a_row, before.skips, scale, updates_in_a_row, skips, scaler.scale,
        scaler.updates_in_a_row, scaler.skips);
  }
}

void scale_on_paper(Check& check) {
  constexpr bool skip = true, update = false;
  follow(check, {.scale = 4, .growth_interval = 3},
         {{update, 4, 1, 0},
          {update, 4, 2, 0},
          {update, 8, 0, 0},
          {update, 8, 1, 0},
          {update, 8, 2, 0},
          {skip, 4, 0, 1},
          {update, 4, 1, 1},
          {update, 4, 2, 1},
          {skip, 2, 0, 2},
          {skip, 1, 0, 3},
          {skip, 1, 0, 4},
          {update, 1, 1, 4},
          {update, 1, 2, 4},
          {update, 2, 0, 4}});
  follow(check, {.scale = 0x1p23, .growth_interval = 2},
         {{update, 0x1p23, 1, 0},
          {update, 0x1p24, 0, 0},
          {update, 0x1p24, 1, 0},
          {update, 0x1p24, 0, 0},
          {update, 0x1p24, 1, 0},
          {skip, 0x1p23, 0, 1}});
}

// --- Skip together ---------------------------------------------------------------------------

std::vector<Half> halves(const std::vector<float>& numbers) {
  std::vector<Half> result;
  for (const float x : numbers) result.push_back(zerolab::to_half(x));
  return result;
}

/// Every rank has its shard of n gradients, that of one rank ends with `value`. Returns whether
/// this rank asked the others once.
bool decide(Check& check, std::size_t n, std::size_t holder, float value) {
  const zerolab::Shards cut{n, check.ranks()};
  if (cut.size(holder) == 0) return true;
  std::vector<float> mine(cut.size(check.rank()), -65504.0F);
  const bool me = check.rank() == holder;
  if (me) mine.back() = value;
  lab::take_calls();
  const bool skips = student::must_skip(check.world(), halves(mine));
  const auto calls = lab::take_calls();
  check.expect(skips == !std::isfinite(value),
               "the last gradient of rank {}{} is {}, and this rank {}{}", holder,
               me ? " (this one)" : "", value, skips ? "skips" : "goes on",
               skips || me ? "" : ": skipped on one rank only, or on none");
  return check.ranks() == 1 ||
         (calls.size() == 1 && calls[0].function == "MPI_Allreduce" && calls[0].elements == 1);
}

void decide_together(Check& check) {
  bool asked = true;
  for (const std::size_t n : {check.ranks(), 3 * check.ranks() + 1, check.ranks() - 1}) {
    for (std::size_t holder = 0; holder < check.ranks(); ++holder) {
      for (const float value : {1.0F, 65504.0F, 0x1p-24F, infinity, -infinity, nan})
        asked &= decide(check, n, holder, value);
    }
  }
  check.expect(asked, "other calls of MPI than one MPI_Allreduce of one word");
}

// --- The mean --------------------------------------------------------------------------------

/// A finite fp16 number as a count of 2^-24.
std::int64_t units(Half h) {
  return static_cast<std::int64_t>(std::ldexp(zerolab::to_float(h), 24));
}

/// sum/ranks units as fp16, to nearest, of two the even one: found among all fp16 numbers.
Half nearest(std::int64_t sum, std::int64_t ranks) {
  const std::int64_t magnitude = std::abs(sum);
  std::uint16_t low = 0;  // the largest that is not above
  for (std::uint16_t bit = 0x4000; bit > 0; bit >>= 1U) {
    const auto next = static_cast<std::uint16_t>(low | bit);
    if (next <= 0x7BFF && units({next}) * ranks <= magnitude) low = next;
  }
  const std::int64_t below = magnitude - units({low}) * ranks;
  const std::int64_t above =
      units({std::min<std::uint16_t>(static_cast<std::uint16_t>(low + 1), 0x7BFF)}) * ranks -
      magnitude;
  const bool up = above >= 0 && (above < below || (above == below && low % 2 == 1));
  const auto bits = static_cast<std::uint16_t>(low + (up ? 1 : 0));
  return {static_cast<std::uint16_t>(bits | (sum < 0 ? 0x8000 : 0))};
}

/// What rank r brings; the first four can be followed on paper.
std::vector<float> gradients_of(std::size_t rank, std::size_t ranks) {
  const auto n = static_cast<float>(ranks);
  std::vector<float> g{40000, 0x1p-24F, static_cast<float>(2 * rank + 1),
                       rank == 0   ? n  // the mean: 1 + 2^-11 and a little, which rounds up
                       : rank == 1 ? n * 0x1p-11F
                       : rank == 2 ? 0x1p-24F
                                   : 0};
  for (std::uint64_t i = 0; i < 300; ++i)
    g.push_back(std::ldexp(zerolab::random_symmetric(rank, i), static_cast<int>(i % 40) - 25));
  return g;
}

std::string why_not_mean(float got, double expected, double sum) {
  return std::isinf(got) ? ": the sum of all ranks is too large for fp16, the mean is not"
         : got == static_cast<float>(sum) && sum != expected ? ": that is a sum, not a mean"
         : got == 0 ? ": divided before the sum, where a share rounds to nothing"
         : got == zerolab::to_float(zerolab::to_half(static_cast<float>(expected)))
             ? ": rounded twice, by way of a float"
             : "";
}

void mean_over_ranks(Check& check) {
  const std::size_t ranks = check.ranks();
  std::vector<std::vector<Half>> all;
  for (std::size_t r = 0; r < ranks; ++r) all.push_back(halves(gradients_of(r, ranks)));
  for (const std::size_t n : {all[0].size(), std::size_t{1}, std::size_t{0}}) {
    std::vector<Half> got(all[check.rank()].begin(),
                          all[check.rank()].begin() + static_cast<std::ptrdiff_t>(n));
    lab::take_calls();
    student::average(check.world(), got);
    std::size_t bytes = 0;
    for (const lab::Call& call : lab::take_calls()) bytes += call.bytes;
    check.expect(bytes <= sizeof(double) * n,
                 "{} gradients: {} bytes went to MPI, more than 8 each", n, bytes);
    for (std::size_t i = 0; i < n; ++i) {
      std::int64_t sum = 0;
      std::vector<float> terms;
      for (const auto& g : all) {
        sum += units(g[i]);
        terms.push_back(zerolab::to_float(g[i]));
      }
      const auto count = static_cast<std::int64_t>(ranks);
      const float expected = zerolab::to_float(nearest(sum, count)),
                  mean = zerolab::to_float(got[i]);
      check.expect(
          mean == expected, "the mean of {}: expected {}, got {}{}", fmt::join(terms, ", "),
          expected, mean,
          why_not_mean(mean, std::ldexp(static_cast<double>(sum) / static_cast<double>(ranks), -24),
                       std::ldexp(static_cast<double>(sum), -24)));
    }
  }
  std::vector<Half> last = halves({check.rank() + 1 == ranks ? infinity : 1, 1});
  student::average(check.world(), last);
  check.expect(zerolab::to_float(last[0]) == infinity && zerolab::to_float(last[1]) == 1,
               "the last rank brings inf and 1, the others ones: expected inf and 1, got {} and {}",
               zerolab::to_float(last[0]), zerolab::to_float(last[1]));
}

// --- Updates ---------------------------------------------------------------------------------

/// Numbers of a type, in a ledger of nobody's.
struct Typed {
  zerolab::MemoryLedger ledger;
  Buffer buffer;

  Typed(NumberType type, const std::vector<float>& from)
      : buffer(ledger, Category::parameters, type, from.size()) {
    narrow(std::span<const float>(from), buffer);
  }
  std::vector<float> floats() const {
    std::vector<float> result(buffer.size());
    widen(buffer, std::span<float>(result));
    return result;
  }
};

struct Limit {
  NumberType type;
  float first;  ///< from here on the type's numbers lie 2 apart, and first + 1 rounds to first
};
constexpr std::array limits{Limit{NumberType::fp16, 2048}, Limit{NumberType::bf16, 256},
                            Limit{NumberType::fp32, 0x1p24F}};

/// θ = first − i grows by one each step, which the gradient −S says at rate 1.
void count_without_master(Check& check, Limit limit, std::size_t n) {
  constexpr std::size_t steps = 12;
  constexpr float scale = 8;
  std::vector<float> start;
  for (std::size_t i = 0; i < n; ++i) start.push_back(limit.first - static_cast<float>(i));
  Typed theta(limit.type, start);
  const Typed g(limit.type, std::vector<float>(n, -scale));
  std::size_t lost = 0, expected_lost = 0;
  for (std::size_t s = 0; s < steps; ++s)
    lost += student::update_without_master(theta.buffer, g.buffer, 1, scale);
  for (std::size_t i = 0; i < n; ++i) {
    const float expected = std::min(limit.first, start[i] + steps), got = theta.floats()[i];
    expected_lost += steps - std::min(i, steps);
    check.expect(got == expected, "{} without master, {} + 1, {} times: expected {}, got {}{}",
                 name(limit.type), start[i], steps, expected, got,
                 got > expected ? ": the gradient still carries the loss scale" : "");
  }
  check.equal(
      expected_lost, lost,
      fmt::format("{} without master, {} parameters up to {}, {} steps of + 1, updates lost",
                  name(limit.type), n, limit.first, steps));
}

void count_with_master(Check& check, Limit limit, std::size_t n) {
  constexpr std::size_t steps = 12;
  constexpr float scale = 8;
  std::vector<float> master;
  for (std::size_t i = 0; i < n; ++i) master.push_back(limit.first - static_cast<float>(i));
  const std::vector<float> start = master;
  Typed theta(limit.type, start);
  const Typed g(limit.type, std::vector<float>(n, -scale));
  std::size_t lost = 0;
  for (std::size_t s = 0; s < steps; ++s)
    lost += student::update_with_master(master, theta.buffer, g.buffer, 1, scale);
  for (std::size_t i = 0; i < n; ++i) {
    const float expected = start[i] + steps;
    check.expect(master[i] == expected, "{}, master weight {} + 1, {} times: expected {}, got {}{}",
                 name(limit.type), start[i], steps, expected, master[i],
                 master[i] <= limit.first + 1 ? ": it was read back from the rounded parameter"
                 : master[i] > expected       ? ": the gradient still carries the loss scale"
                                              : "");
    const float rounded = Typed(limit.type, {expected}).floats()[0];
    check.expect(theta.floats()[i] == rounded,
                 "{}, master weight {}: the parameter rounds to {}, got {}", name(limit.type),
                 expected, rounded, theta.floats()[i]);
  }
  check.equal(std::size_t{0}, lost, fmt::format("{} with master, updates lost", name(limit.type)));
}

void small_updates(Check& check) {
  // 128 updates of 2^-13: together 2^-6, each less than half a step of bf16 or fp16 below 1.
  for (const NumberType type : {NumberType::bf16, NumberType::fp16}) {
    Typed bare(type, {1}), rounded(type, {1});
    std::vector<float> master{1};
    std::size_t lost = 0;
    for (int s = 0; s < 128; ++s) {
      lost += student::update_without_master(bare.buffer, Typed(type, {4}).buffer, 0x1p-13F, 4);
      student::update_with_master(master, rounded.buffer, Typed(type, {4}).buffer, 0x1p-13F, 4);
    }
    check.expect(bare.floats()[0] == 1 && lost == 128,
                 "{} without master, 1 − 2^-13, 128 times: expected 1, 128 lost, got {}, {} lost",
                 name(type), bare.floats()[0], lost);
    check.expect(
        master[0] == 1 - 0x1p-6F && rounded.floats()[0] == 1 - 0x1p-6F,
        "{} with master, 1 − 2^-13, 128 times: expected {} twice, got master {}, parameter {}",
        name(type), 1 - 0x1p-6F, master[0], rounded.floats()[0]);
  }
}

void rounded_once(Check& check) {
  // 2^-24 is the smallest fp16 number; divided by S it is none any more.
  std::vector<float> master{0};
  Typed parameter(NumberType::fp16, {0});
  student::update_with_master(master, parameter.buffer, Typed(NumberType::fp16, {0x1p-24F}).buffer,
                              1, 0x1p16F);
  check.expect(master[0] == -0x1p-40F, "g = 2^-24, S = 2^16, from 0: expected −2^-40, got {}{}",
               master[0], master[0] == 0 ? ": the unscaled gradient was rounded to fp16" : "");
  // 1 + 2^-11 + 2^-23 lies just above half-way; without its last digit it is half-way.
  Typed bare(NumberType::fp16, {1});
  student::update_without_master(bare.buffer, Typed(NumberType::fp16, {-0x1p-11F}).buffer,
                                 1 + 0x1p-12F, 1);
  check.expect(bare.floats()[0] == 1 + 0x1p-10F,
               "θ = 1, η g = −2^-11 − 2^-23: expected 1 + 2^-10, got {}{}", bare.floats()[0],
               bare.floats()[0] == 1 ? ": η g was rounded to fp16, then θ again" : "");
}

/// A gradient of zero has nothing to lose.
void no_update(Check& check) {
  for (const Limit limit : limits) {
    Typed theta(limit.type, {1, 0});
    std::vector<float> master{1, 0};
    const Typed g(limit.type, {0.0F, -0.0F});
    const std::size_t bare = student::update_without_master(theta.buffer, g.buffer, 1, 8);
    check.equal(std::size_t{0}, bare,
                fmt::format("{} without master, g = 0 and −0, updates lost", name(limit.type)));
    const std::size_t kept = student::update_with_master(master, theta.buffer, g.buffer, 1, 8);
    check.equal(std::size_t{0}, kept,
                fmt::format("{} with master, g = 0 and −0, updates lost", name(limit.type)));
  }
}

void updates(Check& check) {
  for (const std::size_t all : {std::size_t{23}, check.ranks() - 1}) {
    const std::size_t n = zerolab::Shards{all, check.ranks()}.size(check.rank());
    for (const Limit limit : limits) count_without_master(check, limit, n);
    for (const Limit limit : {limits[0], limits[1]}) count_with_master(check, limit, n);
  }
  small_updates(check);
  rounded_once(check);
  no_update(check);
}

// --- Variance --------------------------------------------------------------------------------

void variances(Check& check) {
  constexpr float beta2 = 1 - 0x1p-10F;
  const zerolab::Shards cut{20, check.ranks()};
  const std::size_t n = cut.size(check.rank());
  for (const NumberType type : {NumberType::fp16, NumberType::bf16, NumberType::fp32}) {
    std::vector<float> g;
    std::size_t vanish = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto exponent = static_cast<int>(cut.first(check.rank()) + i);
      g.push_back(std::ldexp(i % 2 == 0 ? 1.0F : -1.0F, -exponent));
      vanish += type == NumberType::fp16 && 2 * exponent + 10 > 24;
    }
    Typed v(type, std::vector<float>(n));
    const std::size_t lost = student::update_variance(v.buffer, g, beta2);
    for (std::size_t i = 0; i < n; ++i) {
      const float expected =
          type == NumberType::fp16 && std::abs(g[i]) < 0x1p-7F ? 0 : g[i] * g[i] * 0x1p-10F;
      check.expect(v.floats()[i] == expected,
                   "{}, g = {}, v from 0 with β₂ = 1 − 2^-10: expected {}, got {}", name(type),
                   g[i], expected, v.floats()[i]);
    }
    check.equal(
        vanish, lost,
        fmt::format("{}, {} gradients that are not zero, variances that are", name(type), n));
    Typed zero(type, {0});
    check.equal(std::size_t{0}, student::update_variance(zero.buffer, std::array{0.0F}, beta2),
                fmt::format("{}, v from 0, g = 0, variances lost", name(type)));
    // The same forgetting: in bf16 1 − 2^-10 rounds to 1, for ever.
    Typed one(type, {1});
    student::update_variance(one.buffer, std::array{0.0F}, beta2);
    check.equal(type == NumberType::bf16 ? 1 : beta2, one.floats()[0],
                fmt::format("{}, v from 1, g = 0", name(type)));
  }
  // Half of v is 1/2 + 2^-24. Of the square, 1 + 2^-11 + 2^-24, fp32 drops the last digit, which a
  // double keeps; with half of it the sum is above half-way and rounds up.
  Typed wide(NumberType::fp32, {1 + 0x1p-23F});
  student::update_variance(wide.buffer, std::array{1 + 0x1p-12F}, 0.5F);
  check.expect(wide.floats()[0] == 1 + 0x1p-12F,
               "fp32, v from 1 + 2^-23, g = 1 + 2^-12, β₂ = 1/2: expected 1 + 2^-12, got {:a}{}",
               wide.floats()[0],
               wide.floats()[0] > 1 + 0x1p-12F ? ": each operation is to be rounded to fp32" : "");
}

// --- A whole step ----------------------------------------------------------------------------

void steps(Check& check) {
  const std::vector<bool> overflows{false, false, true, false, true,
                                    false, false, true, true,  false};
  const std::vector<double> scales{8, 8, 16, 8, 8, 4, 4, 8, 4, 2};  // that step s runs with
  constexpr float first = 100;
  student::Replica replica{
      {first, first}, halves({first, first}), {.scale = 8, .growth_interval = 2}};
  const auto ranks = static_cast<float>(check.ranks());
  float expected = first;
  for (std::size_t s = 0; s < overflows.size(); ++s) {
    check.expect(replica.scaler.scale == scales[s], "loss scale of step {}: expected {}, got {}{}",
                 s + 1, scales[s], replica.scaler.scale,
                 s == 1 && replica.scaler.scale > scales[s]
                     ? ": the scaler was told of the step before twice"
                     : "");
    // 1, 3, 5 … N numbers whose mean is N; one rank alone overflows in the second element.
    const float mine = static_cast<float>(2 * check.rank() + 1) * static_cast<float>(scales[s]);
    const bool mine_overflows = overflows[s] && s % check.ranks() == check.rank();
    std::vector<Half> gradients = halves({mine, mine_overflows ? nan : mine});
    const bool skipped = student::train_step(check.world(), replica, gradients, 1);
    check.expect(skipped == overflows[s], "step {}, rank {} {}: this rank {}", s + 1,
                 s % check.ranks(), overflows[s] ? "overflows" : "is as the others",
                 skipped ? "skipped" : "went on");
    if (!overflows[s]) expected -= ranks;
    const float alone =
        static_cast<float>(2 * check.rank() + 1);  // what this rank's own step takes
    for (std::size_t i = 0; i < 2; ++i) {
      const float master = replica.master[i], parameter = zerolab::to_float(replica.parameters[i]);
      check.expect(
          master == expected && parameter == expected,
          "after step {} ({}), element {}: expected {}, got master {}, parameter {}{}", s + 1,
          overflows[s] ? "skipped" : "update", i, expected, master, parameter,
          !overflows[s] && alone != ranks && master == expected + ranks - alone
              ? ": this rank's own gradient, not the mean"
          : !overflows[s] && master == expected - ranks     ? ": unscaled by the next step's scale"
          : !overflows[s] && master == expected + ranks / 2 ? ": unscaled by the next step's scale"
          : overflows[s] && master != expected              ? ": a skipped step changes nothing"
                                                            : "");
    }
  }
  check.equal(std::size_t{4}, replica.scaler.skips, "skipped steps");
}

}  // namespace

std::vector<lab::Task> lab::tasks() {
  return {
      {1, 1, "bytes of the model states", bytes_of_states},
      {1, 2, "the loss scale on paper", scale_on_paper},
      {3, 2, "skip together", decide_together},
      {2, 1, "the mean over ranks", mean_over_ranks},
      {3, 2, "updates with and without master weights", updates},
      {3, 1, "variance in 16 bits", variances},
      {5, 1, "a whole step", steps},
  };
}
