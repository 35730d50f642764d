#!/usr/bin/env bash
# A student's copy holds nothing that gives a solution away, builds on its own, gives untouched starters
# nothing, and full points to a student who has written the stage. The everyday entry grades this student alone.
#   tests/labs/student_copy.sh PROJECT
set -u
project=$1
. "$project/tests/labs/planted.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
check() { # check NAME COMMAND...
  if "${@:2}" >"$work/said" 2>&1; then echo "ok: $1"; else
    echo "FAILED: $1"
    cat "$work/said"
    failures=$((failures + 1))
  fi
}
refused() { ! "$@"; }
says_why() { # says_why CODE WORDS COMMAND...
  "${@:3}" >"$work/graded" 2>&1
  [ $? -eq "$1" ] && says "$2"
}
says() { grep -q -- "$1" "$work/graded"; }

check "a copy is made" "$project/run_labs.sh" student-copy "$work/copy" --through 03
check "not over a folder that is there" refused "$project/run_labs.sh" student-copy "$work/copy"
check "not through a lab that is not there" refused "$project/run_labs.sh" student-copy "$work/c2" --through 77
cd "$work/copy" || exit 1
check "no solution, no fault, no later lab" test -z "$(find . -name 'solution*' -o -name '*.faults' -o -name '04_*')"
check "stage 0 is there" grep -q all_reduce src/stages/stage0.cpp
for stage in 1 2 3; do check "stage $stage is not" refused grep -q "comm\." src/stages/stage$stage.cpp; done
check "a copy makes no copy" says_why 2 "does not make others" ./run_labs.sh student-copy "$work/c3"
{
  echo '#include "student_stage.hpp"'
  with_stage "$(stage_as_student 1)" | sed '/stages\.hpp/d; /student_stage\.hpp/d
    s/zerolab::make_stage1(setup)/std::make_unique<zerolab::ThisStage>(setup)/
    /^std::unique_ptr<Stage> make_stage1/,/^}/d'
} >labs/03_stage1/mine.cpp
./run_labs.sh --no-install --ranks 2,3 grade 03 >"$work/graded" 2>&1
check "a student who has written stage 1 has all" says "lab 03: 10 of 10 points"
check "on the ranks that are asked for before the command" says "holds on 2, 3 ranks"
[ -n "${ZEROLAB_EXHAUSTIVE:-}" ] || exit $((failures > 0))

./run_labs.sh --no-install grade 03 >"$work/graded" 2>&1
check "and on all" says "lab 03: 10 of 10 points"
mv labs/03_stage1/mine.cpp "$work"
./run_labs.sh --no-install grade 03 --json results.json >"$work/graded" 2>&1
check "a starter has no points" says "lab 03: 0 of 10 points"
check "that it is the starter" says "no labs/03_stage1/mine.cpp: the starter is graded"
check "Gradescope's file says so" grep -q '"score": 0' results.json
cp src/core/buffer.cpp "$work"
echo "broken" >>src/core/buffer.cpp
check "a library that does not build is no student's fault" says_why 2 "the check does not build" \
  ./run_labs.sh --no-install grade 03
cp "$work/buffer.cpp" src/core
printf '%s\n' '#include "student_stage.hpp"' 'namespace zerolab {' \
  'std::unique_ptr<Stage> make_stage1(const Stage::Setup&);' '}' \
  'std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup& s) {' \
  '  return zerolab::make_stage1(s); }' >labs/03_stage1/mine.cpp
./run_labs.sh --no-install grade 03 >"$work/graded" 2>&1
check "the library's own stage is not linked" says "undefined reference"
[ $failures -eq 0 ]
