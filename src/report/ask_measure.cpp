// What ask measures, and how all ranks come to measure it together.
#include "ask_measure.hpp"

#include <algorithm>

#include "doctor.hpp"
#include "exercises.hpp"
#include "verification.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

namespace {

constexpr const char *machine_file = "doctor.json", *verify_start = "verify-";
constexpr const char* no_more = "";  // in place of a file's name

/// The documents' job, short: bits under exact, bytes under mpi.
Options short_job() {
  Options options;
  options.steps = 3;
  options.quiet = true;
  return options;
}

}  // namespace

Measurements::Measurements(Communicator& comm, Machine machine, std::string folder, bool quiet,
                           std::span<const Experiment> experiments)
    : comm_(comm),
      machine_(std::move(machine)),
      folder_(std::move(folder)),
      quiet_(quiet),
      experiments_(experiments) {}

std::set<std::string> Measurements::files() const {
  std::set<std::string> names{machine_file};
  for (const std::size_t ranks : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4},
                                  std::size_t{8}, comm_.size()}) {
    if (ranks <= comm_.size()) names.insert(fmt::format("{}{}.json", verify_start, ranks));
  }
  for (const Experiment& experiment : experiments_) names.insert(experiment.file);
  for (const auto& [file, command] : exercise_files()) names.insert(file);
  return names;
}

std::string Measurements::tell(const std::string& words) {
  comm_.patient_barrier();
  return comm_.broadcast(words, 0);
}

nlohmann::json Measurements::verify_on(std::size_t ranks) {
  nlohmann::json file;
  std::string fault;
  try {
    if (const auto part = comm_.first(ranks)) file = measured_verification(short_job(), *part);
  } catch (const AgreedError& error) {
    fault = error.what();
  }
  comm_.patient_barrier();
  together(comm_, [&] { require(fault.empty(), "{}", fault); });
  return file;
}

nlohmann::json Measurements::measure_together(const std::string& file) {
  try {
    return measured(file);
  } catch (const AgreedError&) {
    throw;
  } catch (const Error& error) {
    throw std::runtime_error(fmt::format("{}: {}", file, error.what()));
  }
}

nlohmann::json Measurements::measured(const std::string& file) {
  if (file == machine_file) return measured_machine(comm_, machine_);
  if (file.starts_with(verify_start)) {
    return verify_on(std::stoull(file.substr(std::string_view(verify_start).size())));
  }
  const auto found =
      std::ranges::find_if(experiments_, [&](const Experiment& e) { return file == e.file; });
  return found == experiments_.end() ? nullptr : found->measure(comm_);
}

nlohmann::json Measurements::measure(const std::string& file) {
  const auto exercises = exercise_files();
  nlohmann::json content;
  if (const auto command = exercises.find(file); command != exercises.end()) {
    content = exercise_answer(command->second);
  } else {
    StatusLine line(!quiet_);
    line.show("measuring " + file);
    tell(file);
    content = measure_together(file);
  }
  if (!folder_.empty() && !content.is_null()) {
    write_file(folder_ + "/" + file, content.dump(2) + "\n");
  }
  return content;
}

int Measurements::during(const std::function<int(Results&)>& work) {
  std::string fault;
  int code = 1;
  if (comm_.rank() == 0) {
    try {
      Results results(files(), [this](const std::string& file) { return measure(file); });
      code = work(results);
    } catch (const AgreedError&) {
      throw;  // out of a measurement, and so on all ranks
    } catch (const Error& error) {
      fault = error.what();
    }
    tell(no_more);
  } else {
    for (std::string file = tell(""); file != no_more; file = tell("")) measure_together(file);
  }
  together(comm_, [&] { require(fault.empty(), "{}", fault); });
  return static_cast<int>(comm_.maximum(comm_.rank() == 0 ? static_cast<std::uint64_t>(code) : 0));
}

}  // namespace zerolab
