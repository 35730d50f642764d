// ask: the question bank on the ranks that are there.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "ask_measure.hpp"
#include "folder.hpp"
#include "option_values.hpp"
#include "parsed_json.hpp"
#include "zerolab/report/ask.hpp"
#include "zerolab/report/commands.hpp"
#include "zerolab/report/summary.hpp"

namespace zerolab {

namespace {

/// What single options cannot see; items get the documents' spelling.
void check_together(AskOptions& o) {
  for (std::string& id : o.ids) {
    std::ranges::transform(id, id.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const auto all = all_items();
    require(std::ranges::any_of(all, [&](const Item& item) { return id == item.id; }),
            "'{}' is no item; zerolab ask --list shows them all", id);
  }
  require(int{o.list} + int{o.all} + int{!o.ids.empty()} == 1,
          "ask needs items (ask TF7 5.2), or --all, or --list");
  require(!o.list ||
              (!o.check && !o.answer && o.json.empty() && o.results.empty() && o.network.empty()),
          "ask --list asks nothing: no other option goes with it");
  require(o.json_only() || !same_file(o.json, o.network),
          "--json and --network are the same file, {}", o.json);
}

/// All lists of --network are as documented, with every job that an item looks for.
void check_network(const std::string& file, const nlohmann::json& network) {
  Results results;
  results.put(network_file, network);
  try {
    for (const Item& item : all_items()) item.find(open_folder(results));
  } catch (const Error& error) {
    const std::string words = error.what();  // "…network.json: what is wrong"
    throw Error(fmt::format("--network {}: {}", file, words.substr(words.find(": ") + 2)));
  }
}

/// What can be refused before anything is measured; the content of --network.
nlohmann::json check_files(const AskOptions& options) {
  nlohmann::json network;
  if (!options.network.empty()) {
    std::ifstream in(options.network);
    require(in.is_open(), "--network {}: cannot be read", options.network);
    network = parsed_json(in, "--network " + options.network);
    require(network.is_object(), "--network {}: no object of JSON", options.network);
    check_network(options.network, network);
  }
  if (!options.json.empty() && !options.json_only()) check_writable(options.json);
  if (options.results.empty()) return network;
  std::error_code fault;
  std::filesystem::create_directories(options.results, fault);
  require(std::filesystem::is_directory(options.results, fault),
          "--results {}: no such folder, nor can it be made", options.results);
  if (!network.is_null()) {
    write_file(options.results + "/" + network_file, network.dump(2) + "\n");
  }
  return network;
}

/// A line that the student types; none for an empty one.
std::optional<std::string> predicted(const Item& item) {
  const char* wanted = item.group == Group::true_or_false ? "true or false"
                       : item.group == Group::exercise    ? "the numbers"
                                                          : "a few words";
  fmt::print("Your prediction, {} (Enter: none): ", wanted);
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line)) fmt::print("\n");
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string::npos) return std::nullopt;
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

/// Self-tests of this machine's MPI and BLAS, if an item had them run.
std::string wrong_self_tests(Results& results) {
  if (!results.known("doctor.json")) return "";
  const nlohmann::json& machine = *results.json("doctor.json");
  return machine.at("all_right") == true
             ? ""
             : "self-tests of this machine FAIL: zerolab doctor names them\n";
}

/// Rank 0's part.
int ask(const AskOptions& options, Results& results, const Place& place) {
  const bool speaks = !options.json_only();
  const bool asks = speaks && !options.answer && !options.check && someone_types();
  std::vector<Answer> answers;
  for (const Item& item : chosen_items(options)) {
    std::optional<std::string> said;
    if (speaks && !options.check) fmt::print("{}", question_text(item));
    if (asks) said = predicted(item);
    answers.push_back(answer_to(item, results, place));
    answers.back().prediction = said;
    if (speaks) {
      fmt::print("{}",
                 options.check ? check_line(answers.back()) : answer_text(answers.back()) + "\n");
      std::fflush(stdout);
    }
  }
  const std::string wrong = wrong_self_tests(results);
  if (speaks) fmt::print("{}{}", wrong, options.check ? totals_text(answers) : "");
  if (!options.json.empty()) {
    // What a student types may be in any encoding.
    constexpr auto replace = nlohmann::json::error_handler_t::replace;
    write_file(options.json, answers_json(answers).dump(2, ' ', false, replace) + "\n");
  }
  if (options.check) return all_confirmed(answers) && wrong.empty() ? 0 : 1;
  const bool contradicted = std::ranges::any_of(answers, [](const Answer& answer) {
    return answer.verdict == Answer::Verdict::contradicted;
  });
  return contradicted || !wrong.empty() ? 1 : 0;
}

}  // namespace

void add_ask_command(CLI::App& app, AskOptions& options) {
  auto* ask =
      app.add_subcommand("ask", "the question bank: claim, prediction, measurement, answer");
  ask->add_option("ID", options.ids, "items, as --list shows them: TF7, 5.2, S4");
  ask->add_flag("--list", options.list,
                "show all items, *: wants a simulated network; measure nothing");
  ask->add_flag("--all", options.all, "ask them all");
  ask->add_flag("--check", options.check,
                "one line an item; fails unless every verdict is confirmed or not run");
  ask->add_flag("--answer", options.answer, "ask for no prediction");
  ask->add_option("--results", options.results, "folder to write what was measured to")
      ->check(file_name());
  ask->add_option("--network", options.network,
                  "simulated network, as labs/simulate_network.sh measures it")
      ->check(file_name());
  add_json(*ask, options.json);
  ask->callback([&options] { check_together(options); });
}

int list_items() {
  fmt::print("{}", list_text(all_items()));
  return 0;
}

int ask_command(const AskOptions& options, Communicator& comm, const Machine& machine) {
  nlohmann::json network;
  together(comm, [&] {
    if (comm.rank() == 0) network = check_files(options);
  });
  Measurements measurements(comm, machine, options.results, options.json_only());
  return measurements.during([&](Results& results) {
    if (!network.is_null()) results.put(network_file, network);
    return ask(options, results, {comm.size(), machine.simgrid});
  });
}

}  // namespace zerolab
