// The tables of one verify-N.json on bits and memory, as verify prints them.
#include <algorithm>

#include "figure_script.hpp"
#include "page_sections.hpp"
#include "zerolab/report/cost_model.hpp"

namespace zerolab {

namespace {

using html::Cell;
using html::Table;

constexpr std::array state_parts{Category::parameters, Category::gradients, Category::master,
                                 Category::momentum, Category::variance};

/// A whole number of the file.
Cell number(const VerifyRun& run, const std::string& path) {
  return Cell::number(thin(run.at(path).whole()), from(run, path));
}

/// A category's heading with the colour that it has in the figures.
std::string colored(Category category) {
  return fmt::format("<span class=\"swatch\" style=\"--swatch:{}\"></span>{}",
                     style_of(category).color, html::escaped(name(category)));
}

std::string formula(int stage) {
  const auto [full, sharded] = state_bytes(Job{}, stage);
  if (sharded == 0) return fmt::format("{}Φ", full);
  if (full == 0) return fmt::format("{}Φ/N", sharded);
  return fmt::format("{}Φ + {}Φ/N", full, sharded);
}

std::string accuracy(const VerifyRun& run, const std::string& stage) {
  const std::uint64_t correct = run.at("stages." + stage + ".test_correct").whole();
  const std::uint64_t samples = run.at("stages." + stage + ".test_samples").whole();
  if (samples == 0) return "not available";
  return fmt::format("{}/{} = {:.2f} %", correct, samples,
                     100.0 * static_cast<double>(correct) / static_cast<double>(samples));
}

/// What was learned is what stage 0 learned: equal bits have equal losses and answers.
bool same_end(const VerifyRun& run, int stage) {
  bool same = true;
  for (const char* what : {"loss", "steps", "skipped_steps", "test_correct", "test_samples"}) {
    const auto both = run.at(fmt::format("stages.{{0,{}}}.{}", stage, what));
    const JsonField first = both.fields()[0], second = both.fields()[1];
    if (std::string_view(what) != "loss") {
      same &= first.whole() == second.whole();
    } else if (first.is_null() || second.is_null()) {
      same &= first.is_null() && second.is_null();
    } else {
      same &= first.number() == second.number();
    }
  }
  return same;
}

bool correct_at_most_samples(const VerifyRun& run, int stage) {
  const auto whole = [&](const char* what) {
    return run.at(fmt::format("stages.{}.{}", stage, what)).whole();
  };
  return whole("test_correct") <= whole("test_samples");
}

/// The largest of all at once is no less than the peak of any category, and no more than the sum of
/// their peaks: on every rank, in both parts of the file.
bool together_possible(const VerifyRun& run, int stage) {
  for (const char* part : {"stages", "bytes"}) {
    for (std::uint64_t r = 0; r < run.ranks; ++r) {
      const std::string rank = fmt::format("{}.{}.memory.per_rank[{}].", part, stage, r);
      const std::uint64_t together = run.at(rank + "peak_total").whole();
      std::uint64_t most = 0, sum = 0;
      for (std::size_t c = 0; c < categories; ++c) {
        const std::uint64_t peak =
            run.at(fmt::format("{}{}.peak", rank, name(static_cast<Category>(c)))).whole();
        most = std::max(most, peak);
        sum += peak;
      }
      if (together < most || together > sum) return false;
    }
  }
  return true;
}

}  // namespace

Table bits_table(const VerifyRun& run) {
  Table table{fmt::format("Bits, trained under --reduce {} with kernel {}",
                          run.at("stages.0.reduce").field().text(),
                          run.at("stages.0.blas_kernel").field().text()),
              {"stage", "digest of the parameters", "= stage 0", "ranks agree", "steps", "skipped",
               "last loss", "test accuracy", "end as stage 0"},
              {}};
  for (int stage = 0; stage < stage_count; ++stage) {
    const std::string s = std::to_string(stage), part = "stages." + s + ".";
    bool equal = true;
    for (const char* what : {"parameters", "master", "moments"}) {
      const auto both = run.at(fmt::format("stages.{{0,{}}}.digest.{}", stage, what));
      equal &= both.fields()[0].text() == both.fields()[1].text();
    }
    const JsonField loss = run.at(part + "loss").field();
    table.rows.push_back(
        {Cell::text(s), Cell::bits(digest_of(run, stage), from(run, part + "digest.parameters")),
         Cell::yes(equal, from(run, part + "digest.{parameters,master,moments}")),
         Cell::yes(run.at(part + "digest_agrees").field().truth(),
                   from(run, part + "digest_agrees")),
         number(run, part + "steps"), number(run, part + "skipped_steps"),
         Cell::number(loss.is_null() ? "not finite" : fmt::format("{:.6f}", loss.number()),
                      from(run, part + "loss")),
         Cell::number(accuracy(run, s), from(run, part + "{test_correct,test_samples}")),
         Cell::yes(same_end(run, stage) && correct_at_most_samples(run, stage),
                   from(run, part + "{loss,steps,skipped_steps,test_correct,test_samples}"))});
  }
  return table;
}

Table stored_table(const VerifyRun& run) {
  Table table{
      "Stored: bytes on rank 0 after the last step (holds: every line of every rank equals "
      "its ragged share exactly)",
      {"stage"},
      {}};
  for (const Category part : state_parts) table.headings.push_back(colored(part));
  for (const char* more : {"sum", "sum/Φ", "formula", "holds"}) table.headings.emplace_back(more);
  for (int stage = 0; stage < stage_count; ++stage) {
    std::vector<Cell> row{Cell::text(std::to_string(stage))};
    const std::string rank = fmt::format("stages.{}.memory.per_rank[0].", stage);
    std::uint64_t sum = 0;
    for (const Category part : state_parts) {
      const std::string path = fmt::format("{}{}.now", rank, name(part));
      sum += run.at(path).whole();
      row.push_back(number(run, path));
    }
    const std::string all =
        "sum of " + from(run, rank + "{parameters,gradients,master,momentum,variance}.now");
    row.push_back(Cell::number(thin(sum), all));
    row.push_back(Cell::number(
        fmt::format("{:.3f}", static_cast<double>(sum) / static_cast<double>(run.parameters)),
        all));
    row.push_back(Cell::number(formula(stage), "formula"));
    row.push_back(
        Cell::yes(stored_holds(run, stage),
                  from(run, fmt::format("stages.{}.memory.{{per_rank,formula}}", stage))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table peak_table(const VerifyRun& run) {
  Table table{
      "Peaks: bytes on rank 0 (activations of evaluation included; together: the largest of all at "
      "once, from the largest peak to their sum; process: as the system counts it, not judged)",
      {"stage"},
      {}};
  constexpr std::array shown{Category::parameters,  Category::gradients, Category::accumulator,
                             Category::activations, Category::buffers,   Category::data};
  for (const Category part : shown) table.headings.push_back(colored(part));
  for (const char* more : {"equal formulas", "together", "possible", "process, not judged"})
    table.headings.emplace_back(more);
  for (int stage = 0; stage < stage_count; ++stage) {
    std::vector<Cell> row{Cell::text(std::to_string(stage))};
    const std::string rank = fmt::format("stages.{}.memory.per_rank[0].", stage);
    for (const Category part : shown) {
      row.push_back(number(run, fmt::format("{}{}.peak", rank, name(part))));
    }
    row.push_back(
        Cell::yes(stored_holds(run, stage),
                  from(run, fmt::format("stages.{}.memory.{{per_rank,formula}}", stage))));
    row.push_back(number(run, rank + "peak_total"));
    row.push_back(
        Cell::yes(together_possible(run, stage),
                  from(run, fmt::format("{{stages,bytes}}.{}.memory.per_rank[*]", stage))));
    const JsonField process = run.at(rank + "rss_peak").field();
    row.push_back(Cell::number(process.is_null() ? "not available" : thin(process.whole()),
                               from(run, rank + "rss_peak")));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace zerolab
