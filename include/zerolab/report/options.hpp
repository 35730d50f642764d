#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "zerolab/partition/job.hpp"
#include "zerolab/report/plan_options.hpp"

namespace zerolab {

/// What the command line of train and verify says; checked for sense, before any file is opened.
struct Options {
  std::string data = "digits";
  std::vector<std::size_t> hidden{128, 64};
  int stage = 0;                        ///< of train
  std::vector<int> stages{0, 1, 2, 3};  ///< of verify, in the order given
  Job job;                              ///< all but its shape, which needs the data
  std::optional<ReduceMode> reduce;  ///< as given; none: exact, and in verify also a part under mpi
  std::size_t epochs = 1;
  std::optional<std::size_t> steps;  ///< instead of epochs
  double stall_limit = 0;            ///< seconds in one MPI call that end the job; 0: none do
  bool trace = false;
  bool quiet = false;
  bool expect_difference = false;
  bool count_wire = false;           ///< train: have the MPI count what it sends
  bool collectives = false;          ///< doctor: what each collective sends
  std::string save;                  ///< train: folder for checkpoints; empty: none
  std::size_t save_every = 0;        ///< steps; 0: at the end only
  std::size_t keep = 0;              ///< checkpoints that stay in the folder; 0: all
  std::string resume;                ///< a checkpoint, or a folder with some; empty: none
  std::set<std::string> allow;       ///< fields of the job that may differ from the checkpoint's
  std::optional<double> time_limit;  ///< seconds
  std::string metrics;               ///< file; empty: none
  std::string timeline;              ///< train: file of one step's timeline; empty: none
  std::string digests;               ///< file of the digest trace; empty: none
  std::vector<std::string> against;  ///< saved traces: to compare with, or two to compare
  std::string wire;  ///< file of measured bytes a step; train adds to it, verify shows it
  std::string json;  ///< file, or "-" for stdout; empty: none

  bool json_only() const { return json == "-"; }
};

std::string_view name(ReduceMode mode);
std::string_view name(OptimizerKind kind);

/// What is to be made of measured results.
struct ReportOptions {
  std::string figure;               ///< one of figure_names or all; empty: the page
  std::string results = "results";  ///< folder
  std::string output;               ///< the page; of a figure without ending; empty: in the folder
};

/// What is asked of the question bank.
struct AskOptions {
  std::vector<std::string> ids;
  bool list = false, all = false;
  bool check = false;   ///< one line an item, and the exit code says whether all is confirmed
  bool answer = false;  ///< no prediction is asked for
  std::string results;  ///< folder that gets what is measured; empty: none
  std::string network;  ///< file of a simulated network; empty: none
  std::string json;     ///< file, or "-" for stdout; empty: none

  bool json_only() const { return json == "-"; }
};

/// What is to be done with saved runs.
struct CheckpointOptions {
  std::string action;              ///< info | verify | export | diff
  std::vector<std::string> names;  ///< files, or folders whose newest is meant: one, or two of diff
  std::string output;              ///< folder of export
  std::string json;                ///< of info: file, or "-" for stdout; empty: none
};

/// Parsed command line. `command` is empty when `text` is all there is to say: help (exit 0) or a
/// refusal.
struct CommandLine {
  std::string command;  ///< train | verify | ask | doctor | plan | checkpoint | report
  Options options;
  PlanOptions plan;
  CheckpointOptions checkpoint;
  ReportOptions report;
  AskOptions ask;
  std::string text;
  int exit_code = 0;

  /// Whether the command works on all ranks it is given, and not on one alone.
  bool needs_ranks() const {
    return command != "plan" && command != "checkpoint" && command != "report" &&
           !(command == "ask" && ask.list);
  }
};

/// Never throws; needs no MPI.
CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace zerolab
