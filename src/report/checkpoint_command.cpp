// checkpoint: what a checkpoint holds, whether it is whole, as NumPy files, and against another.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "checkpoint_states.hpp"
#include "option_values.hpp"
#include "zerolab/core/process.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/job_json.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

namespace {

using nlohmann::json;

/// A value as a line can show it, whatever the file holds.
std::string plain(const json& object, const std::string& key) {
  std::string text = object.contains(key) && object[key].is_string()
                         ? object[key].get<std::string>()
                         : shown(object, key);
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  std::size_t end = std::min<std::size_t>(text.size(), 60);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

void print_info(const OpenCheckpoint& checkpoint) {
  const auto& [job, run, at, samples] = checkpoint.saved;
  const CheckpointHead& head = checkpoint.file.head();
  fmt::print("{} · {} bytes · format version {}\n", checkpoint.file.path(),
             grouped(head.file_bytes()), CheckpointHead::version);
  fmt::print("{}",
             joined({plain(run, "data"), fmt::format("{}", fmt::join(checkpoint.shape.widths, "-")),
                     fmt::format("Φ = {}", grouped(head.elements)),
                     fmt::format("{}", name(checkpoint.precision)), plain(job, "reduce"),
                     plain(job, "optimizer"), "seed " + plain(job, "seed")}));
  fmt::print("after step {}: {} epochs and {} samples, {} in all\n", grouped(at.step),
             at.position.epoch, grouped(at.position.sample), grouped(samples));
  fmt::print("{} optimizer steps, {} skipped · loss scale {}, {} updates since it changed\n",
             grouped(at.updates), grouped(at.scaler.skips), at.scaler.scale,
             grouped(at.scaler.updates_in_a_row));
  fmt::print("{}", joined({"saved by stage " + plain(run, "stage"), "N = " + plain(run, "ranks"),
                           "zerolab " + plain(run, "zerolab"), plain(run, "mpi"),
                           "kernel " + plain(run, "kernel")}));
  std::vector<std::vector<std::string>> rows{{"state", "elements", "bytes", "from byte", "blocks"}};
  for (const SavedState state : head.states) {
    rows.push_back({name(state), grouped(head.elements), grouped(head.elements * sizeof(float)),
                    grouped(head.offset(state, 0)), grouped(head.blocks())});
  }
  fmt::print("{}", table(rows));
}

json info_json(const OpenCheckpoint& checkpoint) {
  const CheckpointHead& head = checkpoint.file.head();
  json info = json::parse(checkpoint.saved.text());
  info["file"] = checkpoint.file.path();
  info["bytes"] = head.file_bytes();
  info["parameters"] = head.elements;
  for (const SavedState state : head.states)
    info["states"][name(state)] = {{"offset", head.offset(state, 0)}, {"blocks", head.blocks()}};
  return info;
}

int info(const CheckpointOptions& options) {
  const OpenCheckpoint checkpoint = open_checkpoint(options.names[0]);
  require(options.json == "-" || !same_file(options.json, checkpoint.file.path()),
          "--json would be written over the checkpoint, {}", checkpoint.file.path());
  if (options.json != "-") print_info(checkpoint);
  if (!options.json.empty()) {
    const std::string text =
        info_json(checkpoint).dump(2, ' ', false, json::error_handler_t::replace);
    write_file(options.json, text + "\n");
  }
  return 0;
}

int verify(const CheckpointOptions& options) {
  const OpenCheckpoint checkpoint = open_checkpoint(options.names[0]);
  const std::vector<std::string> damaged = damaged_blocks(checkpoint);
  for (const std::string& block : damaged) complain(block);
  if (!damaged.empty()) return 1;
  fmt::print("whole: {}, step {}, {} blocks\n{}\n", checkpoint.file.path(),
             checkpoint.saved.at.step, checkpoint.file.head().checksums.size(),
             digests_of(checkpoint));
  return 0;
}

int export_command(const CheckpointOptions& options) {
  const OpenCheckpoint checkpoint = open_checkpoint(options.names[0]);
  for (const std::string& file : export_states(checkpoint, options.output))
    fmt::print("{}\n", (std::filesystem::path(options.output) / file).string());
  fmt::print("{}\n", digests_of(checkpoint));
  return 0;
}

/// As diff: silent when there is nothing to tell.
int diff(const CheckpointOptions& options) {
  const OpenCheckpoint a = open_checkpoint(options.names[0]), b = open_checkpoint(options.names[1]);
  const std::vector<std::string> lines = differences(a, b);
  if (!lines.empty()) fmt::print("there: {}\nhere:  {}\n", a.file.path(), b.file.path());
  for (const std::string& line : lines) fmt::print("{}\n", line);
  return lines.empty() ? 0 : 1;
}

}  // namespace

void add_checkpoint_command(CLI::App& app, CheckpointOptions& o) {
  auto* checkpoint =
      app.add_subcommand("checkpoint", "info | verify | export | diff of saved runs");
  checkpoint->require_subcommand(1);
  const auto add = [&](const char* action, const char* help, int names) {
    auto* command = checkpoint->add_subcommand(action, help);
    command->add_option("checkpoint", o.names, "a file, or a folder: its newest")
        ->required()
        ->expected(names)
        ->check(file_name("FILE|DIR"));
    command->final_callback([&o, action] { o.action = action; });
    return command;
  };
  add_json(*add("info", "what it holds, and who saved it", 1), o.json);
  add("verify", "read all of it, and say whether it is as it was written; digests", 1);
  add("export", "weights and biases of each state as NumPy files; digests", 1)
      ->add_option("--output", o.output, "the folder")
      ->required()
      ->check(file_name("DIR"));
  add("diff", "where two differ, to the bit; silent and exit code 0 when nowhere", 2);
}

int checkpoint_command(const CheckpointOptions& options) {
  if (options.action == "info") return info(options);
  if (options.action == "verify") return verify(options);
  return options.action == "export" ? export_command(options) : diff(options);
}

}  // namespace zerolab
