#!/usr/bin/env bash
# The grader as a program among others: it ends when told to, its exit codes, its logs, two of them
# at once, and the command line of run_labs.sh.
#   tests/labs/grader.sh BUILD
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
ended() { # ended NAME CODE WORDS COMMAND...: its exit code, and what it says
  "${@:4}" >"$work/said" 2>&1
  as_wanted "$1" $? "$2" "$3"
}
as_wanted() { # as_wanted NAME CODE WANTED WORDS
  if [ "$2" -eq "$3" ] && tr -s ' \n' '  ' <"$work/said" | grep -qF -- "$4"; then
    echo "ok: $1"
  else
    echo "FAILED: $1, exit code $2"
    cat "$work/said"
    failures=$((failures + 1))
  fi
}
grade() { # grade LAB FILE ARGUMENTS...
  "$build/labs/zerolab_grade" --lab "$1" --file "$2" --project "$project" --build "$build" "${@:3}"
}
holds() { # holds NAME COMMAND...
  if "${@:2}"; then echo "ok: $1"; else
    echo "FAILED: $1"
    failures=$((failures + 1))
  fi
}

# Signals. The folder for secrets is ours, so that we see it go; MPI's own things lie there too.
cat >"$work/hangs.cpp" <<'END'
#include "student_stage.hpp"
#include <csignal>
#include <cstdio>
std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup&) {
  std::signal(SIGTERM, SIG_IGN);
  std::fputs("here it hangs\n", stderr);
  for (volatile int i = 0;; i = 1) {
  }
}
END
ranks_alive() { pgrep -f "^$build/labs/03/student" >/dev/null; }
no_rank() { ! ranks_alive; }
no_secret() { [ -z "$(find "$work/tmp" -name 'zerolab-*')" ]; }
mkdir "$work/tmp"
for signal in INT TERM; do
  : >"$build/labs/03/run-3.log"
  set -m # a process group of its own, and signals as at a terminal
  TMPDIR=$work/tmp "$build/labs/zerolab_grade" --lab 03 --file "$work/hangs.cpp" --ranks 3 \
    --project "$project" --build "$build" >"$work/said" 2>&1 &
  grader=$!
  set +m
  for _ in {1..300}; do
    [ "$(grep -c "here it hangs" "$build/labs/03/run-3.log")" -lt 3 ] || break
    sleep 0.2
  done
  holds "three ranks hang" ranks_alive
  if [ $signal = INT ]; then kill -INT -- -$grader; else kill -TERM $grader; fi
  start=$SECONDS
  wait $grader
  code=$?
  holds "the grader ends within seconds of SIG$signal" test $((SECONDS - start)) -le 15
  wanted=143
  [ $signal = TERM ] || wanted=130
  as_wanted "SIG$signal ends it with a word" $code $wanted "nothing is graded"
  holds "no rank is left" no_rank
  holds "no secret is left" no_secret
done

# What is printed in the task that failed stands in the log that is named, whatever follows.
solution=$project/labs/12_ragged_and_broken/solution.cpp
{
  sed 's/return elements \/ ranks + (/if (first_call) std::printf("first of %zu elements\\n", elements);\
  first_call = false;\
  return on_two() + elements \/ ranks + (/; /^#include <algorithm>/a #include <cstdio>\
#define OMPI_SKIP_MPICXX 1\
#define MPICH_SKIP_MPICXX 1\
#include <mpi.h>\
namespace { bool first_call = true;\
std::size_t on_two() { int n; MPI_Comm_size(MPI_COMM_WORLD, \&n); return n == 2 ? 1 : 0; } }' "$solution"
} >"$work/prints.cpp"
ended "one number of ranks fails" 1 "labs/12/run-2.log" grade 12 "$work/prints.cpp" --ranks 1,2,3
holds "the log has what the failing task printed" grep -q "of 10 elements" "$build/labs/12/run-2.log"
holds "and what a later launch did" grep -q "of 0 elements" "$build/labs/12/run-2.log"

# Two at once.
grade 12 "$solution" --ranks 1 >"$work/said.solution" 2>&1 &
grade 12 "$project/labs/12_ragged_and_broken/starter.cpp" --ranks 1 >"$work/said.starter" 2>&1
wait $!
holds "the solution has all" grep -qx "lab 12: 10 of 10 points" "$work/said.solution"
holds "the starter has nothing" grep -qx "lab 12: 0 of 10 points" "$work/said.starter"
holds "one has waited" grep -q "waiting for it" "$work/said.solution" "$work/said.starter"

# Exit code 2: the grader could not work, and no student is to blame.
ended "no such file" 2 "File does not exist" grade 12 "$work/none.cpp"
ended "no such option" 2 "--rank" grade 12 "$solution" --rank 3
ended "lab 10 without a network" 0 "no network.json given: labs/simulate_network.sh network.json" \
  grade 10 "$project/labs/10_network/solution.cpp" --ranks 1
ended "a network that is not there" 2 "netwrok.json: no such file" \
  grade 10 "$project/labs/10_network/solution.cpp" --network netwrok.json
ended "a file that is no network" 2 "LICENSE is no network.json" \
  grade 10 "$project/labs/10_network/solution.cpp" --network "$project/LICENSE"
ended "no task for so many ranks" 2 "lab 00 has no task for 9 ranks" \
  grade 00 "$project/labs/00_collectives/solution.cpp" --ranks 9
mkdir "$work/bin" "$work/build" "$work/build/labs"
printf '#!/bin/sh\necho no nm\nexit 3\n' >"$work/bin/nm" && chmod +x "$work/bin/nm"
PATH=$work/bin:$PATH ended "names cannot be looked at" 2 "nm -P -g" grade 12 "$solution" --ranks 1
grade_elsewhere() {
  "$build/labs/zerolab_grade" --lab 12 --file "$solution" --project "$project" --build "$work/build"
}
ended "no command to compile with" 2 "no command for" grade_elsewhere
printf '[{"directory": "%s", "command": "true -o x -c y", "file": "%s"}]' "$work" \
  "$work/build/labs/12/student.cpp" >"$work/build/compile_commands.json"
ended "the check does not build" 2 "the check does not build" grade_elsewhere

# The command line.
run() { "$project/run_labs.sh" --no-install "$@"; }
no_mine=$(for lab in "$project"/labs/[0-9]*; do [ -f "$lab/mine.cpp" ] || echo "$lab"; done | head -n 1)
number=${no_mine##*/}
ended "lab --mine without a file" 2 "/mine.cpp" run lab "${number%%_*}" --mine
ended "lab takes no file" 2 "'lab' takes no '--file'" run lab 03 --file x
ended "one number of ranks for a lab" 2 "one number" run --ranks 1,2 lab 03
# Pretended tools say what they are called with. A folder built without the tests gets them.
for tool in cmake ctest; do
  printf '#!/bin/sh\necho %s "$@"\n' $tool >"$work/bin/$tool" && chmod +x "$work/bin/$tool"
done
pretended() { PATH=$work/bin:$PATH run "$@"; }
ended "test builds the tests" 0 "-DZEROLAB_TESTS=ON" pretended test -R none
holds "and no tests at all are a fault" grep -q "^ctest .*--no-tests=error" "$work/said"
ended "build does not ask for them" 0 "cmake --build" pretended build
holds "and leaves them as they are" test "$(grep -c ZEROLAB_TESTS "$work/said")" -eq 0
for script in run_labs.sh\ help labs/simulate_network.sh labs/simulate.sh labs/exercises.sh; do
  # shellcheck disable=SC2086  # a command and its argument
  "$project/"$script >"$work/said"
  holds "$script: no line over 100 columns" test -z "$(awk 'length > 100' "$work/said")"
done
[ $failures -eq 0 ]
