// ask --check: a line an item and the totals; and the words that they share with the rest of ask.
#include <fmt/ranges.h>

#include <map>

#include "ask_words.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

using Verdict = Answer::Verdict;
constexpr std::size_t columns = 100;

/// What an evidence's numbers are, without what is right.
std::string subject(const Evidence& evidence) {
  const std::string what = evidence.what.substr(0, evidence.what.find("; right"));
  return evidence.how == "measured" ? what : evidence.how + ": " + what;
}

}  // namespace

std::string paragraph(const std::string& words, std::size_t first, std::size_t others) {
  std::string text, line(first, ' ');
  bool begun = false;
  for (std::size_t from = 0; from < words.size();) {
    const std::size_t to = std::min(words.find(' ', from), words.size());
    const std::string word = words.substr(from, to - from);
    from = to + 1;
    if (begun && shown_width(line) + 1 + shown_width(word) > columns) {
      text += line + "\n";
      line = std::string(others, ' ') + word;
    } else {
      line += (begun ? " " : "") + word;
      begun = true;
    }
  }
  return text + line + "\n";
}

std::string fitted(const std::string& text, std::size_t room) {
  if (shown_width(text) <= room) return text;
  std::string cut = text;
  while (shown_width(cut) + 2 > room) {
    const std::size_t blank = cut.rfind(' ');
    cut.erase(blank == std::string::npos ? 0 : blank);
    if (cut.empty()) break;
  }
  return cut + " …";
}

std::string not_run(const Place& place) {
  return place.simgrid ? "not run: no simulated network" : "not run: SimGrid missing";
}
std::string how_to_run(const Place& place, const char* id) {
  const char* get = place.simgrid ? "" : "apt install libsimgrid-dev, ";
  return fmt::format("({}./run_labs.sh ask {})", get, id);
}

bool wants_ranks(const Answer& answer) {
  return answer.verdict == Verdict::not_measured && answer.place.ranks == 1;
}
std::string check_line(const Answer& answer) {
  const std::string id = fmt::format("{:<5} ", answer.item.id);
  if (answer.verdict == Verdict::not_run) return id + not_run(answer.place) + "\n";
  const std::string start = fmt::format("{}{:<12} ", id, name(answer.verdict));
  const auto number = deciding(answer.finding);
  if (!number || answer.verdict == Verdict::not_measured) {
    const std::string why = wants_ranks(answer)
                                ? more_ranks_needed
                                : fmt::format("missing: {}", fmt::join(answer.finding.open, "; "));
    return fitted(start + why, columns) + "\n";
  }
  std::string end = fmt::format(": {} ({})", number->value.number, number->value.at);
  constexpr std::size_t least = 30;  // columns for words
  const std::size_t room = columns - shown_width(start);
  if (shown_width(end) + least > room) end = fitted(": " + number->value.number, room - least);
  return start + fitted(subject(number->evidence), room - shown_width(end)) + end + "\n";
}

std::string totals_text(const std::vector<Answer>& answers) {
  std::map<Verdict, std::size_t> number;
  std::size_t calculated = 0;
  const Answer* simulated = nullptr;
  for (const Answer& answer : answers) {
    ++number[answer.verdict];
    const bool counts = answer.verdict == Verdict::confirmed && answer.finding.only_calculated();
    calculated += counts ? 1 : 0;
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
