#!/usr/bin/env bash
# Makes what lab 12 hands out of patients.faults: patients.txt, what the meters say of twelve broken stages
# on 3 ranks, and answers.inc, which the check knows them by.
#   labs/12_ragged_and_broken/patients.sh BUILD FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd) folder=$(cd "$2" && pwd)
. "$project/tests/labs/planted.sh"
log=$build/labs/12/patients.log
mkdir -p "$build/labs/12"
number=0
: >"$folder/patients.txt" && : >"$folder/answers.inc"

examine() {
  number=$((number + 1))
  printf '%s\n' "$text" >"$build/labs/12/patient.cpp"
  cmake --build "$build" --target lab_12_patient >"$log" 2>&1 || { cat "$log" && exit 1; }
  "$project/tests/on_ranks.sh" 3 60 "$build/labs/12/patient" "$stage" "$number" "$name" \
    "$folder/answers.inc" >>"$folder/patients.txt"
}
each_fault "$here/patients.faults" "" examine
