// The words that the texts of ask share.
#include "ask_words.hpp"

#include "zerolab/report/console.hpp"

namespace zerolab {

std::string paragraph(const std::string& words, std::size_t first, std::size_t others) {
  std::string text, line(first, ' ');
  bool begun = false;
  for (std::size_t from = 0; from < words.size();) {
    const std::size_t to = std::min(words.find(' ', from), words.size());
    const std::string word = words.substr(from, to - from);
    from = to + 1;
    if (begun && shown_width(line) + 1 + shown_width(word) > text_columns) {
      text += line + "\n";
      line = std::string(others, ' ') + word;
    } else {
      line += (begun ? " " : "") + word;
      begun = true;
    }
  }
  return text + line + "\n";
}

std::string fitted(const std::string& text, std::size_t room) {
  if (shown_width(text) <= room) return text;
  std::string cut = text;
  while (shown_width(cut) + 2 > room) {
    const std::size_t blank = cut.rfind(' ');
    cut.erase(blank == std::string::npos ? 0 : blank);
    if (cut.empty()) break;
  }
  return cut + " …";
}

std::string not_run(const Place& place) {
  return place.simgrid ? "not run: no simulated network" : "not run: SimGrid missing";
}
std::string how_to_run(const Place& place, const char* id) {
  const char* get = place.simgrid ? "" : "apt install libsimgrid-dev, ";
  return fmt::format("({}./run_labs.sh ask {})", get, id);
}

bool wants_ranks(const Answer& answer) {
  return answer.verdict == Answer::Verdict::not_measured && answer.place.ranks == 1;
}

}  // namespace zerolab
