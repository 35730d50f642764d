// What ask prints.
#include <fmt/ranges.h>

#include <map>

#include "findings.hpp"
#include "zerolab/report/ask.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

using Verdict = Answer::Verdict;
constexpr std::size_t columns = 100, most_evidence = 12;

/// The words in lines of at most 100 columns, the first after `first` blanks, the others after
/// `others`.
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

/// At most so many columns: where that cuts, whole words and an ellipsis.
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

std::string evidence_text(const Finding& finding) {
  std::string text;
  for (const Evidence& evidence : finding.evidence) {
    text += paragraph(fmt::format("{}: {}", evidence.how, evidence.what), 2, 4);
    std::vector<std::string> values;
    for (const Value& value : merged(evidence.values)) {
      values.push_back(fmt::format("{}: {}{}", value.at, value.number,
                                   value.holds.value_or(true) ? "" : " — DIFFERS"));
    }
    text += paragraph(fmt::format("{}", fmt::join(values, " · ")), 6, 6);
  }
  std::size_t end = 0, lines = 0;
  while (lines < most_evidence && end < text.size()) end = text.find('\n', end) + 1, ++lines;
  if (end < text.size()) text = text.substr(0, end) + "    … and more: --json shows all of it\n";
  return text;
}

/// Why what is simulated was not run.
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
constexpr const char* more_ranks_needed = "needs two ranks or more";

std::string verdict_text(const Answer& answer) {
  if (answer.verdict == Verdict::not_run) {
    const bool rest = answer.finding.status() == Status::holds;
    return fmt::format("{} {}{}", not_run(answer.place), how_to_run(answer.place, answer.item.id),
                       rest ? "; what was measured without it agrees" : "");
  }
  const bool calculated = answer.verdict == Verdict::confirmed && answer.finding.only_calculated();
  return fmt::format("{}{}{}", name(answer.verdict), calculated ? ", by calculation alone" : "",
                     wants_ranks(answer) ? fmt::format(": {}", more_ranks_needed) : "");
}

std::string prediction_text(const Answer& answer) {
  if (!answer.prediction) return "";
  const std::optional<bool> right = agrees(answer.item, *answer.prediction);
  return paragraph(fmt::format("You said: {}{}", *answer.prediction,
                               !right   ? ""
                               : *right ? ", which agrees"
                                        : ", which does not agree"),
                   2, 4);
}

/// What an evidence's numbers are, without what is right.
std::string subject(const Evidence& evidence) {
  const std::string what = evidence.what.substr(0, evidence.what.find("; right"));
  return evidence.how == "measured" ? what : evidence.how + ": " + what;
}

}  // namespace

std::string list_text(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) {
    text += fitted(fmt::format("{:<4} {} {:<14} {}", item.id, wants_network(item) ? "*" : " ",
                               title(item.group), item.asks),
                   columns) +
            "\n";
  }
  return text;
}

std::string question_text(const Item& item) {
  return fmt::format("{} · {}\n", item.id, title(item.group)) +
         paragraph(std::string(spoken(item.group)) + item.asks, 0, 2);
}

std::string answer_text(const Answer& answer) {
  std::string text = evidence_text(answer.finding);
  for (const std::string& open : answer.finding.open) {
    text += paragraph("not measured here: " + open, 2, 4);
  }
  text += paragraph("Verdict: " + verdict_text(answer), 2, 4) + prediction_text(answer) +
          paragraph(std::string("Right: ") + answer.item.right, 2, 4);
  if (*answer.item.note != '\0') text += paragraph(answer.item.note, 2, 4);
  return text;
}

std::string check_line(const Answer& answer) {
  const std::string id = fmt::format("{:<5} ", answer.item.id);
  if (answer.verdict == Verdict::not_run) return id + not_run(answer.place) + "\n";
  const std::string start = fmt::format("{}{:<13} ", id, name(answer.verdict));
  const auto number = deciding(answer.finding);
  if (!number || answer.verdict == Verdict::not_measured) {
    const std::string why = wants_ranks(answer)
                                ? more_ranks_needed
                                : fmt::format("missing: {}", fmt::join(answer.finding.open, "; "));
    return fitted(start + why, columns) + "\n";
  }
  const std::string end = fmt::format(": {} ({})", number->value.number, number->value.at);
  const std::size_t used = shown_width(start + end);
  constexpr std::size_t least = 12;
  return fitted(start +
                    fitted(subject(number->evidence),
                           std::max(columns - std::min(columns, used), least)) +
                    end,
                columns) +
         "\n";
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
