#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zerolab/report/results.hpp"

namespace zerolab {

// The items of the two source documents, and what a folder of results says about each.

/// Where a number comes from: a file of the folder (verify-{1,2}.json for several of one kind), and
/// in it a path of keys with dots between them, [i] for an element of a list, [*] for each of them,
/// {a,b} for several keys.
struct Source {
  std::string file, path;
};

/// One number, where it holds ("N = 4"), and whether it is the right one; none: shown only.
struct Value {
  std::string at, number;
  std::optional<bool> holds;
};

/// The same number for several N is said once: "N = 2, 4".
std::vector<Value> merged(const std::vector<Value>& values);

/// Numbers of one kind that decide an item, or part of it.
struct Evidence {
  std::string how;   ///< measured | simulated | ring model | calculated | self-test
  std::string what;  ///< what the numbers are, with unit and convention, and what is right
  std::vector<Value> values;
  std::vector<Source> sources;

  /// By ranks, real or simulated, and not worked out.
  bool seen() const { return how == "measured" || how == "simulated" || how == "self-test"; }
  bool judged() const;  ///< one of the values is
};

enum class Status { holds, fails, not_measured };

struct Finding {
  std::vector<Evidence> evidence;
  std::vector<std::string> open;  ///< what belongs to the item and is not in the folder

  /// Fails with one wrong number; not measured without any that is judged.
  Status status() const;
  /// Something is judged, and all of that was calculated or follows from the ring model.
  bool only_calculated() const;
};

enum class Group { exercise, true_or_false, spot_the_error, why, edge_case, self_test };

const char* title(Group group);
/// In front of what is asked, where that is a claim which may be false.
const char* spoken(Group group);

struct Folder;

struct Item {
  const char* id;
  Group group;
  const char* asks;   ///< the claim or question, in short
  const char* right;  ///< what is right
  const char* note;   ///< a conflict that shows here; empty: none
  Finding (*find)(const Folder&);
};

/// All of them, in the documents' order.
std::vector<Item> all_items();

struct JudgedItem {
  Item item;
  Finding finding;
};
/// Throws Error naming file and key when a file of the folder is not as documented.
std::vector<JudgedItem> judged_items(Results& results);

}  // namespace zerolab
