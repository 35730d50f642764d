// ask --check: a line an item and the totals.
#include <fmt/ranges.h>

#include <map>

#include "ask_words.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

using Verdict = Answer::Verdict;

/// What an evidence's numbers are, without what is right.
std::string subject(const Evidence& evidence) {
  const std::string what = evidence.what.substr(0, evidence.what.find("; right"));
  return evidence.how == "measured" ? what : evidence.how + ": " + what;
}

}  // namespace

std::string check_line(const Answer& answer) {
  const std::string id = fmt::format("{:<5} ", answer.item.id);
  if (answer.verdict == Verdict::not_run) return id + not_run(answer.place) + "\n";
  const std::string start = fmt::format("{}{:<12} ", id, name(answer.verdict));
  const auto number = deciding(answer.finding);
  if (!number || answer.verdict == Verdict::not_measured) {
    const std::string why = wants_ranks(answer)
                                ? more_ranks_needed
                                : fmt::format("missing: {}", fmt::join(answer.finding.open, "; "));
    return fitted(start + why, text_columns) + "\n";
  }
  std::string end = fmt::format(": {} ({})", number->value.number, number->value.at);
  constexpr std::size_t least = 30;  // columns for words
  const std::size_t room = text_columns - shown_width(start);
  if (shown_width(end) + least > room) end = fitted(": " + number->value.number, room - least);
  return start + fitted(subject(number->evidence), room - shown_width(end)) + end + "\n";
}

std::string totals_text(const std::vector<Answer>& answers) {
  std::map<Verdict, std::size_t> number;
  std::size_t calculated = 0;
  const Answer* simulated = nullptr;
  for (const Answer& answer : answers) {
    ++number[answer.verdict];
    calculated += by_calculation_alone(answer) ? 1 : 0;
    if (answer.verdict == Verdict::not_run && simulated == nullptr) simulated = &answer;
  }
  std::string text = fmt::format(
      "{} item{}: {} confirmed ({} by calculation alone), {} contradicted, {} not measured",
      answers.size(), answers.size() == 1 ? "" : "s", number[Verdict::confirmed], calculated,
      number[Verdict::contradicted], number[Verdict::not_measured]);
  if (simulated != nullptr) {
    text += fmt::format(", {} {} {}", number[Verdict::not_run], not_run(simulated->place),
                        how_to_run(simulated->place, simulated->item.id));
  }
  return paragraph(text, 0, 2);
}

}  // namespace zerolab
