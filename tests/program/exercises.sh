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
ids="1.1 1.2 2.1 2.2 2.3 3.1 3.2 3.3 4.1 4.2 5.1 5.2 5.3 EC5"
check "all thirteen are there, and a question" \
  equal "$(sed -n 's/^## \([A-Z0-9.]*\) .*/\1/p' "$tests/../labs/exercises.md" | xargs)" "$ids"
for id in $ids; do
  check "$id: a command, what it printed, and JSON" [ -s "results/exercise-$id.txt" -a -s "results/exercise-$id.json" ]
done
sed -i '/^[-A-Z0-9.]*: zerolab /d' out # the commands themselves
check "lines fit 100 columns" fits_100_columns

# A handout that says something else is found out.
cp -r "$tests/../labs" handed
sed -i '/^\$ zerolab/{n;s/^\(.*\)$/\1 and more/}' handed/exercises.md
handed/exercises.sh "$program" >out 2>err
code=$?
check "a handout with other words is found out" [ "$code" -eq 1 ]
check "  and which words" says '^< .* and more$'

# What else people may meet: one line and exit code 2 for nonsense, JSON alone on standard output.
alone plan memory --params 7GB --ranks 8
check "a count in bytes is refused" fails_with --params "this counts"
check "  with exit code 2" equal "$code" 2
alone plan fit --params 7B --ranks 8 --memory 80GB --json -
check "--json -: an object from the first line to the last" \
  equal "$(sed -n '1p;$p' out | tr -d '\n')" "{}"
alone plan fit --params 7B --ranks 8 --memory 80GB --json no/such/folder
check "--json that cannot be written" fails_with no/such/folder
check "  with exit code 1" equal "$code" 1
for words in "memory --params 1e18 --ranks 999999999999999989 --largest-unit 1e18" \
  "traffic --params 1e18 --ranks 999999999999999989 --precision fp32" \
  "time --params 1e18 --ranks 999999999999999989 --bandwidth 7B/s --compute 3 --target 80%" \
  "fit --params 1e18 --ranks 999999937 --memory 1e18 --activations 1 --largest-unit 1e17" \
  "traffic --params 471504930768969767 --ranks 339249098158 --accumulate 1048576" \
  "time --volume 767 --bandwidth 750686842831563730 --compute 336779310 --target 38%" \
  "fit --params 1e18 --ranks 1e18 --memory 9 --layout no-master"; do
  read -ra list <<<"$words"
  alone plan "${list[@]}"
  check "plan $words" succeeded
  check "  lines fit 100 columns" fits_100_columns
done
alone plan --help
check "plan --help: a model is one unit" grep -q 'up to (units − 1) elements more' out
run 3 plan memory --params 7B --ranks 8
check "under mpirun one rank speaks" equal "$(grep -c '^Φ = ' out)" 1
finish
