#!/usr/bin/env bash
# A lab as its students and its teacher meet it: the untouched starter scores nothing and ends well, the
# solution scores full, and each planted fault costs points with words that point at it.
#
#   tests/labs/lab.sh BUILD NN         faults: tests/labs/NN.faults, see planted.sh
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd) number=$2
# shellcheck source=tests/labs/planted.sh
. "$here/planted.sh"
folder=$(echo "$project/labs/$number"_*)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

grade() { # grade FILE ARGUMENTS...: what the grader says, in $work/said
  "$build/labs/zerolab_grade" --lab "$number" --project "$project" --build "$build" --file "$@" \
    >"$work/said" 2>&1
}
wrong() {
  echo "FAILED: $1"
  cat "$work/said"
  failures=$((failures + 1))
}

grade "$folder/starter.cpp" && wrong "the starter scores full"
grep -q "^lab $number: 0 of [1-9][0-9]* points" "$work/said" || wrong "the starter does not score 0"
grep -Eq "crashed|hangs|ended|compile|exit code" "$work/said" && wrong "the starter does not end well"
trusted=() # where it includes the library's own stage
! grep -q '#include "../../src/' "$folder/solution.cpp" || trusted=(--trusted)
solved() { grade "$folder/solution.cpp" ${trusted[@]+"${trusted[@]}"} "$@"; }
solved || wrong "the solution does not score full"
solved --ranks 8 || wrong "the solution does not score full on 8 ranks"
grep -q ": 10 of 10 points" "$work/said" || wrong "a task of the solution does not count on 8 ranks"
echo "starter and solution: $(tail -n 1 "$work/said")"

try() { # of each planted fault; a hang is waited for as long as is said
  local few=()
  [ -z "$seconds" ] || few=(--seconds "$seconds")
  faults=$((faults + 1))
  printf '%s\n' "$text" >"$work/fault.cpp"
  if [ "$kind" = right ]; then
    grade "$work/fault.cpp" --trusted --ranks "$ranks" || wrong "$name: not accepted"
  elif grade "$work/fault.cpp" --trusted --ranks "$ranks" ${few[@]+"${few[@]}"}; then
    wrong "$name: not caught"
  elif ! tr -s ' \n' '  ' <"$work/said" | grep -qF -- "$says"; then
    wrong "$name: caught, and nothing said of '$says'"
  elif grep -q "does not compile" "$work/said"; then
    wrong "$name: does not compile"
  else
    echo "${kind/fault/caught}: $name"
  fi
}
faults=0
each_fault "$here/$number.faults" "$folder/solution.cpp" try || wrong "$number.faults"
[ $faults -ge 1 ] || wrong "no faults"
echo "lab $number: $faults planted faults, $failures failures"
[ $failures -eq 0 ]
