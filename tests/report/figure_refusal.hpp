#pragma once

#include "results_folder.hpp"
#include "zerolab/report/figures.hpp"

namespace zerolab {

/// What a figure says to a folder with this file only; "none" when it is drawn.
inline std::string refusal(const std::string& figure, const std::string& file,
                           const json& content) {
  const ResultsFolder folder;
  folder.write(file, content);
  Results results(folder.path());
  try {
    figure_facts(figure, results);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace zerolab
