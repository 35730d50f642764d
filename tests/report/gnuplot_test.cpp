// What gnuplot does wrong is said: pictures that are cut, and no end.
#include "../../src/report/gnuplot.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "results_folder.hpp"

namespace zerolab {
namespace {

std::string complaint_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Gnuplot, CutPicturesAreRefused) {
  const std::string svg = "<svg><title></title><desc></desc>\n<g id=\"gnuplot_canvas\"/></svg>\n";
  const auto said = [](const std::string& text) {
    return complaint_of([&] { embeddable(text, "a", "b", "c", ""); });
  };
  EXPECT_EQ(said(svg), "none");
  EXPECT_NE(said(svg.substr(0, svg.size() - 3)).find("cut"), std::string::npos);
  // The smallest parts of a PNG file: its signature, and the chunk that ends it.
  const std::string signature("\x89PNG\r\n\x1a\n", 8), end("\0\0\0\0IEND\xae\x42\x60\x82", 12);
  EXPECT_EQ(complaint_of([&] { whole_png(signature + end); }), "none");
  EXPECT_NE(complaint_of([&] { whole_png("oops"); }).find("no PNG"), std::string::npos);
  EXPECT_NE(complaint_of([&] { whole_png(signature + end.substr(0, 11)); }).find("cut"),
            std::string::npos);
}

TEST(Gnuplot, GnuplotThatDoesNotEndIsStopped) {
  const ResultsFolder folder;
  const std::string program = folder.path() + "/gnuplot", before = std::getenv("PATH");
  std::ofstream(program) << "#!/bin/sh\nexec sleep 20\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  setenv("PATH", (folder.path() + ":" + before).c_str(), 1);
  const auto begin = std::chrono::steady_clock::now();
  const std::string said = complaint_of([] { gnuplot("", std::chrono::milliseconds(250)); });
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(said, "gnuplot did not end within 0.25 s and was stopped");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace zerolab
