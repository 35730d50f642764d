#include "page_html.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zerolab::html {

namespace {

/// How many bytes the character at the beginning of `text` has in UTF-8; 0: it is none, or one that
/// a page must not have (controls).
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return (first >= 0x20 && first != 0x7f) || first == '\t' || first == '\n' || first == '\r';
  }
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  unsigned point = first & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    point = point << 6 | (byte(i) & 0x3f);
  }
  const unsigned least = size == 2   ? 0xa0
                         : size == 3 ? 0x800
                                     : 0x10000;  // below: controls, overlong
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  return point < least || surrogate || point > 0x10ffff ? 0 : size;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t size = character(text);
    const std::string_view one = text.substr(0, size);
    if (size == 0) {
      safe += "\uFFFD";
    } else if (one == "&") {
      safe += "&amp;";
    } else if (one == "<") {
      safe += "&lt;";
    } else if (one == ">") {
      safe += "&gt;";
    } else if (one == "\"") {
      safe += "&quot;";
    } else if (one == "'") {
      safe += "&#39;";
    } else {
      safe += one;
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return safe;
}

std::string element(std::string_view name, std::string_view html, std::string_view attributes) {
  return fmt::format("<{0}{1}>{2}</{0}>", name, attributes, html);
}

std::string code(std::string_view text) {
  return element("code", escaped(text));
}

Cell Cell::text(std::string_view text) {
  return {escaped(text), " class=\"words\""};
}

Cell Cell::number(std::string_view text, std::string_view from) {
  return {escaped(text), fmt::format(" title=\"{}\"", escaped(from))};
}

Cell Cell::bits(std::string_view text, std::string_view from) {
  return {code(text), fmt::format(" title=\"{}\"", escaped(from))};
}

Cell Cell::yes(bool holds, std::string_view from) {
  return {holds ? "yes" : "<strong>NO</strong>",
          fmt::format(" class=\"{}\" title=\"{}\"", holds ? "good" : "bad", escaped(from)), holds};
}

Cell Cell::judged(std::string_view text, bool holds, std::string_view from) {
  Cell cell = number(text, from);
  cell.holds = holds;
  if (!holds) {
    cell.html = element("strong", cell.html);
    cell.attributes += " class=\"bad\"";
  }
  return cell;
}

std::string Table::html() const {
  std::string head, body;
  for (std::size_t c = 0; c < headings.size(); ++c) {
    const bool words = !rows.empty() && c < rows[0].size() &&
                       rows[0][c].attributes.find("words") != std::string::npos;
    head += element("th", headings[c], words ? " scope=\"col\" class=\"words\"" : " scope=\"col\"");
  }
  for (const auto& row : rows) {
    std::string cells;
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells += c == 0 ? element("th", row[c].html,
                                row[c].html.size() > 8 ? " scope=\"row\" class=\"words\""
                                                       : " scope=\"row\"")
                      : element("td", row[c].html, row[c].attributes);
    }
    body += element("tr", cells) + "\n";
  }
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>\n"
      "<caption><span>{0}</span></caption>\n<thead><tr>{1}</tr></thead>\n<tbody>\n{2}</tbody></"
      "table></div>\n",
      escaped(caption), head, body);
}

std::string sources(const std::vector<Source>& sources) {
  std::string list, file;
  for (const Source& source : sources) {
    if (source.file != file) {
      if (!file.empty()) list += "; ";
      list += element("code", escaped(source.file), " class=\"file\"") + " ";
      file = source.file;
    } else {
      list += ", ";
    }
    list += element("code", escaped(source.path), " class=\"path\"");
  }
  return element("p", "from " + list, " class=\"source\"") + "\n";
}

namespace {

std::string badge_of(const char* kind, const char* mark, std::string_view words) {
  return fmt::format("<span class=\"badge {}\"><span aria-hidden=\"true\">{} </span>{}</span>",
                     kind, mark, words);
}

}  // namespace

std::string badge(bool holds) {
  return holds ? badge_of("good", "✓", "holds") : badge_of("bad", "✗", "does not hold");
}

std::string badge(Status status, bool only_calculated) {
  switch (status) {
    case Status::holds:
      return badge_of("good", "✓",
                      only_calculated ? "answer confirmed, calculated" : "answer confirmed");
    case Status::fails:
      return badge_of("bad", "✗", "answer contradicted");
    default:
      return badge_of("open", "○", "not measured in this run");
  }
}

std::string folded(std::string_view summary, std::string_view html, std::string_view id) {
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n",
                     id.empty() ? "" : fmt::format(" id=\"{}\"", id), summary, html);
}

std::string document(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{}\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
      "<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      generator, escaped(title), style(), body);
}

}  // namespace zerolab::html
