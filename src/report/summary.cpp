#include "zerolab/report/summary.hpp"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "zerolab/report/console.hpp"

namespace zerolab {

namespace {

using nlohmann::json;

json or_null(std::optional<double> value) {
  return value ? json(*value) : json(nullptr);
}

/// JSON has no infinities and no NaN.
json finite(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json memory_json(const MemoryTable& table) {
  json tree;
  for (std::size_t c = 0; c < categories; ++c) {
    tree[std::string(name(static_cast<Category>(c)))] = {{"now", table[c].now},
                                                         {"peak", table[c].peak}};
  }
  return tree;
}

json traffic_json(const TrafficTable& table, bool with_other) {
  json tree;
  for (std::size_t c = 0; c < collectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    if (collective == Collective::other && !with_other) continue;
    tree[std::string(name(collective))] = {{"calls", table[c].calls},
                                           {"elements", table[c].elements},
                                           {"payload_bytes", table[c].payload_bytes},
                                           {"ring_bytes", table[c].ring_bytes}};
  }
  return tree;
}

}  // namespace

json summary_json(const Outcome& outcome, const Job& job) {
  json summary{{"ranks", outcome.reports.size()},
               {"stage", outcome.stage},
               {"precision", name(job.precision)},
               {"reduce", name(job.reduce)},
               {"seed", job.seed},
               {"parameters", job.shape.parameters()},
               {"first_step", outcome.first_step},
               {"steps", outcome.steps},
               {"stopped", nullptr},
               {"skipped_steps", outcome.skipped},
               {"loss", outcome.last ? finite(outcome.last->loss) : json(nullptr)},
               {"test_correct", outcome.evaluation.correct},
               {"test_samples", outcome.evaluation.samples},
               {"mpi", mpi_library()},
               {"blas_kernel", kernel_of(job)},
               {"digest",
                {{"parameters", hex(outcome.digest.parameters)},
                 {"master", hex(outcome.digest.master)},
                 {"moments", hex(outcome.digest.moments)}}},
               {"digest_agrees", outcome.digest.agrees()},
               {"seconds",
                {{"step_median", outcome.step_median},
                 {"compute_median", or_null(outcome.compute_median)},
                 {"communication_median", or_null(outcome.communication_median)}}},
               {"samples_per_second", outcome.samples_per_second}};
  json& memory = summary["memory"];
  json& traffic = summary["traffic"];
  for (const RankReport& report : outcome.reports) {
    json tree = memory_json(report.memory);
    tree["peak_total"] = report.memory_peak;
    tree["rss_peak"] = report.rss_peak ? json(*report.rss_peak) : json(nullptr);
    memory["per_rank"].push_back(std::move(tree));
    traffic["per_rank"].push_back(traffic_json(report.traffic, true));
  }
  for (const MemoryTable& table : outcome.memory_formula)
    memory["formula"].push_back(memory_json(table));
  for (const TrafficTable& table : outcome.traffic_formula) {
    traffic["formula"].push_back(traffic_json(table, false));
  }
  traffic["wire_bytes_per_rank"] = nullptr;
  return summary;
}

json metrics_json(std::size_t step, const StepResult& result, const Stage& stage, const Job& job,
                  std::size_t samples_so_far) {
  return {{"step", step + 1},
          {"loss", finite(result.loss)},
          {"grad_norm", finite(result.grad_norm)},
          {"clip_factor", result.clip_factor},
          {"loss_scale", result.loss_scale},
          {"skipped", result.skipped},
          {"lr", job.optimizer.learning_rate},
          {"optimizer_steps", stage.optimizer_states().updates()},
          {"samples_consumed", samples_so_far}};
}

namespace {

/// Opening a named pipe waits for its reader; here not for ever.
std::FILE* open_to_write(const std::string& name, const char* mode) {
  std::error_code none;
  int pipe = -1;
  if (std::filesystem::is_fifo(name, none)) {
    for (int tries = 0; tries < 50 && pipe < 0; ++tries) {
      if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      pipe = open(name.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    }
    require(pipe >= 0, "{}: is a named pipe that nobody reads", name);
    fcntl(pipe, F_SETFL, 0);  // writing waits, for as long as it is read
  }
  std::FILE* file = pipe >= 0 ? fdopen(pipe, mode) : std::fopen(name.c_str(), mode);
  require(file != nullptr, "{}: cannot be written: {}", name, std::strerror(errno));
  return file;
}

/// Whether this may be what was written of a line before its run was killed.
bool begun(const std::string& line) {
  const std::string_view start = R"({"clip_factor":)";
  return start.starts_with(line.substr(0, start.size()));
}

}  // namespace

LineFile::LineFile(const std::string& name) : name_(name), file_(open_to_write(name, "w")) {}

LineFile::LineFile(const std::string& name, std::size_t step) : name_(name) {
  std::error_code none;
  bool cut = false;                                    // of its end alone
  if (std::filesystem::is_regular_file(name, none)) {  // a pipe holds nothing to be cut
    std::uintmax_t kept = 0;
    std::size_t number = 1;
    std::ifstream file(name, std::ios::binary);
    for (std::string line; std::getline(file, line); ++number) {
      const json told = json::parse(line, nullptr, false);
      if (file.eof() && told.is_discarded() && begun(line)) break;
      require(
          told.is_object() && told.contains("step") && told["step"].is_number_unsigned(),
          "{} line {}: no line of --metrics; a resumed run goes on in the file of the one before",
          name, number);
      if (told["step"] > step) break;
      kept += line.size() + 1;
      cut = file.eof();
    }
    file.close();
    std::filesystem::resize_file(name, cut ? kept - 1 : kept, none);
    require(!none, "{}: cannot be written: {}", name, none.message());
  }
  file_ = open_to_write(name, "a");
  if (cut) std::fputs("\n", file_);
}

LineFile::~LineFile() {
  std::fclose(file_);
}

void LineFile::write(const json& line) {
  // A name on the command line need not be UTF-8; JSON must be.
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  const bool good = std::fputs(text.c_str(), file_) >= 0 && std::fflush(file_) == 0;
  require(good, "{}: writing failed: {}", name_, std::strerror(errno));
}

void check_writable(const std::string& file) {
  std::error_code none;
  if (std::filesystem::is_fifo(file, none)) return;  // who reads it would take this for the end
  std::fclose(open_to_write(file, "a"));
}

void write_file(const std::string& file, const std::string& text) {
  std::FILE* out = file == "-" ? stdout : open_to_write(file, "w");
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool flushed = std::fflush(out) == 0;
  const int error = errno;
  if (out != stdout) std::fclose(out);
  require(written && flushed, "{}: writing failed: {}", file == "-" ? "standard output" : file,
          std::strerror(error));
}

}  // namespace zerolab
