// The exercises on what fits and how long it takes, as zerolab plan worked them out.
#include "planned.hpp"
#include "simulated_network.hpp"

namespace zerolab::findings {

namespace {

/// Lines of the first answer to a question of time: of both directions, or of bytes as given.
std::vector<Source> lines_of(const Folder& folder, const std::string& id) {
  std::vector<Source> lines;
  const auto files = answers(folder, id);
  if (files.empty()) return lines;
  const std::string file = files[0] + ".json";
  const Selection cases(folder.results, {file, "cases[*]"});
  for (std::size_t c = 0; c < cases.fields().size(); ++c) {
    if (cases.fields()[c]["directions"].text() == "one") continue;
    const std::size_t count = cases.fields()[c]["stages"].list().size();
    for (std::size_t i = 0; i < count; ++i) {
      lines.push_back({file, fmt::format("cases[{}].stages[{}]", c, i)});
    }
  }
  return lines;
}

}  // namespace

Finding exercise_4_1(const Folder& folder) {
  constexpr std::array<std::uint64_t, 4> state{640, 220, 150, 80};
  Finding finding;
  Evidence plan = calculated(
      "by zerolab plan, model state and activations of a rank of 8 with 80 GB; right: 660, 240, "
      "170, "
      "100 GB, none fits");
  for (int stage = 0; stage < 4; ++stage) {
    const auto found = of_stage(folder, "4.1", stage, "total_bytes");
    if (!found) continue;
    const Selection bytes = at(folder, *found, "total_bytes"), fits = at(folder, *found, "fits");
    const bool fit = fits.field().truth();
    const std::uint64_t right = (state[static_cast<std::size_t>(stage)] + 20) * billion;
    plan.values.push_back(
        {fmt::format("stage {}", stage),
         fmt::format("{}, {}", gigabytes(bytes.whole()), fit ? "fits" : "does not fit"),
         bytes.whole() == right && !fit});
    plan.sources.push_back({found->file, found->path + ".{total_bytes,fits}"});
  }
  add(finding, plan, no_plan("4.1"));
  return finding;
}

Finding exercise_4_2(const Folder& folder) {
  Finding finding;
  Evidence plan = calculated(
      "by zerolab plan for stage 3: bound of N, and the next power of two; right: 128/15 = 8.533 "
      "and "
      "16");
  if (const auto found = of_stage(folder, "4.2", 3, "min_ranks_power_of_two")) {
    const Selection bound = at(folder, *found, "min_ranks_bound");
    const Selection power = at(folder, *found, "min_ranks_power_of_two");
    const JsonField& fraction = bound.field();
    plan.values.push_back(
        {"N ≥", exact_ratio(fraction["numerator"].whole(), fraction["denominator"].whole()),
         is_fraction(fraction, 128, 15)});
    plan.values.push_back({"power of two", thin(power.whole()), power.whole() == 16});
    plan.sources = {bound.source(), power.source()};
  }
  add(finding, plan, no_plan("4.2"));
  Evidence there = calculated("model state and activations of a rank of 16; right: 40 + 5 = 45 GB");
  for (const std::string& answer : answers(folder, "4.2")) {
    const std::string file = answer + ".json";
    if (Selection(folder.results, {file, "inputs.ranks"}).whole() != 16) continue;
    const auto stage = of_stage_in(folder, file, 3, "total_bytes");
    if (!stage) continue;
    const Selection total = at(folder, *stage, "total_bytes");
    there.values.push_back({"stage 3", gigabytes(total.whole()), total.whole() == 45 * billion});
    there.sources.push_back(total.source());
  }
  add(finding, there, "the 45 GB of 16 ranks");
  return finding;
}

Finding exercise_5_2(const Folder& folder) {
  Finding finding;
  Evidence plan = calculated(
      "by zerolab plan, without overlap: seconds of communication, efficiency, bandwidth for 80 % "
      "and how many times more that is; right: 103/15, 150/253, 824 GB/s, 206/75");
  if (const auto lines = lines_of(folder, "5.2"); !lines.empty()) {
    const Source& found = lines[0];
    const auto fraction = [&](const char* at_, const char* key, std::uint64_t a, std::uint64_t b,
                              const char* unit, double factor) {
      const Selection value = at(folder, found, key);
      plan.values.push_back({at_, fmt::format("{:.4g}{}", factor * decimal_of(value.field()), unit),
                             is_fraction(value.field(), a, b)});
      plan.sources.push_back(value.source());
    };
    fraction("communication", "seconds", 103, 15, " s", 1);
    fraction("efficiency", "no_overlap.efficiency", 150, 253, " %", 100);
    const Selection bandwidth = at(folder, found, "no_overlap.bandwidth_for_target");
    plan.values.push_back(
        {"for 80 %", gigabytes(bandwidth.whole()) + "/s", bandwidth.whole() == 824 * billion});
    plan.sources.push_back(bandwidth.source());
    fraction("times more", "no_overlap.bandwidth_ratio", 206, 75, "", 1);
  }
  add(finding, plan, no_plan("5.2"));
  add_efficiency(folder, finding);
  return finding;
}

Finding exercise_5_3(const Folder& folder) {
  Finding finding;
  Evidence plan = calculated(
      "by zerolab plan, payload in both directions, without overlap: seconds and efficiency; "
      "right: "
      "147/64 s and 640/787 in stage 0, 441/64 s and 640/1081 in stage 3");
  for (const Source& line : lines_of(folder, "5.3")) {
    const Selection about(folder.results, {line.file, line.path});
    const JsonField& stage = about.field()["stage"];
    if (stage.is_null() || !about.field()["counted"].text().starts_with("payload")) continue;
    const std::int64_t s = stage.signed_whole();
    if (s != 0 && s != 3) continue;
    const Selection seconds = at(folder, line, "seconds");
    const Selection efficiency = at(folder, line, "no_overlap.efficiency");
    plan.values.push_back({fmt::format("stage {}", s),
                           fmt::format("{:.4g} s, {:.4g} %", decimal_of(seconds.field()),
                                       100 * decimal_of(efficiency.field())),
                           is_fraction(seconds.field(), s == 0 ? 147 : 441, 64) &&
                               is_fraction(efficiency.field(), 640, s == 0 ? 787 : 1081)});
    plan.sources.push_back(seconds.source());
    plan.sources.push_back(efficiency.source());
  }
  add(finding, plan, no_plan("5.3"));
  add_two_stages(folder, finding);
  return finding;
}

Finding fits_already(const Folder& folder) {
  Finding finding;
  Evidence plan = calculated("stage that zerolab plan fit recommends; right: 0 or 1, which fits");
  for (const std::string& answer : answers(folder, "EC5")) {
    const std::string file = answer + ".json";
    const Selection stage(folder.results, {file, "recommended_stage"});
    plan.sources.push_back(stage.source());
    if (stage.field().is_null()) {
      plan.values.push_back({"recommended", "none", false});
      continue;
    }
    const std::int64_t chosen = stage.field().signed_whole();
    const auto place = of_stage_in(folder, file, static_cast<int>(chosen), "fits");
    const bool fits = place && at(folder, *place, "fits").field().truth();
    plan.values.push_back({"recommended",
                           fmt::format("{}, which {}", chosen, fits ? "fits" : "does not fit"),
                           (chosen == 0 || chosen == 1) && fits});
    if (place) plan.sources.push_back({file, place->path + ".fits"});
  }
  add(finding, plan, "a plan for a model that fits (exercise-EC5.json)");
  return finding;
}

}  // namespace zerolab::findings
