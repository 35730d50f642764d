// The tables of one verify-N.json on bits and memory, as verify prints them.
#include "figure_script.hpp"
#include "page_sections.hpp"
#include "zerolab/report/cost_model.hpp"

namespace zerolab {

namespace {

using html::Cell;
using html::Table;

constexpr int stages = 4;
constexpr std::array state_parts{Category::parameters, Category::gradients, Category::master,
                                 Category::momentum, Category::variance};

std::string from(const VerifyRun& run, const std::string& path) {
  return run.file + ": " + path;
}

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

}  // namespace

Table bits_table(const VerifyRun& run) {
  Table table{fmt::format("Bits, trained under --reduce {} with kernel {}",
                          run.at("stages.0.reduce").field().text(),
                          run.at("stages.0.blas_kernel").field().text()),
              {"stage", "digest of the parameters", "= stage 0", "ranks agree", "steps", "skipped",
               "last loss", "test accuracy"},
              {}};
  for (int stage = 0; stage < stages; ++stage) {
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
         Cell::number(accuracy(run, s), from(run, part + "{test_correct,test_samples}"))});
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
  for (int stage = 0; stage < stages; ++stage) {
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
      "Peaks: bytes on rank 0 (activations of evaluation included; process: as the system "
      "counts it)",
      {"stage"},
      {}};
  constexpr std::array shown{Category::parameters,  Category::gradients, Category::accumulator,
                             Category::activations, Category::buffers,   Category::data};
  for (const Category part : shown) table.headings.push_back(colored(part));
  for (const char* more : {"together", "process", "holds"}) table.headings.emplace_back(more);
  for (int stage = 0; stage < stages; ++stage) {
    std::vector<Cell> row{Cell::text(std::to_string(stage))};
    const std::string rank = fmt::format("stages.{}.memory.per_rank[0].", stage);
    for (const Category part : shown) {
      row.push_back(number(run, fmt::format("{}{}.peak", rank, name(part))));
    }
    row.push_back(number(run, rank + "peak_total"));
    const JsonField process = run.at(rank + "rss_peak").field();
    row.push_back(Cell::number(process.is_null() ? "not available" : thin(process.whole()),
                               from(run, rank + "rss_peak")));
    row.push_back(
        Cell::yes(stored_holds(run, stage),
                  from(run, fmt::format("stages.{}.memory.{{per_rank,formula}}", stage))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace zerolab
