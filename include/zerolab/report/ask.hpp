#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "zerolab/report/items.hpp"
#include "zerolab/report/options.hpp"

namespace zerolab {

// The question bank: each item of the documents asked, measured and answered.

/// In the documents' order.
std::vector<Item> chosen_items(const AskOptions& options);

/// Whether it reads network_file.
bool wants_network(const Item& item);

/// Where it is asked.
struct Place {
  std::size_t ranks = 1;
  bool simgrid = false;  ///< could simulate a network
};

/// An item with what was measured of it.
struct Answer {
  enum class Verdict { confirmed, contradicted, not_measured, not_run };
  Item item;
  Finding finding;
  Verdict verdict;
  Place place;
  std::optional<std::string> prediction = {};  ///< what the student said
};
std::string_view name(Answer::Verdict verdict);
/// Confirmed, and nothing that is judged was measured.
bool by_calculation_alone(const Answer& answer);

/// Asks the item's finding, which reads `results`. An item that wants a simulated network and finds
/// none was not run, unless what there is contradicts it.
Answer answer_to(const Item& item, Results& results, const Place& place);

/// The number that decides an item: a wrong one if there is one, else a right one. Of the first
/// evidence that has such and was seen, else of the first that has such: the last of them, which is
/// the one on most ranks.
struct Deciding {
  Evidence evidence;  ///< without values
  Value value;
};
std::optional<Deciding> deciding(const Finding& finding);

/// Whether "true" or "false" is right, where an item is a claim and the words are one of them.
std::optional<bool> agrees(const Item& item, std::string prediction);

// Text in lines of at most 100 columns.

/// Id, group, claim: a line each; with a * where a simulated network is wanted.
std::string list_text(const std::vector<Item>& items);
std::string question_text(const Item& item);
std::string answer_text(const Answer& answer);
std::string check_line(const Answer& answer);
std::string totals_text(const std::vector<Answer>& answers);

nlohmann::json answers_json(const std::vector<Answer>& answers);

/// All is confirmed, but for what wants a simulated network.
bool all_confirmed(const std::vector<Answer>& answers);

}  // namespace zerolab
