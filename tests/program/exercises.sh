#!/usr/bin/env bash
# The handout of the exercises says what the program says, of all thirteen, and leaves files for the page.
#   tests/program/exercises.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

mkdir results
"$tests/../labs/exercises.sh" "$program" results >out 2>err
code=$?
check "every command of the handout prints what the handout says" succeeded
ids="1.1 1.2 2.1 2.2 2.3 3.1 3.2 3.3 4.1 4.2 5.1 5.2 5.3"
check "all thirteen are there" \
  equal "$(sed -n 's/^## \([0-9.]*\) .*/\1/p' "$tests/../labs/exercises.md" | xargs)" "$ids"
for id in $ids; do
  check "$id: a command, what it printed, and JSON" [ -s "results/exercise-$id.txt" -a -s "results/exercise-$id.json" ]
done
check "lines fit 100 columns" fits_100_columns

# A handout that says something else is found out.
cp -r "$tests/../labs" handed
sed -i '/^\$ zerolab/{n;s/^\(.*\)$/\1 and more/}' handed/exercises.md
handed/exercises.sh "$program" >out 2>err
code=$?
check "a handout with other words is found out" [ "$code" -eq 1 ]
check "  and which words" says '^< .* and more$'
finish
