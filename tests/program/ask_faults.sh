#!/usr/bin/env bash
# The question bank, asked in programs whose library miscounts or does another thing than it should: the
# items that depend on it turn red, and those alone are what --check fails for. The everyday entry asks the
# programs marked so, the exhaustive one all of them.
#   tests/program/ask_faults.sh PROGRAM PLANTED
# PLANTED: a folder of tests/labs/plant.sh, with the programs of tests/program/ask.faults
set -u
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$1 planted=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0 faults=0

wrong() {
  echo "FAILED: $1"
  cat "$work/said"
  failures=$((failures + 1))
}
answer() { # answer PROGRAM RANKS: the bank's, 0 if all is as claimed
  "$project/tests/on_ranks.sh" "$2" 120 "$1" ask --all --check >"$work/said" 2>&1
}

answer "$program" 4 || wrong "with nothing changed, the bank is not green"
for about in "$planted"/*/about; do
  name='' ranks='' says='' everyday='' missing=''
  # shellcheck disable=SC1090  # plant.sh has written it
  . "$about"
  [ -n "${ZEROLAB_EXHAUSTIVE:-}$everyday" ] || continue
  faults=$((faults + 1))
  answer "${about%about}student" "$ranks"
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
done
[ $faults -ge 1 ] || wrong "no faults"
echo "question bank: $faults planted faults, $failures failures"
[ $failures -eq 0 ]
