#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// How a check tells the grader what became of its tasks: lines in a file of each rank, signed with
// a token that is gone from the environment before student code runs. What student code prints, or
// writes into that file without the token, counts for nothing.

namespace lab {

/// A line: what happened (task, begin, end, not_run, not_here, fault, died), to which task, in
/// words.
struct Record {
  std::string kind;
  std::size_t task = 0;
  std::string text;
};

inline constexpr const char* folder_variable = "ZEROLAB_GRADE_FOLDER";
inline constexpr const char* token_variable = "ZEROLAB_GRADE_TOKEN";

/// Keyed check sum of a line that is the `number`-th of its file. Calls nothing, so that a signal
/// handler may.
std::uint64_t signature(std::string_view token, std::size_t number, std::string_view line);

/// The writing end, on one rank.
class Channel {
 public:
  /// Opens the rank's file in the folder that the environment named; without one, lines go to
  /// standard output, unsigned.
  void open(std::size_t rank);
  bool for_people() const { return file_ < 0; }
  /// May be called from a signal handler; long texts are cut.
  void write(std::string_view kind, std::size_t task, std::string_view text);

 private:
  int file_ = -1;
  std::size_t number_ = 0;
};

/// The reading end: the records of one rank. Sets `forged` when a line is not signed.
std::vector<Record> read_records(const std::string& file, std::string_view token, bool& forged);

}  // namespace lab
