// The exercises on what fits and how long it takes, as zerolab plan worked them out.
#include <array>

#include <fmt/ranges.h>

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

/// 60 GB of room beside the activations. More ranks: 640/N ≤ 60 in stage 3; what stages 0 to 2 keep
/// whole, 640, 160 and 80 GB, is too much for any N. Optimizer states on the host leave 4Φ of
/// parameters and gradients: 160, 160, 80 + 10 and 20 GB. In M parts, 640, 220, 150 and 80 GB over
/// M ≤ 60.
Evidence remedies_of_4_1(const Folder& folder) {
  constexpr std::array<std::uint64_t, 4> on_rank{180, 180, 110, 40}, parts{11, 4, 3, 2};
  Evidence plan = calculated(
      "what else would make it fit, by zerolab plan, in stages 0 to 3; right: 11 ranks or more, of "
      "powers of two 16, in stage 3; optimizer states on the host in stage 3, 40 GB with "
      "activations; 11, 4, 3 and 2 parts of the model; fewer activations alone do not");
  const auto found = of_stage(folder, "4.1", 3, "total_bytes");
  if (!found) return plan;
  const auto all = [&](const char* path) { return Selection(folder.results, {found->file, path}); };
  const Selection least = all("stages[*].min_ranks"),
                  power = all("stages[3].min_ranks_power_of_two"),
                  host = all("remedies.offload[*]"), split = all("remedies.split[*].parts"),
                  activations = all("remedies.activations_at_most");
  for (const Selection* four : {&least, &host, &split}) {
    require(four->fields().size() == 4, "{}: {} is not of four stages", found->file,
            four->source().path);
  }
  std::vector<std::string> ranks, bytes, in_parts;
  bool ranks_hold = power.whole() == 16, bytes_hold = true, parts_hold = true;
  for (std::size_t s = 0; s < 4; ++s) {
    const bool last = s == 3;
    const JsonField &n = least.fields()[s], &m = split.fields()[s], &left = host.fields()[s];
    ranks.push_back(n.is_null() ? "none" : thin(n.whole()));
    ranks_hold &= last ? !n.is_null() && n.whole() == 11 : n.is_null();
    bytes.push_back(gigabytes(left["total_bytes"].whole()));
    bytes_hold &=
        left["fits"].truth() == last && left["total_bytes"].whole() == on_rank[s] * billion;
    in_parts.push_back(m.is_null() ? "none" : thin(m.whole()));
    parts_hold &= !m.is_null() && m.whole() == parts[s];
  }
  const JsonField& most = activations.field();
  plan.values = {
      {"ranks at least", fmt::format("{} ({})", fmt::join(ranks, ", "), power.whole()), ranks_hold},
      {"with states on the host", fmt::format("{}", fmt::join(bytes, ", ")), bytes_hold},
      {"parts at least", fmt::format("{}", fmt::join(in_parts, ", ")), parts_hold},
      {"room for activations", most.is_null() ? "none" : gigabytes(most.whole()),
       !most.is_null() && most.whole() == 0}};
  plan.sources = {least.source(),
                  power.source(),
                  {found->file, "remedies.offload[*].{total_bytes,fits}"},
                  split.source(),
                  activations.source()};
  return plan;
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
  add(finding, remedies_of_4_1(folder), "");
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
