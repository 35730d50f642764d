#!/usr/bin/env bash
# labs/simulate_network.sh makes a network.json by which the items about time are decided.
#   tests/program/simulated_items.sh PROGRAM BUILD
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
simulate=$tests/../labs/simulate_network.sh build=$2

tools=$work/tools # a system without SimGrid
mkdir "$tools"
for tool in bash dirname sed; do ln -s "$(command -v $tool)" "$tools/$tool"; done
without_simgrid() {
  local found=0
  env PATH="$tools" bash "$simulate" none.json "$build" >out 2>err || found=$?
  equal "$found" 3 && grep -q "apt install libsimgrid-dev" err && [ ! -e none.json ]
}
check "without SimGrid: what is missing, and exit code 3" without_simgrid

mkdir results
begin=$SECONDS
check "the clusters are simulated" bash "$simulate" results/network.json "$build"
echo "simulated in $((SECONDS - begin)) s"

alone report --results results
check "a page of nothing else holds" succeeded
items="TF4 WY6 SE8 EC2 5.2 5.3"
is() { grep -qF "<a href=\"#$2\" class=\"$1\">" results/report.html; }
for item in $items; do check "$item is confirmed" is good "$item"; done

# In one list after the other the first step takes another time than its parts.
cp results/network.json right.json
longer() { # longer LIST ITEM...
  local list=$1 item
  shift
  awk -v list="\"$list\": [" 'index($0, list) { there = 1 }
    there && !done && sub(/"step_seconds": [0-9.e-]*/, "\"step_seconds\": 1234.5") { done = 1 } { print }' \
    right.json >results/network.json
  alone report --results results
  for item in "$@"; do check "a wrong time in $list: $item is contradicted" is bad "$item"; done
}
longer networks TF4
longer scaling SE8
longer limit EC2
longer exercise 5.2 5.3
longer overlap 5.2
finish
