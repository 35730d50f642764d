// What plan time prints.
#include "plan_output.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/quantity.hpp"

namespace zerolab {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string heading(const TimeCase& all) {
  if (!all.directions) return "C and B are taken as counted alike, in one direction or in both";
  if (*all.directions == Directions::one) {
    return "One direction: C is what a rank sends, B the bandwidth of each direction";
  }
  return "Both directions: C is what a rank sends and receives, B both directions' together";
}

std::string stage_of(const TimedBytes& line) {
  return line.stage ? std::to_string(*line.stage) : "-";
}

std::string times_table(const TimeCase& all) {
  Rows rows{{"stage", "counted", "C, bytes", "c, seconds", "t/(t+c)", "t/max(t, c)"}};
  for (const TimedBytes& line : all.lines) {
    rows.push_back({stage_of(line), line.counted, bytes_text(line.bytes),
                    decimal(line.timing.seconds), percent(line.timing.none.efficiency),
                    percent(line.timing.full.efficiency)});
  }
  return table(rows);
}

/// Bytes a second, with an exponent above 10^18, the most that an option takes.
std::string bandwidth_text(const Fraction& bandwidth) {
  if (bandwidth <= Fraction(largest_quantity)) return bytes_text(bandwidth);
  return fmt::format("{:.6g}", bandwidth.approximate());
}

std::string needed_table(const TimeCase& all, const PlanOptions& o) {
  Rows rows{{"stage", "counted", "without overlap", "× B", "with full overlap", "× B"}};
  for (const TimedBytes& line : all.lines) {
    rows.push_back({stage_of(line), line.counted});
    for (const auto& needed : {line.timing.none.bandwidth, line.timing.full.bandwidth}) {
      const bool some = needed && !needed->zero();
      rows.back().push_back(some ? bandwidth_text(*needed) : needed ? "any" : "none is enough");
      rows.back().push_back(some ? multiple(*needed / Fraction(o.bandwidth)) : "-");
    }
  }
  return fmt::format("  Bandwidth for an efficiency of {} %, bytes/s\n",
                     rounded(*o.target * Fraction(100), 18)) +
         table(rows);
}

/// Where seconds cut to hundredths, as one does by hand, move the last digit of a per mille. From
/// 10 000 s on not even the exact figure is shown to hundredths.
std::string rounding_note(const Timing& timing, const Fraction& t) {
  const Fraction by_hand = cut(timing.seconds, 2), sum = t + by_hand;
  if (by_hand.zero() || by_hand >= Fraction(10'000) || !timing.none.efficiency) return "";
  const std::string exact = percent(timing.none.efficiency, 1), read = percent(t / sum, 1);
  if (exact == read) return "";
  return fmt::format("  with c cut to {} s instead of {} s, t/(t+c) reads {} instead of {}\n",
                     rounded(by_hand, 2), decimal(timing.seconds), read, exact);
}

/// The notes on a case that `before` has not got.
std::string rounding_notes(const TimeCase& all, const Fraction& t, const std::string& before) {
  std::string notes;
  for (const TimedBytes& line : all.lines) {
    const std::string note = rounding_note(line.timing, t);
    if ((before + notes).find(note) == std::string::npos) notes += note;
  }
  return notes;
}

}  // namespace

std::string time_text(const PlanOptions& o, const std::vector<TimeCase>& cases) {
  std::string text = o.volume ? "" : joined(describe(o, false));
  std::vector<std::string> words{fmt::format("B = {} bytes/s", spaced(o.bandwidth)),
                                 fmt::format("t = {} s of computation", rounded(o.compute, 18)),
                                 "c = C/B"};
  text += joined(words);
  text +=
      "Efficiency: t/(t+c) where nothing overlaps (the documents'), t/max(t, c) where all does\n";
  for (const TimeCase& all : cases) {
    text += "\n" + heading(all) + "\n" + times_table(all);
    text += rounding_notes(all, o.compute, text);
    if (o.target) text += needed_table(all, o);
  }
  return text;
}

}  // namespace zerolab
