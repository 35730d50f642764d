#!/usr/bin/env bash
# Proves that the harness itself can fail: runs harness_probe, whose tests misbehave on purpose, and
# checks what tests/on_ranks.sh and mpi_main.cpp make of it.   tests/harness_test.sh PROBE
# shellcheck disable=SC2317  # the checks are called through "expect"
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/with space"
probe="$work/with space/probe" # a name of its own, to find leftovers by, and a blank in the path
cp "$1" "$probe" || exit 1
cd "$work" || exit 1
faults=0

# probe RANKS TESTS [ARGUMENTS...] leaves $code, $work/out and $work/err
seconds=300 # against hangs
probe() {
  "$here/on_ranks.sh" "$1" $seconds "$probe" "--gtest_filter=$2" "${@:3}" >out 2>err
  code=$?
}
expect() { # expect WHAT COMMAND...
  local what=$1
  shift
  if "$@" >/dev/null; then
    echo "ok    $what"
  else
    echo "FAULT $what (exit code $code)"
    sed 's/^/      | /' out err
    faults=$((faults + 1))
  fi
}
lines() { # lines NUMBER PATTERN FILE
  [ "$(grep -c -- "$2" "$3")" -eq "$1" ]
}
well_formed() {
  head -n 1 "$1" | grep -q '^<?xml' && tail -n 1 "$1" | grep -q '^</testsuites>' &&
    { ! command -v xmllint >/dev/null || xmllint --noout "$1"; }
}
nobody_left() {
  local process
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe" 2>/dev/null)" != "$probe" ] || return 1
  done
}

probe 1 '*.Passes'
expect "one rank passes" [ "$code" -eq 0 ]
probe 4 '*.Passes:*.Skips' <&-
expect "four ranks pass, standard input closed" [ "$code" -eq 0 ]
expect "  the run line is there once" lines 1 'RUN .*Passes' out
expect "  the ok line is there once" lines 1 'OK .*Passes' out
expect "  the skipped test is reported as such" grep -q 'SKIPPED .*Probe.Skips' out
expect "  nothing on standard error" [ ! -s err ]

probe 4 '*.Passes:*.FailsOnRank1' "--gtest_output=xml:report.xml"
expect "a failure on rank 1 fails the run" [ "$code" -ne 0 ]
expect "  every line of it carries the rank" grep -q '^rank 1: second line' out
expect "  only rank 1 speaks" lines 0 '^rank [023]:' out
expect "  the test counts as failed" grep -q 'FAILED .*Probe.FailsOnRank1' out
for rank in 0 1 2 3; do
  expect "  the report of rank $rank is valid" well_formed "report.rank$rank.xml"
  expect "  and counts the failure" grep -q 'failures="1"' "report.rank$rank.xml"
done
expect "  the report of rank 0 holds rank 1's failure" grep -q 'rank 1: first line' report.rank0.xml

probe 3 '*.FailsOnAllRanks'
expect "failures come in rank order" \
  [ "$(grep -o '^rank [0-9]*: .*Failure' out | cut -c 6 | tr -d '\n')" = 012 ]

probe 2 '*.ThrowsOnRank1'
expect "an exception on rank 1 ends the job" [ "$code" -ne 0 ]
expect "  and says where and why" grep -q '^rank 1: thrown on purpose' err
probe 2 '*.TerminatesOnRank1'
expect "std::terminate on rank 1 ends the job" [ "$code" -ne 0 ]
expect "  and says where" grep -q '^rank 1: std::terminate' err

# The limit itself: on a slow machine it is raised until the job gets so far.
for seconds in 2 20 200; do
  probe 3 '*.Blocks'
  ! grep -q 'RUN .*Blocks' out || break
done
expect "a blocked job is stopped" [ "$code" -ne 0 ]
expect "  its test is named" grep -q 'RUN .*Blocks' out
expect "  no rank stays alive" nobody_left
for seconds in 7 70 300; do
  probe 2 '*.LeavesTheOthersBehind'
  ! grep -q '^rank 1: left early' err || break
done
expect "a rank that left the others behind is heard before the limit" grep -q '^rank 1: left early' err
expect "  no rank stays alive" nobody_left

kill_mpirun() { # as soon as the test runs
  local process
  until grep -qs 'RUN .*Blocks' out; do sleep 0.1; done
  for process in /proc/[0-9]*; do
    if grep -qsE '^(mpirun|mpiexec|orterun|prterun)' "$process/comm" &&
      tr '\0' ' ' <"$process/cmdline" | grep -qF "$probe"; then
      kill -9 "${process#/proc/}"
    fi
  done
}
if [ -d /proc/self ]; then
  rm out
  seconds=300
  kill_mpirun 2>/dev/null &
  probe 3 '*.Blocks'
  kill $! 2>/dev/null # where the test never ran
  expect "a killed mpirun ends the job" [ "$code" -ne 0 ]
  expect "  before its time" [ "$(grep -c 'time limit' err)" -eq 0 ]
  expect "  no rank stays alive" nobody_left
fi

[ $faults -eq 0 ] || echo "$faults faults"
exit $((faults > 0))
