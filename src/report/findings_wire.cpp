// What an MPI says that it sends in single calls.
#include "experiment_file.hpp"
#include "findings.hpp"

namespace zerolab::findings {

void add_counted_calls(const Folder& folder, Finding& finding) {
  const ExperimentFile file{folder.results, "experiment-wire.json"};
  const std::string what = "bytes on the wire of single calls, as the MPI counts them";
  if (!file.there() || file.ranks() == 1) return add(finding, {}, what + " (" + file.file + ")");
  const Selection fault = file.at("not_available");
  if (!fault.field().is_null()) return add(finding, {}, what + ": " + fault.field().text());
  const auto sum = [&](const char* calls, const char* key) {
    return file.at(fmt::format("{}.{}[*]", calls, key)).sum();
  };
  const std::uint64_t whole = sum("allreduce", "sent"), scatter = sum("reduce_scatter", "sent"),
                      halves = scatter + sum("allgather", "sent");
  add(finding,
      {"measured",
       "bytes on the wire, one reduce-scatter over one all-reduce of 1 MB; right: less than 1",
       {{file.where(), times(scatter, whole), scatter < whole}},
       {{file.file, "{reduce_scatter,allreduce}.sent[*]"}}},
      "");
  const bool ring = whole == sum("allreduce", "ring");
  add(finding,
      {"measured",
       "bytes on the wire, a reduce-scatter and an all-gather over an all-reduce; right: 1 (judged "
       "where the all-reduce sends in sum what a ring does)",
       {{file.where(), times(halves, whole), ring ? std::optional(halves == whole) : std::nullopt}},
       {{file.file, "{reduce_scatter,allgather,allreduce}.sent[*]"},
        {file.file, "allreduce.ring[*]"}}},
      "");
}

}  // namespace zerolab::findings
