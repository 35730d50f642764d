#!/usr/bin/env bash
# A lab as its students and its teacher meet it: the untouched starter scores 0 and ends well, the solution
# scores full, and each planted fault costs points, with words that point at it. The everyday entry tries at
# least one fault for each task, the exhaustive one all faults.
#   tests/labs/lab.sh BUILD NN PLANTED        PLANTED: the lab's folder of plant.sh, built
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd) number=$2 planted=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

grade() { # grade PROGRAM ARGUMENTS...
  "$build/labs/zerolab_grade" --lab "$number" --project "$project" --build "$build" --program "$@" 2>&1
}
wrong() { # wrong WHAT TEXT
  echo "FAILED: $1"
  echo "$2"
}

starter() {
  local said
  said=$(grade "$planted/starter/student") && wrong "the starter scores full" "$said"
  grep -q "^lab $number: 0 of [1-9][0-9]* points" <<<"$said" || wrong "the starter does not score 0" "$said"
  ! grep -Eq "crashed|hangs|ended|exit code" <<<"$said" || wrong "the starter does not end well" "$said"
}
solution() {
  local said
  said=$(grade "$planted/solution/student") || wrong "the solution does not score full" "$said"
  echo "solution: $(tail -n 1 <<<"$said")"
  grep -o " task [0-9]* (level" <<<"$said" >"$work/tasks"
}
solution_on_8() {
  local said
  mkdir "$work/8" && cp "$planted/solution/student" "$work/8" # the grader's logs lie beside the program
  said=$(grade "$work/8/student" --ranks 8) || wrong "the solution does not score full on 8 ranks" "$said"
  grep -q ": 10 of 10 points" <<<"$said" || wrong "a task of the solution does not count on 8 ranks" "$said"
}
try() { # try FAULT
  local name kind ranks seconds says everyday said held=0 begin=$SECONDS
  # shellcheck disable=SC1090  # plant.sh has written it
  . "$planted/$1/about"
  # A hang is waited for as long as the fault says.
  said=$(grade "$planted/$1/student" --ranks "$ranks" ${seconds:+--seconds "$seconds"}) || held=$?
  if [ "$kind" = right ]; then
    [ $held -eq 0 ] || wrong "$name: not accepted" "$said"
  elif [ $held -eq 0 ]; then
    wrong "$name: not caught" "$said"
  elif ! tr -s ' \n' '  ' <<<"$said" | grep -qF -- "$says"; then
    wrong "$name: caught, but the grader does not say '$says'" "$said"
  fi
  [ -z "$everyday" ] || grep -o "^✗  task [0-9]* (level" <<<"$said" | sed 's/^✗ //' >"$work/failed.$1"
  echo "${kind/fault/caught}: $name ($((SECONDS - begin)) s)"
}

cases=(starter solution solution_on_8)
for about in "$planted"/*/about; do
  if [ -n "${ZEROLAB_EXHAUSTIVE:-}" ] || grep -q "^everyday=everyday" "$about"; then
    cases+=("try $(basename "$(dirname "$about")")")
  fi
done
# Each waits for mpirun most of the time: four at once.
for one in 0 1 2 3; do
  for ((i = one; i < ${#cases[@]}; i += 4)); do ${cases[i]} >"$work/case.$i"; done &
done
wait
for ((i = 0; i < ${#cases[@]}; ++i)); do cat "$work/case.$i"; done | tee "$work/all"

# No task may do without a fault that fails it.
cat "$work"/failed.* >"$work/failed" 2>/dev/null
while read -r task; do
  grep -qF "$task" "$work/failed" || wrong "no everyday fault fails $task)" "" | tee -a "$work/all"
done <"$work/tasks"
[ -s "$work/tasks" ] || wrong "the solution names no tasks" "" | tee -a "$work/all"
failures=$(grep -c "^FAILED: " "$work/all")
echo "lab $number: $((${#cases[@]} - 3)) planted faults, $failures failures"
[ "$failures" -eq 0 ] && [ ${#cases[@]} -gt 3 ]
