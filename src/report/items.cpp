#include "zerolab/report/items.hpp"

#include <algorithm>

#include "folder.hpp"
#include "item_tables.hpp"

namespace zerolab {

Status Finding::status() const {
  Status status = Status::not_measured;
  for (const Evidence& one : evidence) {
    for (const Value& value : one.values) {
      if (!value.holds) continue;
      if (!*value.holds) return Status::fails;
      status = Status::holds;
    }
  }
  return status;
}

bool Evidence::judged() const {
  return std::ranges::any_of(values, [](const Value& value) { return value.holds.has_value(); });
}

bool Finding::only_calculated() const {
  return std::ranges::any_of(evidence, &Evidence::judged) &&
         std::ranges::none_of(evidence,
                              [](const Evidence& one) { return one.seen() && one.judged(); });
}

const char* title(Group group) {
  switch (group) {
    case Group::exercise:
      return "Exercises";
    case Group::true_or_false:
      return "True or false";
    case Group::spot_the_error:
      return "Spot the error";
    case Group::why:
      return "Why";
    case Group::edge_case:
      return "Edge cases";
    default:
      return "Self-tests";
  }
}

const char* spoken(Group group) {
  if (group == Group::true_or_false) return "Claim: ";
  return group == Group::spot_the_error ? "Somebody says: " : "";
}

std::vector<Value> merged(const std::vector<Value>& values) {
  const std::string n = "N = ";
  std::vector<Value> shown;
  for (const Value& value : values) {
    const bool same = !shown.empty() && shown.back().number == value.number &&
                      shown.back().holds == value.holds && shown.back().at.starts_with(n) &&
                      value.at.starts_with(n);
    if (same) {
      shown.back().at += ", " + value.at.substr(n.size());
    } else {
      shown.push_back(value);
    }
  }
  return shown;
}

std::vector<Item> all_items() {
  std::vector<Item> items;
  for (const auto part : {exercise_items(), claim_items(), question_items()}) {
    items.insert(items.end(), part.begin(), part.end());
  }
  return items;
}

std::vector<JudgedItem> judged_items(Results& results) {
  const Folder folder = open_folder(results);
  std::vector<JudgedItem> judged;
  for (const Item& item : all_items()) judged.push_back({item, item.find(folder)});
  return judged;
}

}  // namespace zerolab
