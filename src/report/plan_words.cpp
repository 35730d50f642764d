// Words and figures that the texts of plan share.
#include "plan_output.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/options.hpp"

namespace zerolab {

std::string ranks_of(Whole number) {
  return spaced(number) + (number == 1 ? " rank" : " ranks");
}

std::string bytes_text(const Fraction& bytes) {
  return spaced(bytes.rounded_up());
}

std::string percent(const std::optional<Fraction>& share, int places) {
  if (!share) return "-";
  const Fraction hundreds = *share * Fraction(100);
  const std::string text = rounded(hundreds, places);
  if (text == "100" && !hundreds.whole()) return "> " + cut_off(hundreds, places) + " %";
  return (text == "0" && !share->zero() ? "> 0" : text) + " %";
}

std::string multiple(const Fraction& times) {
  const bool short_enough = times.zero() || times >= Fraction(1, 10'000);
  return short_enough && times < Fraction(1'000'000) ? decimal(times, 4)
                                                     : fmt::format("{:.4g}", times.approximate());
}

std::vector<std::string> describe(const PlanOptions& o, bool with_state) {
  const Job& job = o.model.job;
  const bool ours = !of_another_system(o.model.layout);
  std::vector<std::string> words{fmt::format("Φ = {}, as one unit", spaced(o.model.parameters)),
                                 fmt::format("N = {}", spaced(o.ranks))};
  if (ours) words.emplace_back(name(job.precision));
  if (with_state) {
    if (ours) {
      words.push_back(fmt::format("{}{}", name(job.optimizer.kind),
                                  job.optimizer.momentum > 0 ? " with momentum" : ""));
    }
    words.push_back(fmt::format("layout {}", name(o.model.layout)));
  }
  if (o.what != "memory") words.push_back(fmt::format("k = {}", grouped(job.accumulate)));
  return words;
}

std::string wrapped(const std::string& line) {
  const std::string indent(line.find_first_not_of(' ') + 2, ' ');
  std::string text, rest = line;
  while (shown_width(rest) > text_columns) {
    std::size_t end = std::string::npos;  // behind the last mark after which the line still fits
    for (std::size_t at = rest.find_first_of(",;"); at != std::string::npos;
         at = rest.find_first_of(",;", at + 1)) {
      if (rest.substr(at + 1, 1) != " " || shown_width(rest.substr(0, at + 1)) > text_columns)
        continue;
      end = at + 1;
    }
    if (end == std::string::npos) break;
    text += rest.substr(0, end) + "\n";
    rest = indent + rest.substr(end + 1);
  }
  return text + rest + "\n";
}

}  // namespace zerolab
