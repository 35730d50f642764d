#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zerolab/report/items.hpp"

// Pieces of HTML. A parameter called `text` is escaped, one called `html` is put in as it is.

namespace zerolab::html {

std::string escaped(std::string_view text);
/// <name attributes>html</name>; attributes begin with a blank.
std::string element(std::string_view name, std::string_view html, std::string_view attributes = "");
std::string code(std::string_view text);

/// A cell, and where its number comes from (shown when a mouse rests on it).
struct Cell {
  std::string html;
  std::string attributes;
  std::optional<bool> holds = std::nullopt;  ///< whether it is right; none: shown only

  static Cell text(std::string_view text);
  static Cell number(std::string_view text, std::string_view from);
  static Cell bits(std::string_view text, std::string_view from);  ///< a digest
  static Cell yes(bool holds, std::string_view from);              ///< "yes", or a loud "NO"
  /// A number that is right, or loudly not.
  static Cell judged(std::string_view text, bool holds, std::string_view from);
};

/// Headings are HTML; each row's first cell heads it. In a box of its own that scrolls.
struct Table {
  std::string caption;
  std::vector<std::string> headings;
  std::vector<std::vector<Cell>> rows;

  std::string html() const;
};

/// The line below a table or a finding: files and paths.
std::string sources(const std::vector<Source>& sources);

/// A word, a mark and a colour. Of a run: "holds". Of an item, whose claim may be false: whether
/// the right answer is confirmed.
std::string badge(bool holds);
std::string badge(Status status, bool only_calculated);

/// <details>, folded.
std::string folded(std::string_view summary, std::string_view html, std::string_view id = "");

/// Stands near the beginning of every page, and says whose it is.
inline constexpr std::string_view generator =
    "<meta name=\"generator\" content=\"zerolab report\">";

/// The whole page; `body` has its sections.
std::string document(std::string_view title, std::string_view body);

/// The style sheet.
std::string_view style();

}  // namespace zerolab::html
