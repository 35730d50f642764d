#include "experiment_file.hpp"

namespace zerolab {

std::uint64_t ExperimentFile::ranks() const {
  const std::uint64_t ranks = whole("ranks");
  require(ranks > 0, "{}/{}: ranks is 0", results.folder(), file);
  return ranks;
}

bool ended_alike(const JsonField& one, const JsonField& other) {
  bool alike = same_digests(one, other);
  for (const JsonField* run : {&one, &other}) {
    alike &= (*run)["agrees"].truth() && (*run)["updates"].whole() > 0;
  }
  return alike;
}

Finding decided_by(const ExperimentFile& file, const std::string& what, std::uint64_t least_ranks,
                   const std::function<std::vector<Evidence>()>& evidence) {
  if (!file.there()) return {{}, {fmt::format("{} ({})", what, file.file)}};
  Finding finding{evidence(), {}};
  if (file.ranks() < least_ranks) {
    leave_undecided(finding,
                    fmt::format("{}, on {} ranks or more ({})", what, least_ranks, file.file));
  }
  return finding;
}

}  // namespace zerolab
