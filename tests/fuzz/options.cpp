// The command line: each line of the input is an argument. Whatever they are, parse_command_line
// answers with a command, a help text or a refusal of one line, the same each time, and opens,
// makes and removes no file: it looks only at whether names are of the same file.
#include "zerolab/report/options.hpp"

#include <cmath>
#include <filesystem>
#include <set>

#include "line_mutator.hpp"
#include "memory_file.hpp"
#include "no_files.hpp"
#include "zerolab/report/items.hpp"
#include "zerolab/report/saved_run.hpp"

namespace zerolab {

// The question bank by ids of each kind; ask's own refers to all that is measured.
std::vector<Item> all_items() {
  const auto item = [](const char* id) { return Item{id, Group::why, "", "", "", nullptr}; };
  return {item("TF7"), item("5.2"), item("S4"), item("EC1")};
}

}  // namespace zerolab

namespace {

using namespace zerolab;

void check_words(const CommandLine& line) {
  check(line.command.empty(), "a command, and yet something to say: " + line.text);
  if (line.exit_code == 0) return;
  check(line.exit_code == 2, "exit code " + std::to_string(line.exit_code));
  check(line.text.starts_with("zerolab: ") && line.text.find('\n') + 1 == line.text.size(),
        "a refusal that is not one line: " + line.text);
}

/// What the documented bounds of options leave.
void check_job(const Options& o, bool verify) {
  const Job& job = o.job;
  check(job.batch > 0 && job.accumulate > 0 && o.epochs > 0 && job.chunk_elements > 0, "counts");
  check(!o.hidden.empty() && std::ranges::count(o.hidden, std::size_t{0}) == 0, "--hidden");
  check(o.stage >= 0 && o.stage <= 3, "--stage");
  const std::set<int> stages(o.stages.begin(), o.stages.end());
  check(!stages.empty() && stages.size() == o.stages.size(), "--stages");
  check(*stages.begin() >= 0 && *stages.rbegin() <= 3, "--stages");
  check(!job.overlap || !(verify ? stages.contains(1) : o.stage == 1), "--overlap of stage 1");
  const OptimizerSettings& optimizer = job.optimizer;
  check(std::isfinite(optimizer.learning_rate) && optimizer.learning_rate >= 0, "--lr");
  check(std::isfinite(optimizer.weight_decay) && optimizer.weight_decay >= 0, "--weight-decay");
  check(optimizer.momentum >= 0 && optimizer.momentum < 1, "--momentum");
  check(job.clip_norm > 0, "--clip-norm");
  const double scale = job.loss_scale.fixed.value_or(1);
  check(std::exp2(std::round(std::log2(scale))) == scale && scale >= 1 && scale <= 0x1p24,
        "--loss-scale");
}

/// Those about checkpoints, in train alone.
void check_saving(const Options& o) {
  check(!o.save.empty() || (o.save_every == 0 && o.keep == 0 && !o.time_limit), "without --save");
  check(o.time_limit.value_or(1) > 0 && std::isfinite(o.time_limit.value_or(1)), "--time-limit");
  check(o.stall_limit >= 0 && std::isfinite(o.stall_limit), "--stall-limit");
  for (const std::string& name : o.allow) check(allowable().contains(name), "--allow " + name);
  check(o.resume.empty() || (o.digests.empty() && o.against.empty()), "--resume with digests");
  check(o.wire.empty() || (o.resume.empty() && o.save.empty()), "--wire of a part of a run");
}

void check_checkpoint(const CheckpointOptions& o) {
  static const std::set<std::string> actions{"info", "verify", "export", "diff"};
  check(actions.contains(o.action), "checkpoint " + o.action);
  check(o.names.size() == (o.action == "diff" ? 2 : 1), "checkpoint: how many names");
  for (const std::string& name : o.names) check(!name.empty() && name != "-", "checkpoint: a name");
  check(o.output.empty() == (o.action != "export"), "checkpoint: --output");
  check(o.json.empty() || o.action == "info", "checkpoint: --json");
}

/// No file is written that is also written or read by another option, by the least that can be
/// said: names that differ in dots and slashes alone are of one file.
void check_files(const Options& o) {
  std::set<std::string> names;
  const auto plain = [](const std::string& file) {
    return std::filesystem::path(file).lexically_normal().string();
  };
  const std::size_t colon = std::min(o.data.find(':'), o.data.size());
  if (o.data.starts_with("csv:")) names.insert(plain(o.data.substr(colon + 1)));
  if (!o.resume.empty()) names.insert(plain(o.resume));
  for (const std::string& file : o.against) names.insert(plain(file));
  for (const std::string& file :
       {o.json_only() ? "" : o.json, o.metrics, o.timeline, o.digests, o.wire}) {
    const bool fresh =
        file.empty() || file.starts_with("/dev/") || names.insert(plain(file)).second;
    check(fresh, "two files of one name: " + file);
  }
}

CommandLine parsed(const std::vector<const char*>& words) {
  parsing = true;
  CommandLine line = parse_command_line(static_cast<int>(words.size()) - 1, words.data());
  parsing = false;
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(bytes), size);
  if (text.find('\0') != std::string::npos) return 0;  // no argument holds one
  if (text.ends_with('\n')) text.pop_back();
  for (char& c : text) c = c == '\n' ? '\0' : c;
  std::vector<const char*> words{"zerolab"};
  for (std::size_t at = 0; size > 0 && at <= text.size();
       at += std::string_view(words.back()).size() + 1) {
    words.push_back(text.c_str() + at);
  }
  words.push_back(nullptr);
  const CommandLine line = parsed(words);
  if (size % 8 == 0) {  // not each time: it takes milliseconds
    const CommandLine again = parsed(words);
    check(line.text == again.text && line.command == again.command, "parsed twice, it differs");
  }
  if (line.command.empty() || !line.text.empty()) {
    check_words(line);
    return 0;
  }
  static const std::set<std::string> known{"train", "verify", "ask",       "doctor",
                                           "plan",  "report", "checkpoint"};
  check(known.contains(line.command) && line.exit_code == 0, "command " + line.command);
  keep_accepted(std::string(reinterpret_cast<const char*>(bytes), size));
  if (line.command == "train" || line.command == "verify") {
    check_job(line.options, line.command == "verify");
    check_files(line.options);
    if (line.command == "train") check_saving(line.options);
  }
  if (line.command == "checkpoint") check_checkpoint(line.checkpoint);
  return 0;
}
