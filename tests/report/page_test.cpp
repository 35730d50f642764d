// The page: self-contained, escaped, the same for the same folder, each number in the file that it
// names; broken folders are refused, naming file and key, without leaving half a page.
#include "zerolab/report/page.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "page_folder.hpp"
#include "zerolab/report/items.hpp"

namespace zerolab {
namespace {

namespace fs = std::filesystem;

std::string page_of(const std::map<std::string, json>& files) {
  const ResultsFolder folder;
  write(folder, files);
  Results results(folder.path());
  return page(results).html;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

/// The first group of each match.
std::vector<std::smatch> matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return {std::sregex_iterator(text.begin(), text.end(), expression), {}};
}

TEST(Page, IsTheSameForTheSameFolder) {
  EXPECT_EQ(page_of(whole_folder()), page_of(whole_folder()));
}

TEST(Page, RefersToNothingOutsideAndRunsNothing) {
  const std::string text = page_of(whole_folder());
  EXPECT_EQ(count(text, "<script"), 0U);
  EXPECT_EQ(count(text, "<link"), 0U);
  EXPECT_EQ(count(text, "@import"), 0U);
  // The two names that an <svg> must declare are no addresses that anything is fetched from.
  EXPECT_EQ(count(text, "http"), count(text, "=\"http://www.w3.org/2000/svg\"") +
                                     count(text, "=\"http://www.w3.org/1999/xlink\""));
  for (const std::smatch& match : matches(text, R"((?:src|href|url)\s*(?:=|\()\s*["']?(.))")) {
    EXPECT_EQ(match[1], "#") << match[0];
  }
  EXPECT_EQ(matches(text, R"(\son[a-z]+\s*=)").size(), 0U);
}

TEST(Page, EscapesWhatFilesSay) {
  auto files = whole_folder();
  const std::string evil = "<script>alert('1')</script>&\"";
  files["verdicts.jsonl"]["name"] = evil;
  files["doctor.json"]["machine"]["MPI"] = evil;
  files["doctor.json"]["self_tests"].push_back({{"what", evil}, {"right", 1}, {"ranks", 2}});
  for (const char* part : {"stages", "bytes"}) {
    for (json& stage : files["verify-4.json"][part]) stage["blas_kernel"] = evil;
  }
  files["verify-4.json"]["stages"]["3"]["digest"]["parameters"] = evil;
  files["verify-digits-4-ranks.txt"] = evil;
  const std::string text = page_of(files);
  EXPECT_EQ(count(text, "<script"), 0U);
  EXPECT_GE(count(text, "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;"), 5U);
}

TEST(Page, SaysLoudlyWhatDoesNotHold) {
  auto files = whole_folder();
  const std::string right = page_of(files);
  EXPECT_EQ(count(right, "does not hold</span>"), 0U);
  EXPECT_EQ(count(right, "<strong>NO</strong>"), 0U);
  EXPECT_EQ(count(right, "class=\"alarm\""), 0U);
  json& held = files["verify-4.json"]["stages"]["3"]["memory"]["per_rank"][2]["master"]["now"];
  held = held.get<int>() + 4;
  files["verdicts.jsonl"]["holds"] = false;
  const std::string wrong = page_of(files);
  EXPECT_EQ(count(wrong, "class=\"alarm\""), 1U);
  EXPECT_NE(wrong.find("<a href=\"#S3\">S3</a>"), std::string::npos);
  EXPECT_NE(wrong.find("<b>0 of 1</b><span>runs hold"), std::string::npos);
  EXPECT_NE(wrong.find("<article class=\"item fails\" id=\"TF6\">"), std::string::npos);
  EXPECT_GT(count(wrong, "<strong>NO</strong>"), 0U);
}

TEST(Page, ADifferingDigestIsSeen) {
  auto files = whole_folder();
  files["verify-2.json"]["stages"]["1"]["digest"]["moments"] = "0000000000000001";
  const std::string text = page_of(files);
  EXPECT_NE(text.find("<article class=\"item fails\" id=\"TF3\">"), std::string::npos);
  EXPECT_EQ(count(text, "<strong>NO</strong>"), 2U);  // in the overview, and in that run's table
}

TEST(Page, NamesOnlyFilesThatAreThere) {
  const auto files = whole_folder();
  const std::string text = page_of(files);
  std::set<std::string> named;
  for (const std::smatch& match : matches(text, "<code class=\"file\">([^<]*)</code>")) {
    std::smatch parts;
    const std::string file = match[1];
    if (!std::regex_match(file, parts, std::regex(R"((.*)\{(.*)\}(.*))"))) {
      named.insert(file);
      continue;
    }
    const std::string several = parts[2];
    for (const std::smatch& one : matches(several, "[^,]+")) {
      named.insert(parts[1].str() + one.str() + parts[3].str());
    }
  }
  EXPECT_GE(named.size(), 15U);
  for (const std::string& file : named) EXPECT_TRUE(files.contains(file)) << file;
}

/// A number as the page writes it, without the narrow blanks of its groups.
std::string plain(std::string text) {
  for (const std::string blank = "\u202F"; text.find(blank) != std::string::npos;) {
    text.erase(text.find(blank), blank.size());
  }
  return text;
}

TEST(Page, CellsHaveTheNumberOfTheirFile) {
  const auto files = whole_folder();
  const std::string text = page_of(files);
  std::size_t compared = 0;
  for (const std::smatch& match :
       matches(text, "<td title=\"(verify-[0-9]+.json): ([^\"{*]*)\">([^<]*)</td>")) {
    std::string pointer = fmt::format("/{}", match[2].str());
    for (char& c : pointer) {
      if (c == '.' || c == '[') c = '/';
    }
    std::erase(pointer, ']');
    const json& value = files.at(match[1].str()).at(json::json_pointer(pointer));
    if (!value.is_number_integer()) continue;
    EXPECT_EQ(plain(match[3]), std::to_string(value.get<std::uint64_t>())) << match[0];
    ++compared;
  }
  EXPECT_EQ(compared, 5U * 4 * (2 + 5 + 7) + 5U * 2);  // bits, stored, peaks; and the overview
}

std::string refusal(const std::map<std::string, json>& files) {
  try {
    page_of(files);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Page, AMissingKeyIsNamedWithItsFile) {
  const std::vector<std::pair<const char*, const char*>> keys{
      {"verify-4.json", "/agree"},
      {"verify-4.json", "/wire"},
      {"verify-4.json", "/stages/2"},
      {"verify-4.json", "/bytes/3/steps"},
      {"verify-4.json", "/stages/3/digest/moments"},
      {"verify-4.json", "/stages/3/digest_agrees"},
      {"verify-4.json", "/stages/1/loss"},
      {"verify-4.json", "/stages/1/memory/per_rank/3/master"},
      {"verify-4.json", "/stages/1/memory/per_rank/0/rss_peak"},
      {"verify-4.json", "/bytes/0/traffic/per_rank/2/allreduce/ring_bytes"},
      {"verify-4.json", "/stages/0/memory/formula"},
      {"doctor.json", "/machine"},
      {"doctor.json", "/self_tests/0/ranks"},
      {"doctor.json", "/all_right"},
      {"doctor.json", "/hints"},
      {"verdicts.jsonl", "/holds"},
      {"verdicts.jsonl", "/log"},
      {"exercise-4.1.json", "/stages/2/fits"},
      {"exercise-5.2.json", "/cases/0/directions"},
      {"exercise-5.3.json", "/cases/0/stages/0/seconds/numerator"}};
  for (const auto& [file, place] : keys) {
    auto files = whole_folder();
    const json::json_pointer pointer(place);
    files.at(file).at(pointer.parent_pointer()).erase(pointer.back());
    const std::string words = refusal(files);
    EXPECT_NE(words.find(fmt::format("/{}", file)), std::string::npos) << place << ": " << words;
    EXPECT_NE(words.find(pointer.back()), std::string::npos) << place << ": " << words;
  }
}

TEST(Page, AnEmptyFolderGivesAPageThatSaysSo) {
  const std::string text = page_of({});
  EXPECT_NE(text.find("Not in this folder: verdicts.jsonl"), std::string::npos);
  EXPECT_EQ(count(text, "○ </span>not measured in this run</span>"), all_items().size());
}

ReportOptions options(const std::string& folder, const std::string& output = "") {
  ReportOptions options;
  options.results = folder;
  options.output = output;
  return options;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Page, IsWrittenWholeOrNotAtAll) {
  const ResultsFolder folder;
  write(folder, whole_folder());
  const fs::path place = folder.path(), file = place / "report.html";
  EXPECT_EQ(page_command(options(folder.path())), 0);
  const std::string first = read(file);
  EXPECT_EQ(first.substr(0, 15), "<!DOCTYPE html>");
  std::ofstream(place / "verify-4.json") << "{\"agree\": tr";
  EXPECT_THROW(page_command(options(folder.path())), Error);
  EXPECT_EQ(read(file), first);
  for (const auto& entry : fs::directory_iterator(place)) {  // and no half of one
    EXPECT_FALSE(entry.path().filename().string().starts_with("report.html.")) << entry;
  }
  EXPECT_THROW(page_command(options(folder.path(), (place / "new.html").string())), Error);
  EXPECT_FALSE(fs::exists(place / "new.html"));
  EXPECT_THROW(page_command(options(folder.path() + "/missing")), Error);
}

struct Judged {
  const char* file;
  const char* place;
  json wrong;
  const char* alarm;
};

TEST(Page, WhateverDoesNotHoldIsInTheAlarmAndInTheExitCode) {
  const std::vector<Judged> changes{
      {"verdicts.jsonl", "/holds", false, "<a href=\"#runs\">verify digits, 4 ranks</a>"},
      {"doctor.json", "/all_right", false, "<a href=\"#doctor\">doctor: training would be wrong"},
      {"doctor.json", "/self_tests/1/right", 1, "MPI_Reduce_scatter: right on 1 of 2 ranks"},
      {"exercise-4.1.json", "/stages/2/fits", true, "<a href=\"#4.1\">4.1</a>"},
      {"verify-2.json", "/stages/1/digest_agrees", false, "N = 2: bits, stage 1</a>"},
      // Lines that no item asks about.
      {"verify-3.json", "/stages/2/memory/per_rank/1/data/now", 7778, "N = 3: stored, stage 2</a>"},
      {"verify-4.json", "/bytes/1/traffic/per_rank/3/scalars/calls", 99, "N = 4: sent, stage 1"},
      // Equal bits that end differently; more right answers than questions, at every stage alike.
      {"verify-2.json", "/stages/3/loss", 0.25, "N = 2: bits, stage 3</a>"},
      {"verify-2.json", "/stages/2/loss", nullptr, "N = 2: bits, stage 2</a>"},
      {"verify-2.json", "/stages/1/test_correct", 91, "N = 2: bits, stage 1</a>"},
      {"verify-2.json", "/stages/0/test_samples", 89, "N = 2: bits, stage 0, 1, 2, 3</a>"},
      // All at once is at least the largest part, here the data's 7777 bytes, and less than a lot.
      {"verify-3.json", "/stages/1/memory/per_rank/2/peak_total", 7776, "N = 3: peaks, stage 1"},
      {"verify-3.json", "/bytes/2/memory/per_rank/0/peak_total", 99999, "N = 3: peaks, stage 2"}};
  for (const auto& [file, place, wrong, alarm] : changes) {
    auto files = whole_folder();
    json& value = files.at(file).at(json::json_pointer(place));
    ASSERT_NE(value, wrong) << place;
    value = wrong;
    const ResultsFolder folder;
    write(folder, files);
    EXPECT_EQ(page_command(options(folder.path())), 1) << place;
    const std::string text = read(fs::path(folder.path()) / "report.html");
    const auto alarms = matches(text, "<div class=\"alarm\"[^\n]*");
    ASSERT_EQ(alarms.size(), 1U) << place;
    EXPECT_NE(alarms[0].str().find(alarm), std::string::npos) << alarms[0].str();
    EXPECT_EQ(matches(text, "<li class=\"bad\"><b>").empty(), false) << place;
  }
}

// 3 to 2 is what the paper says, and not what a formula in the file says.
TEST(Page, WhatIsNotMeasuredIsNoFailure) {
  const ResultsFolder folder;
  EXPECT_EQ(page_command(options(folder.path())), 0);
}

TEST(Page, LeavesOtherFilesAlone) {
  const ResultsFolder folder;
  write(folder, whole_folder());
  const fs::path place = folder.path();
  for (const fs::path& wrong :
       {place / "doctor.json", place, fs::path("/dev/null"), place / "no folder" / "report.html"}) {
    EXPECT_THROW(page_command(options(folder.path(), wrong.string())), Error) << wrong;
  }
  EXPECT_EQ(read(place / "doctor.json"), whole_doctor_json().dump());
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
}

TEST(Page, OtherPagesAreLeftAlone) {
  const ResultsFolder folder;
  const fs::path thesis = fs::path(folder.path()) / "thesis.html";
  const std::string words = "<!DOCTYPE html>\n<title>My thesis</title>\n" + std::string(2000, ' ') +
                            "<meta name=\"generator\" content=\"zerolab report\">";
  std::ofstream(thesis) << words;
  EXPECT_THROW(page_command(options(folder.path(), thesis.string())), Error);
  EXPECT_EQ(read(thesis), words);
}

TEST(Page, OverwritesNothingOnItsWay) {
  const ResultsFolder folder;
  const fs::path place = folder.path(), file = place / "new.html", mine = place / "mine";
  std::ofstream(mine) << "mine";
  std::ofstream(place / "new.html.part") << "mine too";
  EXPECT_EQ(page_command(options(folder.path(), file.string())), 0);
  EXPECT_EQ(read(place / "new.html.part"), "mine too");
  fs::remove(place / "new.html.part");
  fs::create_symlink(mine, place / "new.html.part");
  EXPECT_EQ(page_command(options(folder.path(), file.string())), 0);
  EXPECT_EQ(read(mine), "mine");
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(place)) names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"mine", "new.html", "new.html.part"}));
}

TEST(Page, ALinkStaysALink) {
  const ResultsFolder folder;
  const fs::path place = folder.path(), file = place / "real.html", link = place / "link.html";
  fs::create_symlink(file, link);
  EXPECT_THROW(page_command(options(folder.path(), link.string())), Error);  // to nothing
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(page_command(options(folder.path(), file.string())), 0);
  const std::string first = read(file);
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  const fs::perms allowed = fs::status(file).permissions();
  std::ofstream(file, std::ios::app) << "more";
  EXPECT_EQ(page_command(options(folder.path(), link.string())), 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read(file), first);
  EXPECT_EQ(fs::status(file).permissions(), allowed);
}

/// The page of a whole folder in which a file has these very bytes.
std::string page_with(const std::string& file, const std::string& bytes) {
  const ResultsFolder folder;
  write(folder, whole_folder());
  std::ofstream(fs::path(folder.path()) / file, std::ios::binary) << bytes;
  Results results(folder.path());
  return page(results).html;
}

std::string refusal_with(const std::string& file, const std::string& bytes) {
  try {
    page_with(file, bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Page, ALogOfAnyBytesLeavesThePageUtf8) {
  using namespace std::string_literals;
  // Controls, a lone byte, an overlong '/', half of a surrogate pair, beyond Unicode, cut off.
  const std::string log =
      "a\0b\x1b[1mc\x80z\xc0\xafy\xed\xa0\x80x\xf4\x90\x80\x80w\xc2\x85v\x7fÄ€𝄞\te\xe2\x82"s;
  const std::string text = page_with("verify-digits-4-ranks.txt", log), r = "\uFFFD";
  EXPECT_EQ(count(text, "<pre>a" + r + "b" + r + "[1mc" + r + "z" + r + r + "y" + r + r + r + "x" +
                            r + r + r + r + "w" + r + r + "v" + r + "Ä€𝄞\te" + r + r + "</pre>"),
            1U);
  EXPECT_EQ(text.find('\0'), std::string::npos);
}

const std::string good_line =
    R"({"name": "one", "holds": true, "seconds": 1, "log": "verify-digits-4-ranks.txt"})";

TEST(Page, AnInterruptedRunHasAPageThatSaysSo) {
  const std::string cut = page_with("verdicts.jsonl", good_line + "\n\n{\"name\": \"tw");
  EXPECT_EQ(count(cut, "Skipped: in verdicts.jsonl, line 2 is blank."), 1U);
  EXPECT_EQ(count(cut, "Skipped: in verdicts.jsonl, line 3, the last, is cut off."), 1U);
  EXPECT_EQ(count(cut, "<b>1 of 1</b><span>runs hold"), 1U);
  const std::string alone = page_with("verdicts.jsonl", "{\"name\": \"tw");
  EXPECT_EQ(count(alone, "line 1, the last, is cut off."), 1U);
  EXPECT_EQ(count(page_with("verdicts.jsonl", good_line), "Skipped:"), 0U);
  const std::string words = refusal_with("verdicts.jsonl", "{\"name\": \"tw\n" + good_line);
  EXPECT_NE(words.find("verdicts.jsonl, line 1, is not JSON"), std::string::npos) << words;
}

TEST(Page, ALogIsAFileOfTheFolder) {
  for (const std::string log : {"", "/etc/passwd", "../x/doctor.json", ".", "none.txt"}) {
    auto files = whole_folder();
    files["verdicts.jsonl"]["log"] = log;
    EXPECT_EQ(count(page_of(files), "not in the folder</td>"), 1U) << log;
  }
  EXPECT_EQ(count(page_of(whole_folder()), "not in the folder</td>"), 0U);
}

TEST(Page, BrokenFilesAreNamedWhoeverNeedsThem) {
  for (const char* file : {"wire-4.json", "verify-fashion-mnist-2.json", "timeline-0.json"}) {
    const std::string words = refusal_with(file, "{\"cut\": ");
    EXPECT_NE(words.find(fmt::format("/{} is not JSON", file)), std::string::npos) << words;
    const std::string deep(1'000'000, '['), end(1'000'000, ']');
    const std::string nested = refusal_with(file, "{\"stage\": " + deep + end + "}");
    EXPECT_NE(nested.find("nested more than 32 deep"), std::string::npos) << nested.substr(0, 99);
  }
  auto files = whole_folder();
  files["verdicts.jsonl"]["seconds"] = -1;
  const std::string words = refusal(files);
  EXPECT_NE(words.find("verdicts.jsonl, line 1: seconds is -1"), std::string::npos) << words;
}

/// The line below the title when only these runs of verify are there.
std::string lead(const std::map<std::size_t, const char*>& precisions) {
  std::map<std::string, json> files;
  for (const auto& [ranks, precision] : precisions) {
    json run = whole_verify_json(ranks);
    for (const char* part : {"stages", "bytes"}) {
      for (auto& stage : run[part]) stage["precision"] = precision;
    }
    files[fmt::format("verify-{}.json", ranks)] = run;
  }
  const std::string text = page_of(files);
  const auto found = matches(text, "<p class=\"lead\">([^<]*)</p>");
  return found.empty() ? "" : found[0][1].str();
}

TEST(Page, TheHeaderSpeaksOfAllRuns) {
  const std::string begin = fmt::format("zerolab report · Φ = {}, ", phi);
  EXPECT_EQ(lead({{2, "fp16"}, {4, "bf16"}}), begin + "fp16 and bf16, Adam, on 2 and 4 ranks");
  EXPECT_EQ(lead({{2, "bf16"}}), begin + "bf16, Adam, on 2 ranks");
  EXPECT_EQ(lead({{1, "fp16"}}), begin + "fp16, Adam, on 1 rank");
  EXPECT_EQ(lead({{1, "fp16"}, {3, "fp16"}, {8, "fp16"}}),
            begin + "fp16, Adam, on 1, 3 and 8 ranks");
}

}  // namespace
}  // namespace zerolab
