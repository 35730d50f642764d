// The documents' items, each with its verdict and the numbers that decide it.
#include "page_sections.hpp"
#include "planned.hpp"

namespace zerolab {

namespace {

std::string paragraph(std::string_view html, std::string_view attributes = "") {
  return html::element("p", html, attributes) + "\n";
}

std::string value_html(const Value& value) {
  const char* kind = !value.holds ? "" : *value.holds ? " class=\"good\"" : " class=\"bad\"";
  const std::string at = html::element("span", html::escaped(value.at) + ":", " class=\"at\"");
  const char* differs = value.holds && !*value.holds ? " — differs" : "";
  return html::element("li", at + html::escaped(value.number) + differs, kind);
}

std::string evidence_html(const Evidence& evidence) {
  std::string values;
  for (const Value& value : merged(evidence.values)) values += value_html(value);
  return paragraph(html::element("span", html::escaped(evidence.how), " class=\"how\"") + " " +
                       html::escaped(evidence.what),
                   " class=\"evidence\"") +
         html::element("ul", values, " class=\"values\"") + "\n" + html::sources(evidence.sources);
}

/// What plan printed, as it is in the folder.
std::string printed(const Folder& folder, const std::string& id) {
  std::string text;
  for (const std::string& answer : findings::answers(folder, id)) {
    const std::string file = answer + ".txt";
    if (const auto all = folder.results.text(file)) {
      text +=
          html::folded(fmt::format("What zerolab plan printed, {}",
                                   html::element("code", html::escaped(file), " class=\"file\"")),
                       html::element("pre", html::escaped(*all)));
    }
  }
  return text;
}

std::string item_html(const Folder& folder, const JudgedItem& judged) {
  const Item& item = judged.item;
  const Status status = judged.finding.status();
  std::string told = paragraph("Right: " + html::escaped(item.right));
  for (const Evidence& evidence : judged.finding.evidence) told += evidence_html(evidence);
  for (const std::string& open : judged.finding.open) {
    told += paragraph("Not measured in this run: " + html::escaped(open) + ".", " class=\"small\"");
  }
  if (*item.note != '\0') told += paragraph(html::escaped(item.note), " class=\"note\"");
  told += printed(folder, item.id);
  return fmt::format(
      "<article class=\"item{}\" id=\"{}\">\n<span class=\"id\">{}</span>"
      "<h4 class=\"asks\">{}</h4>{}\n<div class=\"told\">\n{}</div></article>\n",
      status == Status::fails ? " fails" : "", html::escaped(item.id), html::escaped(item.id),
      spoken(item.group) + html::escaped(item.asks),
      html::badge(status, judged.finding.only_calculated()), told);
}

}  // namespace

namespace {

/// All items at a glance, each a link to its place.
std::string index_html(const std::vector<JudgedItem>& items) {
  std::string links;
  for (const JudgedItem& judged : items) {
    const Status status = judged.finding.status();
    const char* kind = status == Status::holds ? "good" : status == Status::fails ? "bad" : "open";
    const char* mark = status == Status::holds ? "✓" : status == Status::fails ? "✗" : "○";
    links += fmt::format("<li><a href=\"#{0}\" class=\"{1}\">{0} {2}</a></li>\n", judged.item.id,
                         kind, mark);
  }
  return html::element("ul", links, " class=\"index\"") +
         "\n<p class=\"small\">✓ the right answer is confirmed · ✗ contradicted · ○ not measured "
         "in this run</p>\n";
}

}  // namespace

std::string items_section(const Folder& folder, const std::vector<JudgedItem>& items) {
  std::string text = heading(5, "items", "The documents' items");
  text +=
      "<p>What the exercises and the question bank ask, and what this folder of results says about "
      "it. The right answer is confirmed when every number that is judged agrees with it; a number "
      "without a green or red bar is shown beside and not judged. “Ring model” and "
      "“calculated” numbers are not measurements.</p>\n";
  text += index_html(items);
  std::optional<Group> group;
  for (const JudgedItem& judged : items) {
    if (group != judged.item.group) {
      group = judged.item.group;
      text += html::element("h3", title(*group)) + "\n";
    }
    text += item_html(folder, judged);
  }
  return text;
}

}  // namespace zerolab
