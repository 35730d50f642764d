#!/usr/bin/env bash
# The question bank, asked in programs whose library miscounts or does another thing than it should: the
# items that depend on it turn red, and those alone are what --check fails for.
#   tests/program/ask_faults.sh BUILD       faults: tests/program/ask.faults, see tests/labs/planted.sh
set -u
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
# shellcheck source=tests/labs/planted.sh
. "$project/tests/labs/planted.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0 faults=0
mkdir -p "$build/tests/faulty"

wrong() {
  echo "FAILED: $1"
  cat "$work/said"
  failures=$((failures + 1))
}

# The bank's answer, of a program with $text in place of the library's file: 0 if all is as claimed.
answer() {
  printf '%s\n' "$text" >"$build/tests/faulty/source.cpp"
  cmake --build "$build" --target zerolab_faulty >"$work/said" 2>&1 || return 100
  "$project/tests/on_ranks.sh" "$ranks" 120 "$build/tests/zerolab_faulty" ask --all --check \
    >"$work/said" 2>&1
}

try() { # of each planted fault
  local item code red missing=''
  faults=$((faults + 1))
  answer
  code=$?
  red=$(awk '$2 == "contradicted" { print $1 }' "$work/said" | xargs)
  for item in $says; do
    [[ " $red " == *" $item "* ]] || missing+=" $item"
  done
  if [ $code -ne 1 ] || [ -n "$missing" ]; then
    wrong "$name: exit code $code, red are: ${red:-none}; not red, but should be:$missing"
  else
    echo "red where $name: $red"
  fi
}

name=none ranks=4 text=$(cat "$project/src/comm/communicator.cpp")
answer || wrong "with nothing changed, the bank is not green"
each_fault "$project/tests/program/ask.faults" "" try || wrong "ask.faults"
[ $faults -ge 1 ] || wrong "no faults"
echo "question bank: $faults planted faults, $failures failures"
[ $failures -eq 0 ]
