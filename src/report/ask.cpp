// The question bank's judgement: what an item asks, and what was measured of it.
#include "zerolab/report/ask.hpp"

#include <algorithm>
#include <set>

#include "folder.hpp"

namespace zerolab {

namespace {

using Verdict = Answer::Verdict;

Verdict verdict_of(const Finding& finding, bool network_missing) {
  const Status status = finding.status();
  if (status == Status::fails) return Verdict::contradicted;
  if (network_missing) return Verdict::not_run;
  return status == Status::holds ? Verdict::confirmed : Verdict::not_measured;
}

/// The last of the values that hold, or do not.
std::optional<Deciding> last_value(const Evidence& evidence, bool holds) {
  const auto found = std::find_if(evidence.values.rbegin(), evidence.values.rend(),
                                  [&](const Value& value) { return value.holds == holds; });
  if (found == evidence.values.rend()) return std::nullopt;
  return Deciding{{evidence.how, evidence.what, {}, evidence.sources}, *found};
}

}  // namespace

std::vector<Item> chosen_items(const AskOptions& options) {
  std::vector<Item> chosen = all_items();
  if (options.all) return chosen;
  std::erase_if(chosen, [&](const Item& item) {
    return std::ranges::find(options.ids, item.id) == options.ids.end();
  });
  return chosen;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::contradicted:
      return "contradicted";
    case Verdict::not_measured:
      return "not measured";
    default:
      return "not run";
  }
}

bool by_calculation_alone(const Answer& answer) {
  return answer.verdict == Verdict::confirmed && answer.finding.only_calculated();
}

bool wants_network(const Item& item) {
  Results nothing;
  item.find(open_folder(nothing));
  return nothing.take_asked().contains(network_file);
}

Answer answer_to(const Item& item, Results& results, const Place& place) {
  results.take_asked();
  Finding finding = item.find(open_folder(results));
  const bool wants_network = results.take_asked().contains(network_file);
  const bool network_missing = wants_network && results.json(network_file) == nullptr;
  const Verdict verdict = verdict_of(finding, network_missing);
  return {item, std::move(finding), verdict, place};
}

std::optional<Deciding> deciding(const Finding& finding) {
  const bool holds = finding.status() != Status::fails;
  for (const bool wanted : {true, false}) {
    for (const Evidence& evidence : finding.evidence) {
      if (evidence.seen() != wanted) continue;
      if (auto found = last_value(evidence, holds)) return found;
    }
  }
  return std::nullopt;
}

std::optional<bool> agrees(const Item& item, std::string prediction) {
  if (item.group != Group::true_or_false) return std::nullopt;
  std::ranges::transform(prediction, prediction.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static const std::set<std::string> yes{"true", "t"}, no{"false", "f"};
  if (!yes.contains(prediction) && !no.contains(prediction)) return std::nullopt;
  return yes.contains(prediction) == std::string_view(item.right).starts_with("True");
}

bool all_confirmed(const std::vector<Answer>& answers) {
  return std::ranges::all_of(answers, [](const Answer& answer) {
    return answer.verdict == Verdict::confirmed || answer.verdict == Verdict::not_run;
  });
}

nlohmann::json answers_json(const std::vector<Answer>& answers) {
  nlohmann::json items = nlohmann::json::array();
  std::map<std::string, std::size_t> totals;
  for (const Verdict verdict :
       {Verdict::confirmed, Verdict::contradicted, Verdict::not_measured, Verdict::not_run})
    totals[std::string(name(verdict))] = 0;
  for (const Answer& answer : answers) {
    ++totals[std::string(name(answer.verdict))];
    const Item& item = answer.item;
    nlohmann::json evidence = nlohmann::json::array();
    for (const Evidence& one : answer.finding.evidence) {
      nlohmann::json values = nlohmann::json::array(), sources = nlohmann::json::array();
      for (const Value& value : one.values) {
        values.push_back({{"at", value.at},
                          {"number", value.number},
                          {"holds", value.holds ? nlohmann::json(*value.holds) : nullptr}});
      }
      for (const Source& source : one.sources) {
        sources.push_back({{"file", source.file}, {"path", source.path}});
      }
      evidence.push_back(
          {{"how", one.how}, {"what", one.what}, {"values", values}, {"sources", sources}});
    }
    nlohmann::json said = nullptr;
    if (answer.prediction) {
      const auto right = agrees(item, *answer.prediction);
      said = {{"said", *answer.prediction},
              {"agrees", right ? nlohmann::json(*right) : nlohmann::json(nullptr)}};
    }
    items.push_back({{"id", item.id},
                     {"group", title(item.group)},
                     {"asks", item.asks},
                     {"right", item.right},
                     {"note", item.note},
                     {"verdict", name(answer.verdict)},
                     {"calculated", by_calculation_alone(answer)},
                     {"evidence", evidence},
                     {"missing", answer.finding.open},
                     {"prediction", said}});
  }
  return {{"ranks", answers.empty() ? 0 : answers[0].place.ranks},
          {"totals", totals},
          {"items", items}};
}

}  // namespace zerolab
