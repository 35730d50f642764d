#include "zerolab/report/digest_trace.hpp"

#include <cmath>
#include <set>

#include "zerolab/report/console.hpp"

#ifdef __clang__
#define ZEROLAB_COMPILER "clang " __clang_version__
#else
#define ZEROLAB_COMPILER "gcc " __VERSION__
#endif

namespace zerolab {

namespace {

using nlohmann::json;

std::string shown(const json& object, const std::string& key) {
  return object.contains(key) ? object[key].dump() : "not given";
}

}  // namespace

json TraceHeader::line() const {
  return {{trace_format_key, trace_format}, {"job", job}, {"run", run}};
}

TraceHeader trace_header(const Options& options, const JobData& data, int stage,
                         std::size_t ranks) {
  const Job& job = data.job;
  return {{{"widths", job.shape.widths},
           {"precision", name(job.precision)},
           {"reduce", name(job.reduce)},
           {"optimizer", name(job.optimizer.kind)},
           {"lr", job.optimizer.learning_rate},
           {"momentum", job.optimizer.momentum},
           {"weight_decay", job.optimizer.weight_decay},
           {"clip_norm", std::isfinite(job.clip_norm) ? json(job.clip_norm) : json(nullptr)},
           {"loss_scale", job.loss_scale.fixed ? json(*job.loss_scale.fixed) : json("dynamic")},
           {"loss_scale_growth_interval", job.loss_scale.growth_interval},
           {"batch", job.batch},
           {"global_batch", data.global_batch},
           {"steps", data.steps},
           {"seed", job.seed},
           {"training_samples", data.data->samples(Split::train)},
           {"data_checksum", fmt::format("{:08x}", data.data->checksum())}},
          {{"zerolab", ZEROLAB_VERSION},
           {"data", options.data},
           {"stage", stage},
           {"ranks", ranks},
           {"accumulate", job.accumulate},
           {"virtual_shards", job.virtual_shards},
           {"checkpoint_activations", job.activation_segments},
           {"overlap", job.overlap},
           {"mpi", mpi_library()},
           {"blas", blas_version()},
           {"kernel", kernel_of(job)},
           {"compiler", ZEROLAB_COMPILER}}};
}

json trace_line(std::size_t step, std::size_t unit, const RangeDigests& digests) {
  json line{{"step", step}, {"unit", unit}};
  for (const std::uint64_t digest : digests) line["digests"].push_back(hex(digest));
  return line;
}

void require_same_job(const TraceHeader& mine, const std::string& my_name,
                      const DigestTrace& theirs) {
  std::set<std::string> keys;
  for (const json* job : {&mine.job, &theirs.header.job})
    for (const auto& [key, unused] : job->items()) keys.insert(key);
  std::vector<std::string> faults;
  for (const std::string& key : keys) {
    const std::string a = shown(mine.job, key), b = shown(theirs.header.job, key);
    if (a != b) faults.push_back(fmt::format("{} is {} there, {} {}", key, b, a, my_name));
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
