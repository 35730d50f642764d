// What ask prints.
#include <algorithm>

#include "ask_words.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

using Verdict = Answer::Verdict;

/// Values with dots between them, as many in a line as fit.
std::string values_text(const std::vector<Value>& values) {
  constexpr std::size_t indent = 6;
  std::string text, line;
  for (const Value& value : merged(values)) {
    const std::string words = fmt::format("{}: {}{}", value.at, value.number,
                                          value.holds.value_or(true) ? "" : " — DIFFERS");
    if (!line.empty() && indent + shown_width(line + words) + 3 > text_columns) {
      text += paragraph(line, indent, indent);
      line.clear();
    }
    line += (line.empty() ? "" : " · ") + words;
  }
  return text + paragraph(line, indent, indent);
}

/// The first, what differs, and of the rest as much as fits into a dozen lines.
std::string evidence_text(const Finding& finding) {
  constexpr std::ptrdiff_t most_lines = 12;
  std::string text;
  bool all = true;
  for (const Evidence& evidence : finding.evidence) {
    const std::string next = paragraph(fmt::format("{}: {}", evidence.how, evidence.what), 2, 4) +
                             values_text(evidence.values);
    const bool differs = std::ranges::any_of(
        evidence.values, [](const Value& value) { return !value.holds.value_or(true); });
    if (text.empty() || differs || std::ranges::count(text + next, '\n') <= most_lines) {
      text += next;
    } else {
      all = false;
    }
  }
  return all ? text : text + "    … and more: --json shows all of it\n";
}

std::string verdict_text(const Answer& answer) {
  if (answer.verdict == Verdict::not_run) {
    const bool rest = answer.finding.status() == Status::holds;
    return fmt::format("{} {}{}", not_run(answer.place), how_to_run(answer.place, answer.item.id),
                       rest ? "; what was measured without it agrees" : "");
  }
  return fmt::format("{}{}{}", name(answer.verdict),
                     by_calculation_alone(answer) ? ", by calculation alone" : "",
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

}  // namespace

std::string list_text(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) {
    text += fitted(fmt::format("{:<4} {} {:<14} {}", item.id, wants_network(item) ? "*" : " ",
                               title(item.group), item.asks),
                   text_columns) +
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

}  // namespace zerolab
