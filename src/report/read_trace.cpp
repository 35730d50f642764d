// Reading a digest trace back: every line is checked, so that a file that was cut or edited is told
// apart from a run that differs.
#include <charconv>
#include <climits>
#include <filesystem>
#include <fstream>
#include <set>

#include "parsed_json.hpp"
#include "zerolab/report/digest_trace.hpp"

namespace zerolab {

namespace {

using nlohmann::json;

/// Reads a trace line by line and says of what it refuses where it stands.
class TraceReader {
 public:
  explicit TraceReader(const std::string& file) : name_(file) {
    std::error_code none;
    require(std::filesystem::exists(file, none), "{}: no such file", file);
    require(std::filesystem::is_regular_file(file, none), "{}: is no ordinary file", file);
    file_.open(file);
    require(file_.is_open(), "{}: cannot be opened", file);
  }

  void need(bool good, const std::string& fault) const {
    require(good, "{} line {}: {}", name_, number_, fault);
  }
  bool next_line() {
    ++number_;
    return static_cast<bool>(std::getline(file_, line_));
  }
  /// The line as a JSON object with exactly these keys.
  json object(const std::set<std::string>& keys) const {
    json value = parsed_json(line_, fmt::format("{} line {}", name_, number_));
    need(!value.is_discarded(), "no JSON, or cut off: '" + line_.substr(0, 40) + "'");
    std::set<std::string> found;
    if (value.is_object())
      for (const auto& [key, unused] : value.items()) found.insert(key);
    need(found == keys, fmt::format("no object with the keys {}", fmt::join(keys, ", ")));
    return value;
  }

 private:
  std::string name_, line_;
  std::ifstream file_;
  std::size_t number_ = 0;
};

bool is_count(const json& value, std::uint64_t least, std::uint64_t most) {
  return value.is_number_unsigned() && value >= least && value <= most;
}

void read_header(const TraceReader& reader, DigestTrace& trace) {
  const json line = reader.object({trace_format_key, "job", "run"});
  reader.need(line[trace_format_key] == trace_format,
              fmt::format("format {}; this program reads format {}", line[trace_format_key].dump(),
                          trace_format));
  trace.header = {line["job"], line["run"]};
  const json widths =
      trace.header.job.is_object() ? trace.header.job.value("widths", json()) : json();
  reader.need(widths.is_array() && widths.size() >= 2, "job.widths are not the widths of layers");
  for (const json& width : widths) {
    reader.need(is_count(width, 1, INT_MAX - 1), "job.widths are not the widths of layers");
    trace.shape.widths.push_back(width);
  }
  for (std::size_t l = 0; l < trace.shape.units(); ++l)
    reader.need(trace.shape.elements(l) <= INT_MAX, "job.widths are too large for a layer");
  const json steps = trace.header.job.value("steps", json());
  reader.need(is_count(steps, 0, std::uint64_t{1} << 50U), "job.steps is no number of steps");
  trace.steps = steps;
}

RangeDigests read_digests(const TraceReader& reader, const json& list, std::size_t ranges) {
  reader.need(list.is_array() && list.size() == ranges,
              fmt::format("there are not {} digests", ranges));
  RangeDigests digests;
  for (const json& entry : list) {
    const std::string text = entry.is_string() ? entry.get<std::string>() : std::string();
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, value, 16);
    reader.need(text.size() == 16 && fault == std::errc() && stop == end,
                fmt::format("{} is no digest of 16 hexadecimal digits", entry.dump()));
    digests.push_back(value);
  }
  return digests;
}

}  // namespace

DigestTrace read_trace(const std::string& file) {
  TraceReader reader(file);
  DigestTrace trace;
  trace.file = file;
  reader.need(reader.next_line(), "the file is empty, and a digest trace is wanted");
  read_header(reader, trace);
  for (std::size_t step = 0; step <= trace.steps; ++step) {
    for (std::size_t unit = 0; unit < trace.shape.units(); ++unit) {
      const std::string place = fmt::format("step {}, unit {}", step, unit);
      reader.need(reader.next_line(), "the file ends before " + place);
      const json line = reader.object({"step", "unit", "digests"});
      reader.need(line["step"] == step && line["unit"] == unit, "this is not " + place);
      const std::size_t ranges = digest_ranges(trace.shape, unit).ranks;
      trace.digests.push_back(read_digests(reader, line["digests"], ranges));
    }
  }
  reader.need(!reader.next_line(), fmt::format("more lines than {} steps have", trace.steps));
  return trace;
}

}  // namespace zerolab
