// Saved traces that are cut, mangled or none at all are refused with file, line and what was
// wanted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "zerolab/report/digest_trace.hpp"

namespace zerolab {
namespace {

using Lines = std::vector<std::string>;

/// A trace of one step; units of 4 and of 3 elements.
Lines good_lines() {
  const TraceHeader header{{{"widths", {1, 2, 1}}, {"steps", 1}}, {{"ranks", 2}}};
  Lines lines{header.line().dump()};
  for (std::size_t step = 0; step < 2; ++step)
    for (std::size_t unit = 0; unit < 2; ++unit)
      lines.push_back(trace_line(step, unit, RangeDigests(4 - unit, 77 + step)).dump());
  return lines;
}

struct TraceFiles : testing::Test {
  std::string file = testing::TempDir() + "zerolab " + std::to_string(getpid()) + ".jsonl";
  ~TraceFiles() override { std::filesystem::remove(file); }

  void write(const std::string& text) { std::ofstream(file, std::ios_base::binary) << text; }
  void write(const Lines& lines) { write(fmt::format("{}\n", fmt::join(lines, "\n"))); }

  void expect_fault(const std::string& where, const std::string& what) {
    try {
      read_trace(file);
      ADD_FAILURE() << "read without a word: " << where << what;
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with(file + where + ": ")) << text;
      EXPECT_NE(text.find(what), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  }
  /// The good trace with one line changed.
  void mangle(std::size_t number, const std::function<void(nlohmann::json&)>& change,
              const std::string& what) {
    Lines lines = good_lines();
    nlohmann::json line = nlohmann::json::parse(lines[number - 1]);
    change(line);
    lines[number - 1] = line.dump();
    write(lines);
    expect_fault(fmt::format(" line {}", number), what);
  }
};

TEST_F(TraceFiles, AGoodOneIsRead) {
  for (const char* end : {"\n", "\r\n", ""}) {
    write(fmt::format("{}{}", fmt::join(good_lines(), "\r\n"), end));
    const DigestTrace trace = read_trace(file);
    EXPECT_EQ(trace.digests, (std::vector<RangeDigests>{
                                 {77, 77, 77, 77}, {77, 77, 77}, {78, 78, 78, 78}, {78, 78, 78}}));
    EXPECT_EQ(trace.header.run.at("ranks"), 2);
  }
}

TEST_F(TraceFiles, WhatIsNoTrace) {
  expect_fault("", "no such file");
  std::filesystem::create_directory(file);
  expect_fault("", "no ordinary file");
  std::filesystem::remove(file);
  write(std::string());
  expect_fault(" line 1", "empty");
  write(std::string("\n"));
  expect_fault(" line 1", "no JSON");
  write(std::string("a,b,label\n1,2,0\n"));
  expect_fault(" line 1", "no JSON, or cut off: 'a,b,label'");
  write(std::string("\0\1\2\3", 4));
  expect_fault(" line 1", "no JSON");
  write(std::string(100'000, '['));
  expect_fault(" line 1", "nested more than 32 deep");
  for (const char* other : {"{}", "[]", "3", R"({"step": 1, "loss": 2.5})"}) {
    write(std::string(other) + "\n");
    expect_fault(" line 1", "no object with the keys");
  }
}

TEST_F(TraceFiles, CutAnywhere) {
  const Lines lines = good_lines();
  for (std::size_t kept = 1; kept < lines.size(); ++kept) {
    write(Lines(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(kept)));
    expect_fault(fmt::format(" line {}", kept + 1),
                 fmt::format("ends before step {}, unit {}", (kept - 1) / 2, (kept - 1) % 2));
  }
  const std::string whole = fmt::format("{}", fmt::join(lines, "\n"));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    EXPECT_THROW(read_trace(file), Error) << size;
  }
}

TEST_F(TraceFiles, MangledLines) {
  using nlohmann::json;
  mangle(
      1, [](json& l) { l["zerolab_digest_trace"] = 2; }, "format 2; this program reads format 1");
  mangle(
      1, [](json& l) { l["job"] = 3; }, "job.widths");
  mangle(
      1, [](json& l) { l["job"].erase("widths"); }, "job.widths");
  for (const json& widths : {json({4}), json({4, 0}), json({4, -1}), json({4, 1.5}), json({1, "2"}),
                             json({3'000'000'000U, 2}), json({100'000, 100'000})})
    mangle(
        1, [&](json& l) { l["job"]["widths"] = widths; }, "job.widths");
  for (const json& steps : {json(-1), json(1.5), json("1"), json(nullptr), json(1e300)})
    mangle(
        1, [&](json& l) { l["job"]["steps"] = steps; }, "job.steps");
  mangle(
      3, [](json& l) { l["step"] = 1; }, "not step 0, unit 1");
  mangle(
      3, [](json& l) { l["unit"] = 0; }, "not step 0, unit 1");
  mangle(
      4, [](json& l) { l["loss"] = 0; }, "no object with the keys");
  mangle(
      4, [](json& l) { l.erase("unit"); }, "no object with the keys");
  mangle(
      5, [](json& l) { l["digests"].push_back(hex(1)); }, "not 3 digests");
  mangle(
      5, [](json& l) { l["digests"] = hex(1); }, "not 3 digests");
  for (const json& digest : {json(77), json("4d"), json("000000000000004g"),
                             json("-00000000000004d"), json("00000000000000000004d")})
    mangle(
        5, [&](json& l) { l["digests"][2] = digest; }, "no digest of 16");
  Lines more = good_lines();
  more.push_back(more.back());
  write(more);
  expect_fault(" line 6", "more lines than 1 steps have");
}

}  // namespace
}  // namespace zerolab
