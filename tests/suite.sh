#!/usr/bin/env bash
# The tables that name entries are complete: tests/README.md lists every entry, and nothing else; each line of the
# README's table "When something goes wrong" names an entry of the everyday suite.
#   tests/suite.sh BUILD
set -u
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
failures=0
wrong() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}
entries() { # entries ARGUMENTS... of ctest: their names, each once for all numbers of ranks
  ctest --test-dir "$build" -N "$@" | sed -n 's/^ *Test *#[0-9]*: \([^ .]*\).*/\1/p' | sort -u
}
build=$1
everyday=$(entries -LE exhaustive)
every=$(entries)
[ -n "$everyday" ] && [ "$everyday" != "$every" ] || wrong "ctest lists no entries of two sizes"

listed=$(sed -n 's/^| `\([a-z0-9_]*\)` | [0-9–]* | ..*/\1/p' "$project/tests/README.md" |
  grep -v '^simulated_' | sort -u) # which only SMPI's build has
for entry in $(comm -3 <(echo "$every") <(echo "$listed")); do
  wrong "$entry: not both an entry and a line of tests/README.md"
done

rows=$(sed -n '/^| promised |/,/^$/p' "$project/README.md" | sed 1,2d | sed '/^$/d')
[ "$(wc -l <<<"$rows")" -ge 10 ] || wrong "README.md has no table of what is promised"
while IFS='|' read -r _ promised tests _; do
  named=no
  for word in $(grep -o '`[a-z0-9_]*`' <<<"$tests" | tr -d '`'); do
    if grep -qx "$word" <<<"$everyday"; then named=yes; fi
    grep -qx "$word" <<<"$every" || [ "$word" = train ] || wrong "README.md: there is no entry $word"
  done
  [ $named = yes ] || wrong "README.md names no everyday entry for:$promised"
done <<<"$rows"
echo "$(wc -l <<<"$every") entries, $(wc -l <<<"$everyday") of them everyday; $(wc -l <<<"$rows") promises; $failures failures"
[ $failures -eq 0 ]
