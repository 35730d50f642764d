// The numbers behind the figures: whole sums of bytes against closed forms in literal multiples,
// drawn values against the documents' fractions.
#include "zerolab/report/figures.hpp"

#include <gtest/gtest.h>

#include "results_folder.hpp"
#include "zerolab/report/measured.hpp"

namespace zerolab {
namespace {

TEST(Figures, ClosedFormsAreTheDocumentsMultiples) {
  const std::array<std::array<std::uint64_t, 2>, 4> ab{{{16, 0}, {4, 12}, {2, 14}, {0, 16}}};
  const std::array<std::uint64_t, 4> payload{1, 2, 2, 3}, wire{2, 3, 2, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const auto s = static_cast<std::size_t>(stage);
    for (const std::uint64_t n : {1U, 2U, 3U, 4U, 8U, 64U}) {
      std::uint64_t state = 0;
      for (const Category c : model_state) state += state_closed_form(stage, c, phi, n);
      EXPECT_EQ(state, ab[s][0] * n * phi + ab[s][1] * phi) << stage << " at " << n;
      EXPECT_EQ(payload_closed_form(stage, phi, n), 2 * phi * n * payload[s]);
      EXPECT_EQ(ring_closed_form(stage, phi, n), 2 * phi * (n - 1) * wire[s]);
    }
  }
  EXPECT_EQ(state_closed_form(3, Category::momentum, phi, 8), 4 * phi);
  EXPECT_EQ(state_closed_form(1, Category::gradients, phi, 8), 2 * phi * 8);
}

TEST(Figures, SumsOverRanksEqualTheClosedFormsToTheByte) {
  const ResultsFolder folder;
  for (const std::size_t n : {1U, 3U, 8U})
    folder.write(fmt::format("verify-{}.json", n), verify_json(n));
  Results results(folder.path());
  for (const MeasuredRun& run : measured_runs(results)) {
    EXPECT_EQ(run.parameters, phi);
    ASSERT_EQ(run.stages.size(), 4U);
    for (const auto& [stage, measured] : run.stages) {
      for (std::size_t c = 0; c < model_state.size(); ++c) {
        EXPECT_EQ(measured.state[c], state_closed_form(stage, model_state[c], phi, run.ranks));
      }
      EXPECT_EQ(measured.steps, steps);
      EXPECT_EQ(measured.reduce, "mpi");
      EXPECT_EQ(measured.payload_bytes, steps * payload_closed_form(stage, phi, run.ranks));
      EXPECT_EQ(measured.ring_bytes, steps * ring_closed_form(stage, phi, run.ranks));
    }
  }
  EXPECT_FALSE(measured_run(results, 2));
}

/// y of the point of this series at x = N.
double drawn(const Figure& figure, const std::string& series, double n) {
  for (const FigurePoint& p : figure.points) {
    if (p.series == series && p.x == n) return p.y;
  }
  ADD_FAILURE() << figure.name << " has no point " << series << " at " << n;
  return -1;
}

TEST(Figures, PointsAreTheDocumentsNumbers) {
  const ResultsFolder folder;
  for (const std::size_t n : {1U, 2U, 3U, 4U, 8U}) {
    folder.write(fmt::format("verify-{}.json", n), verify_json(n));
  }
  Results results(folder.path());
  const Figure memory = figure_facts("memory", results);
  const std::array<double, 4> gigabytes{112, 38.5, 26.25, 14};
  for (std::size_t s = 0; s < 4; ++s) {
    EXPECT_DOUBLE_EQ(drawn(memory, fmt::format("stage {}, up to variance", s), 8), gigabytes[s]);
  }
  EXPECT_DOUBLE_EQ(drawn(memory, "stage 2, up to gradients", 8), 14 + 14.0 / 8);
  const Figure volume = figure_facts("volume", results),
               reduction = figure_facts("reduction", results);
  for (const double n : {1.0, 2.0, 3.0, 4.0, 8.0}) {
    EXPECT_DOUBLE_EQ(drawn(volume, "stage 0, payload", n), 2 * (n - 1) / n);
    EXPECT_DOUBLE_EQ(drawn(volume, "stage 3, payload", n), 6 * (n - 1) / n);
    EXPECT_DOUBLE_EQ(drawn(volume, "stage 0, ring model", n), 4 * (n - 1) / n);
    EXPECT_DOUBLE_EQ(drawn(volume, "stage 3, ring model", n), 6 * (n - 1) / n);
    EXPECT_DOUBLE_EQ(drawn(reduction, "stage 1", n), 4 * n / (n + 3));
    EXPECT_DOUBLE_EQ(drawn(reduction, "stage 2", n), 8 * n / (n + 7));
    EXPECT_DOUBLE_EQ(drawn(reduction, "stage 3", n), n);
  }
  EXPECT_EQ(memory.points.size(), 4U * 5);
  EXPECT_EQ(volume.points.size(), 4U * 5);
  EXPECT_EQ(reduction.points.size(), 3U * 5);
  for (const Figure* figure : {&memory, &volume, &reduction}) {
    EXPECT_TRUE(figure->missing.empty()) << figure->name;
    EXPECT_NE(figure->caption.find("equals the formula to the byte"), std::string::npos);
    for (const FigurePoint& p : figure->points) EXPECT_EQ(p.counted, p.formula) << p.series;
  }
}

// What the MPI counted need not be any formula's: 1000 + 1001 + 1003 bytes on three ranks.
TEST(Figures, WireBytesAreDrawnWhereTheyAreMeasured) {
  const ResultsFolder folder;
  json file = verify_json(3);
  file["wire"] = {{"0", {1000, 1001, 1003}}, {"2", {1, 1, 1}}};
  folder.write("verify-3.json", file);
  folder.write("verify-2.json", verify_json(2));
  Results results(folder.path());
  const Figure figure = figure_facts("volume", results);
  EXPECT_DOUBLE_EQ(drawn(figure, "stage 0, wire", 3), 3004.0 / 3 / phi);
  EXPECT_EQ(figure.points.size(), 4U * 2 + 1);
  EXPECT_NE(figure.caption.find("Each of the 8 points that the ledgers counted equals the formula"),
            std::string::npos);
  file["wire"]["0"].erase(1);
  folder.write("verify-3.json", file);
  Results cut(folder.path());
  EXPECT_THROW(figure_facts("volume", cut), Error);
}

TEST(Figures, ByteTooManyIsSaid) {
  const ResultsFolder folder;
  json file = verify_json(8);
  json& now = file["stages"]["2"]["memory"]["per_rank"][5]["momentum"]["now"];
  now = now.get<std::size_t>() + 1;
  folder.write("verify-8.json", file);
  Results results(folder.path());
  const Figure figure = figure_facts("memory", results);
  EXPECT_NE(figure.caption.find("2 of the 20 points differ"), std::string::npos) << figure.caption;
  EXPECT_NE(figure.caption.find("stage 2, up to momentum"), std::string::npos) << figure.caption;
}

TEST(Figures, EfficiencyIsTheExercises) {
  const ResultsFolder folder;
  Results results(folder.path());
  const Figure figure = figure_facts("efficiency", results);
  // 4Φ·63/64 and 3 times that; 10/(10 + C/300) = 30/37 · … in percent.
  for (const char* words : {"689.0625 GB", "2067.1875 GB", "nothing is measured"}) {
    EXPECT_NE(figure.caption.find(words), std::string::npos) << figure.caption;
  }
  const std::string shown =
      fmt::format("{:.1f} % against {:.1f} %", 100 * 10 / (10 + 689.0625 / 300),
                  100 * 10 / (10 + 2067.1875 / 300));
  EXPECT_NE(figure.alt.find(shown), std::string::npos) << figure.alt;
}

// Five categories of 1 MB; in the backward pass the gathered unit adds 0.5 and its gradient 0.25.
TEST(Figures, TracePeakTellsWhatHappened) {
  const ResultsFolder folder;
  folder.write("timeline-3.json", timeline_json(3, false));
  Results results(folder.path());
  const Figure figure = figure_facts("trace", results);
  EXPECT_NE(figure.alt.find("Stage 3: peak 5.8 MB: backward of unit 4, gathered"),
            std::string::npos)
      << figure.alt;
  EXPECT_EQ(figure.sources, std::vector<std::string>{"timeline-3.json"});
  EXPECT_EQ(figure.missing.size(), 3U);
}

}  // namespace
}  // namespace zerolab
