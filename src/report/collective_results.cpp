// doctor --collectives: what each rank holds after the three collectives of ZeRO, on numbers that
// can be checked by hand.
#include "doctor.hpp"
#include "zerolab/core/buffer.hpp"
#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

/// "2 4 6", or "2 4 … 16" where there are many.
std::string numbers(std::span<const float> values, double divisor) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool left_out = values.size() > 4 && i > 1 && i + 1 < values.size();
    if (left_out && i > 2) continue;
    text += i > 0 ? " " : "";
    text += left_out ? "…" : fmt::format("{:g}", static_cast<double>(values[i]) / divisor);
  }
  return text;
}

/// Element i of rank r: (r + 1)(i + 1); an element a rank, so each shard is one.
void fill(Buffer& vector, std::size_t rank) {
  const auto values = vector.as<float>();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((rank + 1) * (i + 1));
}

}  // namespace

std::string collective_results(Communicator& comm) {
  const auto outside = comm.outside_training();
  const std::size_t n = comm.size();
  const auto average = static_cast<double>(n);
  MemoryLedger memory;
  Buffer vector(memory, Category::buffers, NumberType::fp32, n);
  const auto all = vector.as<float>();
  std::vector<std::string> cells;
  fill(vector, comm.rank());
  cells.push_back(numbers(all, 1));
  comm.all_reduce(vector);
  cells.push_back(numbers(all, average));
  fill(vector, comm.rank());
  comm.reduce_scatter(vector);
  cells.push_back(numbers(all.first(1), average));
  all[comm.rank()] = all[0];  // my shard, where it belongs; nothing of the others
  for (std::size_t i = 0; i < n; ++i) all[i] = i == comm.rank() ? all[i] : 0;
  comm.all_gather(vector);
  cells.push_back(numbers(all, average));

  std::vector<std::vector<std::string>> rows{
      {"rank", "holds before", "all-reduce", "reduce-scatter", "all-gather of those"}};
  std::vector<std::vector<std::string>> columns;
  columns.reserve(cells.size());
  for (const std::string& cell : cells) columns.push_back(comm.gather(cell));
  for (std::size_t r = 0; r < columns[0].size(); ++r) {
    rows.push_back({std::to_string(r)});
    for (const auto& column : columns) rows.back().push_back(column[r]);
  }
  if (comm.rank() != 0) return "";
  return fmt::format("What each rank holds after a call; sums are divided by N = {}\n{}", n,
                     table(rows));
}

}  // namespace zerolab
