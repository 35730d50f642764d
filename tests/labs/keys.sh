#!/usr/bin/env bash
# What the labs hand out as right is what all four stages make: the keys, and in the exhaustive entry the
# patients and their answers, for which twelve programs are built.
#   tests/labs/keys.sh BUILD
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
labs=$(cd "$here/../../labs" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$1" --target lab_keys >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
for stage in 0 1 2 3; do
  "$labs/grading/make_keys.sh" "$1/labs/lab_keys" $stage >"$work/keys.inc"
  cmp "$work/keys.inc" "$labs/grading/keys.inc"
  echo "keys of stage $stage: the same"
done
[ -n "${ZEROLAB_EXHAUSTIVE:-}" ] || exit 0
"$labs/12_ragged_and_broken/patients.sh" "$1" "$work"
for file in patients.txt answers.inc; do
  cmp "$work/$file" "$labs/12_ragged_and_broken/$file"
  echo "$file: the same"
done
