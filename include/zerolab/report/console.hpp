#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zerolab/report/training.hpp"

namespace zerolab {

/// 1234567 as "1 234 567".
std::string grouped(std::uint64_t number);

inline constexpr std::size_t text_columns = 100;  ///< of a line at most

/// Characters that a terminal shows; continuation bytes of UTF-8 take no room.
std::size_t shown_width(const std::string& text);

/// Columns as wide as their widest cell, all to the right; a line per row, headings first. Numbers
/// lose their grouping where lines would be longer than 100 columns.
std::string table(std::vector<std::vector<std::string>> rows);

/// The words with " · " between them, in lines of at most 100 columns where the words allow.
std::string joined(const std::vector<std::string>& words);

/// One word of a command as a shell reads it: in quotes where it needs them.
std::string shell_word(const std::string& text);

/// What a job is, in words for joined(); and the libraries it runs on, in one line.
std::vector<std::string> describe(const std::string& data, const Job& job, std::size_t ranks,
                                  std::size_t steps);
std::string describe_libraries(const Job& job);

/// What makes the products of a job: "reference", or the kernel of OpenBLAS.
std::string kernel_of(const Job& job);
/// What the digest of a job holds for, after "with".
std::string bits_hold_for(const Job& job);

}  // namespace zerolab
