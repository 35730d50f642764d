// The figures, drawn into the page; and how to read it.
#include <fmt/ranges.h>

#include "gnuplot.hpp"
#include "page_sections.hpp"
#include "zerolab/report/figures.hpp"

namespace zerolab {

namespace {

/// Why gnuplot cannot draw; empty when it can.
std::string gnuplot_fault() {
  try {
    gnuplot("set print '-'\nprint 'here'\n");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string figure_html(const Figure& figure) {
  std::string files, missing;
  for (const std::string& file : figure.sources) {
    files +=
        (files.empty() ? "" : ", ") + html::element("code", html::escaped(file), " class=\"file\"");
  }
  for (const std::string& words : figure.missing) {
    missing += html::element("p", html::escaped(words), " class=\"small\"") + "\n";
  }
  std::string caption =
      html::element("strong", html::escaped(figure.title)) + ". " + html::escaped(figure.caption);
  if (figure.svg.empty()) caption = html::escaped(figure.name) + ": not drawn.";
  std::string text;
  if (!figure.svg.empty()) text += html::element("div", figure.svg, " class=\"plate\"") + "\n";
  text += html::element("figcaption", caption) + "\n" + missing;
  if (!files.empty()) text += html::element("p", "from " + files, " class=\"source\"") + "\n";
  return fmt::format("<figure id=\"figure-{}\">\n{}</figure>\n", html::escaped(figure.name), text);
}

}  // namespace

std::string figures_section(const Folder& folder) {
  std::string text = heading(4, "figures", "Figures");
  const std::string fault = gnuplot_fault();
  if (!fault.empty()) text += html::element("p", "Not drawn: " + html::escaped(fault)) + "\n";
  for (const std::string_view name : figure_names) {
    text += figure_html(fault.empty() ? make_figure(name, folder.results)
                                      : figure_facts(name, folder.results));
  }
  return text;
}

std::string reading_section() {
  return heading(6, "reading", "How to read this page") +
         "<p>Every number names its file. Below a table or an item stand the files of the results "
         "folder, and the path of the keys in them: <code>[*]</code> is every rank, "
         "<code>{a,b}</code> are several keys, <code>verify-{1,2}.json</code> several files. Many "
         "cells "
         "of tables show theirs when a mouse rests on them. No date is on the page: the same "
         "folder "
         "gives the same page, byte for byte.</p>\n"
         "<p>Four kinds of bytes are sent:</p>\n<dl class=\"words\">\n"
         "<dt>payload</dt><dd>elements × width of what a rank hands to a collective, each call "
         "counted once; measured</dd>\n"
         "<dt>payload × (N−1)/N</dt><dd>the documents' volume: an all-reduce counts like any "
         "other; "
         "worked out from the payload</dd>\n"
         "<dt>ring model</dt><dd>what a textbook ring sends for the counted calls; an all-reduce "
         "is "
         "a reduce-scatter and an all-gather, and counts twice; a model</dd>\n"
         "<dt>wire</dt><dd>what the MPI really sent, by its own counters; measured where there is "
         "a "
         "counter, and nothing stands in for it where there is none</dd>\n</dl>\n"
         "<p>And three words: a <em>formula</em> is worked out from Φ and N, a <em>calculated</em> "
         "number is what zerolab plan made of a formula, a <em>measured</em> one was counted while "
         "a program ran.</p>\n";
}

}  // namespace zerolab
