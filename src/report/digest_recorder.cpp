#include "zerolab/report/digest_recorder.hpp"

#include <algorithm>

#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

std::string value_of(const nlohmann::json& object, const std::string& key) {
  if (!object.contains(key)) return "not given";
  return object[key].is_string() ? object[key].get<std::string>() : object[key].dump();
}

}  // namespace

std::string Comparison::text(bool expect_difference) const {
  return body(expect_difference) +
         fmt::format("{}: {} from {}\n", first.has_value() == expect_difference ? "holds" : "FAILS",
                     first ? "a difference" : "no difference", theirs.file);
}

std::string Comparison::body(bool expect_difference) const {
  std::string text = fmt::format("\nAgainst {}\n", theirs.file);
  if (theirs.header.run.is_object()) {
    for (const auto& [key, unused] : mine.run.items()) {
      const std::string a = value_of(mine.run, key), b = value_of(theirs.header.run, key);
      if (a != b) text += fmt::format("  {}: {} there, {} {}\n", key, b, a, my_name);
    }
  }
  if (!first) {
    return text + fmt::format("  the digests agree, steps 0 to {}{}\n", theirs.steps,
                              expect_difference ? ", but should part" : "");
  }
  const std::string when =
      first->step == 0 ? "before the first step" : "in step " + grouped(first->step);
  return text + fmt::format(
                    "  the digests part {}, unit {}, elements {} to {} of {}\n"
                    "    ({} of that unit's {} ranges differ)\n",
                    when, first->unit, first->first, first->last, grouped(first->elements),
                    first->differing, first->of);
}

nlohmann::json Comparison::json() const {
  nlohmann::json result{{"file", theirs.file}, {"agree", !first}, {"first_difference", nullptr}};
  if (first) {
    result["first_difference"] = {{"step", first->step},
                                  {"unit", first->unit},
                                  {"first", first->first},
                                  {"last", first->last},
                                  {"differing_ranges", first->differing}};
  }
  return result;
}

DigestRecorder::DigestRecorder(const Options& options, const JobData& data, int stage,
                               Communicator& comm)
    : job_(data.job), comm_(comm), wanted_(!options.digests.empty() || !options.against.empty()) {
  together(comm, [&] {
    if (comm.rank() != 0) return;
    const TraceHeader header = trace_header(options, data, stage, comm.size());
    if (!options.against.empty()) {
      comparison_ = Comparison{header, "here", read_trace(options.against[0])};
      require_same_job(header, "here", comparison_->theirs);
    }
    if (options.digests.empty()) return;
    file_.emplace(options.digests);
    file_->write(header.line());
  });
}

void DigestRecorder::record(std::size_t step, const Stage& stage) {
  if (!wanted_) return;
  const auto outside = comm_.outside_training();
  std::vector<std::uint64_t> words = my_range_digests(stage, job_, comm_);
  comm_.sum(words);
  auto begin = words.begin();
  for (std::size_t l = 0; l < job_.shape.units(); ++l) {
    const auto end = begin + static_cast<std::ptrdiff_t>(digest_ranges(job_.shape, l).ranks);
    const RangeDigests unit(begin, end);
    begin = end;
    if (file_) file_->write(trace_line(step, l, unit));
    if (comparison_ && !comparison_->first)
      comparison_->first = parting(job_.shape, step, l, unit, comparison_->theirs.at(step, l));
  }
}

int compare_traces(const Options& options, Communicator& comm) {
  bool good = true;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    const DigestTrace mine = read_trace(options.against[0]);
    const std::string name = "in " + mine.file;
    Comparison comparison{mine.header, name, read_trace(options.against[1])};
    require_same_job(mine.header, name, comparison.theirs);
    for (std::size_t i = 0; i < mine.digests.size() && !comparison.first; ++i) {
      const std::size_t step = i / mine.shape.units(), unit = i % mine.shape.units();
      comparison.first =
          parting(mine.shape, step, unit, mine.digests[i], comparison.theirs.digests[i]);
    }
    good = comparison.first.has_value() == options.expect_difference;
    if (!options.json_only()) fmt::print("{}", comparison.text(options.expect_difference));
    if (!options.json.empty()) write_file(options.json, comparison.json().dump(2) + "\n");
  });
  return comm.maximum(good ? 0 : 1) == 0 ? 0 : 1;
}

}  // namespace zerolab
