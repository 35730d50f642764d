// What plan memory and plan traffic print.
#include "plan_output.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/options.hpp"

namespace zerolab {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr Whole gigabyte = 1'000'000'000, gibibyte = Whole{1} << 30;

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Parts of the state by stage; a row for the other ranks where some have less.
std::string states_table(const std::vector<StageMemory>& stages, bool uneven) {
  Rows rows{{""}};
  for (const StageMemory::Line& line : stages[0].lines) {
    rows.push_back({std::string(name(line.category))});
  }
  rows.push_back({"sum"});
  rows.push_back({"optimizer"});
  if (uneven) rows.push_back({"elsewhere"});
  if (stages[0].buffer) rows.push_back({"buffer"});
  for (const StageMemory& stage : stages) {
    std::vector<std::string> column{fmt::format("stage {}", stage.stage)};
    for (const StageMemory::Line& line : stage.lines) column.push_back(spaced(line.bytes));
    column.push_back(spaced(stage.bytes));
    column.push_back(spaced(stage.optimizer_bytes()));
    if (uneven) column.push_back(spaced(stage.bytes_elsewhere));
    if (stage.buffer) column.push_back(spaced(*stage.buffer));
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r].push_back(column[r]);
  }
  return table(rows);
}

std::string who_holds_what(const PlanOptions& o) {
  const Whole more = o.model.parameters % o.ranks, least = o.model.parameters / o.ranks;
  return fmt::format(
      "  N does not divide Φ. Elements of a shard: {} on {}, the fullest;\n    {} on {}, "
      "elsewhere\n",
      spaced(least + 1), ranks_of(more), spaced(least), ranks_of(o.ranks - more));
}

struct CollectiveLine {
  const char *name, *before, *after;
  std::size_t UnitCalls::*calls;
};

/// Exercise 1.2: what each collective turns what into, and how often the stages use it.
std::string collectives_table(const std::vector<StageTraffic>& stages) {
  constexpr std::array lines{
      CollectiveLine{"all-reduce", "its own gradient", "the full average", &UnitCalls::all_reduce},
      CollectiveLine{"reduce-scatter", "its own gradient", "its shard of the average",
                     &UnitCalls::reduce_scatter},
      CollectiveLine{"all-gather", "its shard of parameters", "the full parameters",
                     &UnitCalls::all_gather}};
  Rows rows{{"collective", "each rank brings", "and ends with"}};
  for (const StageTraffic& s : stages) {
    rows[0].push_back((s.stage == 0 ? "stage " : "") + std::to_string(s.stage));
  }
  for (const CollectiveLine& line : lines) {
    rows.push_back({line.name, line.before, line.after});
    for (const StageTraffic& s : stages) {
      const std::size_t calls = s.calls.*line.calls;
      rows.back().push_back(calls == 0 ? "-" : grouped(calls));
    }
  }
  return "Collectives, and how often a step has each for every unit\n" + table(rows);
}

/// One convention: multiples, bytes and the ratio to stage 0.
std::string convention_table(const std::vector<StageTraffic>& stages, std::size_t Volume::*times,
                             Fraction StageTraffic::*bytes,
                             std::optional<Fraction> StageTraffic::*ratio) {
  Rows rows{{"stage", "×", "one direction", "both directions", "to stage 0"}};
  for (const StageTraffic& s : stages) {
    rows.push_back({std::to_string(s.stage), grouped(s.times.*times), bytes_text(s.*bytes),
                    bytes_text(Fraction(2) * s.*bytes), s.*ratio ? decimal(*(s.*ratio)) : "-"});
  }
  return table(rows);
}

/// Where doubling a figure rounded to hundredths gives another one than rounding the double; from
/// 1000 TB on nobody writes hundredths.
std::string rounding_note(const StageTraffic& s) {
  Whole unit = 1'000'000'000'000;
  if (s.payload >= Fraction(1000 * unit)) return "";
  for (const std::string_view name : {"TB", "GB", "MB"}) {
    if (const Fraction one = s.payload / Fraction(unit), both = Fraction(2) * one;
        both >= Fraction(1)) {
      const Fraction near = cut(one + Fraction(1, 200), 2), twice = Fraction(2) * near;
      if (rounded(both, 2) == rounded(twice, 2)) return "";
      return fmt::format(
          "  stage {}: rounded before it is doubled, 2 × {} = {} {}; exactly {} {}\n", s.stage,
          rounded(near, 2), rounded(twice, 2), name, decimal(both, 8), name);
    }
    unit /= 1000;
  }
  return "";
}

}  // namespace

std::string memory_text(const PlanOptions& o, const std::vector<StageMemory>& stages) {
  const bool uneven = o.model.parameters % o.ranks != 0;
  std::string text = joined(describe(o, true)) + lines_of(source_of(o.model.layout)) +
                     "\nModel state of " + (uneven ? "the fullest" : "a") +
                     " rank, bytes (optimizer: master, momentum and variance together)\n" +
                     states_table(stages, uneven);
  if (uneven) text += who_holds_what(o);
  if (stages[0].buffer) {
    text +=
        fmt::format("  buffer: beside it for a while, {} elements, gathered or not yet summed\n",
                    spaced(*o.model.largest_unit));
  }
  Rows sums{{"stage", "formula", "GB", "GiB", "all ranks, bytes"}};
  Rows factors{{"stage", "times less", "here", "in decimals", "ceiling"}};
  for (const StageMemory& s : stages) {
    const std::string stage = std::to_string(s.stage);
    sums.push_back({stage, formula(s.per_element), decimal(Fraction(s.bytes, gigabyte)),
                    decimal(Fraction(s.bytes, gibibyte)), spaced(s.bytes_of_all)});
    const Fraction factor = reduction(s.per_element, o.ranks);
    const auto most = ceiling(s.per_element);
    factors.push_back({stage, reduction_formula(s.per_element), zerolab::text(factor),
                       decimal(factor, 10), most ? decimal(*most, 4) : "no ceiling"});
  }
  return text + "\nThe sum in GB (10^9) and GiB (2^30), and over all ranks\n" + table(sums) +
         "\nHow many times less than on one rank, (a+b)N/(aN+b) for aΦ+bΦ/N\n" + table(factors);
}

std::string traffic_text(const PlanOptions& o, const std::vector<StageTraffic>& stages) {
  const Fraction elements = Fraction(o.model.parameters, o.ranks) * Fraction(o.ranks - 1);
  std::string text = joined(describe(o, false));
  text += fmt::format("Of a rank and step; ×: Φ(N−1)/N elements of {} bytes\nΦ(N−1)/N = {}\n",
                      width(o.model.job.precision),
                      elements.whole() ? spaced(elements.numerator()) : zerolab::text(elements));
  text += "\nPayload convention (the documents): every collective counts once; bytes\n" +
          convention_table(stages, &Volume::payload, &StageTraffic::payload,
                           &StageTraffic::payload_ratio);
  std::string notes;
  for (const StageTraffic& s : stages) notes += rounding_note(s);
  text += notes +
          "\nWire convention (the ZeRO paper): an all-reduce counts as its two halves; bytes\n" +
          convention_table(stages, &Volume::wire, &StageTraffic::wire, &StageTraffic::wire_ratio);
  if (!elements.whole()) text += "  what is not whole is rounded up; --json has the fractions\n";
  return text + "\n" + collectives_table(stages);
}

}  // namespace zerolab
