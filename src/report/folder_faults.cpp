// Lines of the results that are not what they should be, wherever they are.
#include "findings.hpp"
#include "zerolab/comm/traffic_ledger.hpp"
#include "zerolab/core/memory_ledger.hpp"

namespace zerolab {

namespace {

/// Two lists of lines by rank, each line a table of what `names` says: where they differ.
void compare(std::vector<std::string>& faults, const VerifyRun& run, const std::string& list,
             const std::vector<std::string>& names, const std::vector<const char*>& columns) {
  const Selection counted = run.at(list + ".per_rank[*]"), formula = run.at(list + ".formula[*]");
  for (std::size_t rank = 0; rank < counted.fields().size(); ++rank) {
    for (const std::string& line : names) {
      const JsonField here = counted.fields()[rank][line], right = formula.fields()[rank][line];
      for (const char* column : columns) {
        if (here[column].whole() == right[column].whole()) continue;
        faults.push_back(
            fmt::format("{} {}.per_rank[{}].{}.{}", run.file, list, rank, line, column));
      }
    }
  }
}

template <class Kind>
std::vector<std::string> names_of(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.emplace_back(name(static_cast<Kind>(i)));
  return names;
}

}  // namespace

std::vector<std::string> ledger_faults(const Folder& folder) {
  const auto memory = names_of<Category>(categories);
  auto traffic = names_of<Collective>(collectives);
  std::erase(traffic, std::string(name(Collective::other)));  // outside the formula
  std::vector<std::string> faults;
  for (const VerifyRun& run : folder.runs) {
    for (const char* part : {"stages", "bytes"}) {
      for (int stage = 0; stage < 4; ++stage) {
        const std::string here = fmt::format("{}.{}", part, stage);
        compare(faults, run, here + ".memory", memory, {"now", "peak"});
        compare(faults, run, here + ".traffic", traffic,
                {"calls", "elements", "payload_bytes", "ring_bytes"});
      }
    }
  }
  return faults;
}

}  // namespace zerolab
