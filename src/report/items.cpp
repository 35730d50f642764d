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

bool Finding::only_calculated() const {
  return std::none_of(evidence.begin(), evidence.end(), [](const Evidence& one) {
    return one.how == "measured" || one.how == "self-test";
  });
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
