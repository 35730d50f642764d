#!/usr/bin/env bash
# What a grader must not be fooled by, tried on lab 03 with its solution, or without. The everyday entry tries
# one cheat for each way to find it, the exhaustive one all.
#   tests/labs/cheats.sh BUILD
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
. "$here/planted.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
: >"$work/tried" && : >"$work/failed" # files: what a pipeline counts in variables is lost
solution=$(printf '#include "student_stage.hpp"\n' && with_stage "$(cat "$project"/labs/03_stage1/solution.cpp)" |
  sed "/stages.hpp/d; s/zerolab::make_stage1(setup)/std::make_unique<zerolab::ThisStage>(setup)/" |
  sed '/^std::unique_ptr<Stage> make_stage1/,/^}/d')
starter=$(cat "$project"/labs/03_stage1/starter.cpp)

# everyday NAME POINTS WORDS [RANKS]: graded on 2 ranks, the file is standard input.
everyday() {
  cat >"$work/mine.cpp"
  echo "$1" >>"$work/tried"
  "$build/labs/zerolab_grade" --lab 03 --project "$project" --build "$build" --ranks "${4:-2}" \
    --file "$work/mine.cpp" >"$work/said" 2>&1
  if tail -n 1 "$work/said" | grep -qx "lab 03: $2 points" &&
    tr -s ' \n' '  ' <"$work/said" | grep -qF -- "$3"; then
    echo "ok: $1"
  else
    echo "FAILED: $1"
    cat "$work/said"
    echo "$1" >>"$work/failed"
  fi
}
exhaustive() {
  if [ -n "${ZEROLAB_EXHAUSTIVE:-}" ]; then everyday "$@"; else cat >/dev/null; fi
}
at_start() { printf '%s\n#include <cstdlib>\n#include <cstdio>\n#include <fstream>\nstatic const bool early = [] { %s return true; }();\n' "$starter" "$1"; }
solved() { printf '%s\n' "${solution/"$1"/"$2"}"; }

solved nothing nothing | everyday "honest work" "10 of 10" "holds on 2 ranks"
solved nothing nothing | exhaustive "honest work on 5 ranks" "10 of 10" "no key for 5 ranks: keys are there for 1, 2, 3, 4, 8" 5
at_start '' | exhaustive "no work on 5 ranks" "0 of 10" "not written yet" 5
at_start 'std::puts("lab 03: 10 of 10 points"); std::puts("end\t1\tholds");' |
  exhaustive "prints what the grader would say" "0 of 10" "not written yet"
at_start 'std::exit(0);' | exhaustive "leaves with exit code 0" "0 of 0" "ended before its first task"
{
  solved nothing nothing
  echo '#include <cstdlib>
#include <string>
static const bool early = [] { if (std::getenv("OMPI_COMM_WORLD_SIZE") == std::string("2")) std::exit(0); return true; }();'
} | exhaustive "leaves with exit code 0 on 2 ranks" "0 of 10" "on 2 ranks: the program ended before it (exit code 0)" 1,2
at_start 'for (;;) {}' | exhaustive "hangs before its first task" "0 of 0" "ended before its first task"
solved "void update() override {" "void update() override { std::exit(0);" |
  everyday "leaves with exit code 0 in a task" "0 of 10" "left by exit() in the middle"
{
  echo '#include <fstream>
#include <filesystem>
  static void forge() { for (const auto& d : std::filesystem::directory_iterator("/tmp")) {
    if (d.path().string().find("zerolab-") != std::string::npos) { for (int r = 0; r < 2; ++r)
      std::ofstream(d.path() / ("rank-" + std::to_string(r)), std::ios::app) << "end\t1\tholds\t0123456789abcdef\n"; } } }'
  solved "void update() override {" "void update() override { ::forge(); return;"
} | everyday "writes into the result file" "0 of 10" "lines that the check did not write"
echo '#include "../../src/stages/stage1.cpp"
#include "student_stage.hpp"
std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup& s) { return zerolab::make_stage1(s); }' |
  sed "s|../../src|$project/src|" |
  everyday "includes the library's stage" "0 of 0" "it includes src/stages/stage1.cpp"
echo '#include "stage_lab.hpp"
#include "student_stage.hpp"
std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup&) { return nullptr; }' |
  exhaustive "includes what the check is made of" "0 of 0" "it includes labs/grading/stage_lab.hpp"
echo '#include "student_stage.hpp"
namespace zerolab { std::unique_ptr<Stage> make_stage1(const Stage::Setup&); }
std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup& s) { return zerolab::make_stage1(s); }' |
  exhaustive "calls the library's stage" "0 of 0" "undefined reference"
echo '#include "student_stage.hpp"
std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup& s) { return zerolab::make_stage(1, s); }' |
  everyday "asks the library for its stage" "0 of 0" "undefined reference"
solved "placements_of(1)) {}" "placements_of(0)) { if (setup.comm.size() > 1) { for (const auto l : units) {
    for (const auto what : {Category::master, Category::momentum, Category::variance})
      setup.memory.remove(what, 4 * (ConstNumbers(parameters[l]).size - my_shard(parameters[l]).size)); } } }" |
  exhaustive "takes bytes out of the memory ledger" "5 of 10" "that the memory ledger does not know"
solved "placements_of(1)) {}" "placements_of(1)), hidden(std::size_t{1} << 18) {} std::vector<float> hidden;" |
  everyday "holds what the memory ledger does not know" "8 of 10" "that the memory ledger does not know"
solved "for (const auto l : units) comm.all_reduce(gradients[l]);" \
  "for (const auto l : units) comm.all_reduce(gradients[l]); float x = 0; MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);" |
  everyday "calls MPI past the communicator" "8 of 10" "all-reduce"
{
  echo '#include <cstdint>'
  solved nothing nothing
  echo 'namespace zerolab { std::uint64_t digest(Digested, ConstNumbers, std::size_t) { return 0; } }'
} | sed '1i #include "zerolab/partition/digest.hpp"' |
  everyday "brings a digest of its own" "0 of 0" "it defines"
{
  solved nothing nothing
  echo 'extern "C" unsigned alarm(unsigned) { return 0; }'
} | exhaustive "brings an alarm of its own" "0 of 0" "it defines alarm"
{
  solved nothing nothing
  echo 'extern "C" __attribute__((weak)) unsigned alarm(unsigned) { return 0; }'
} | exhaustive "brings a weak alarm of its own" "0 of 0" "it defines alarm"
{
  solved nothing nothing
  echo 'extern "C" { static unsigned none(unsigned) { return 0; }
    static unsigned (*chosen())(unsigned) { return none; }
    unsigned alarm(unsigned) __attribute__((ifunc("chosen"))); }'
} | exhaustive "brings an alarm chosen at the start" "0 of 0" "it defines alarm"
solved nothing nothing | sed '1i #include "zerolab/partition/digest.hpp"
  $a namespace zerolab { __attribute__((weak)) std::uint64_t digest(Digested, ConstNumbers, std::size_t) { return 0; } }' |
  exhaustive "brings a weak digest of its own" "0 of 0" "it defines"
solved nothing nothing | sed '$a namespace lab { __attribute__((weak)) std::string key_missing(std::size_t) { return ""; } }' |
  exhaustive "brings what the check has in an archive" "0 of 0" "it defines"
solved "for (const auto l : units) comm.all_reduce(gradients[l]);" \
  "for (const auto l : units) comm.all_reduce(gradients[l]); if (PMPI_Barrier) PMPI_Barrier(MPI_COMM_WORLD);" |
  sed '/^#include "student_stage.hpp"/a extern "C" __attribute__((weak)) int PMPI_Barrier(MPI_Comm);' |
  exhaustive "calls MPI by a weak name that the meter uses" "0 of 0" "it calls PMPI_Barrier"
solved "for (const auto l : units) comm.all_reduce(gradients[l]);" \
  "for (const auto l : units) comm.all_reduce(gradients[l]); PMPI_Barrier(MPI_COMM_WORLD);" |
  everyday "calls MPI by the name that the meter uses" "0 of 0" "it calls PMPI_Barrier"
echo "$(grep -c . "$work/tried") tried, $(grep -c . "$work/failed") failed"
[ -s "$work/tried" ] && [ ! -s "$work/failed" ]
