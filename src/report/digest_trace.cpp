#include "zerolab/report/digest_trace.hpp"

#include "zerolab/report/job_json.hpp"

namespace zerolab {

using nlohmann::json;

json TraceHeader::line() const {
  return {{trace_format_key, trace_format}, {"job", job}, {"run", run}};
}

TraceHeader trace_header(const Options& options, const JobData& data, int stage,
                         std::size_t ranks) {
  json job = job_json(data.job);
  job.update({{"global_batch", data.plan.global_batch()},
              {"steps", data.steps},
              {"training_samples", data.data->samples(Split::train)},
              {"data_checksum", data_checksum(*data.data)}});
  return {std::move(job), run_json(options.data, data.job, stage, ranks)};
}

json trace_line(std::size_t step, std::size_t unit, const RangeDigests& digests) {
  json line{{"step", step}, {"unit", unit}};
  for (const std::uint64_t digest : digests) line["digests"].push_back(hex(digest));
  return line;
}

void require_same_job(const TraceHeader& mine, const std::string& my_name,
                      const DigestTrace& theirs) {
  std::vector<std::string> faults;
  for (const std::string& key : differing_keys(mine.job, theirs.header.job)) {
    faults.push_back(fmt::format("{} is {} there, {} {}", key, shown(theirs.header.job, key),
                                 shown(mine.job, key), my_name));
  }
  require(faults.empty(), "{} is the trace of another job: {}", theirs.file,
          fmt::join(faults, "; "));
}

std::optional<Parting> parting(const NetworkShape& shape, std::size_t step, std::size_t unit,
                               const RangeDigests& a, const RangeDigests& b) {
  const Shards ranges = digest_ranges(shape, unit);
  Parting found{step, unit, 0, 0, 0, ranges.ranks, ranges.elements};
  for (std::size_t r = ranges.ranks; r-- > 0;) {
    if (a[r] == b[r]) continue;
    ++found.differing;
    found.first = ranges.first(r);
    found.last = ranges.first(r) + ranges.size(r) - 1;
  }
  return found.differing > 0 ? std::optional(found) : std::nullopt;
}

}  // namespace zerolab
