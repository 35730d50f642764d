#!/usr/bin/env bash
# Small runs under valgrind's memcheck: no decision rests on memory that nobody has written, nothing is
# lost.   tests/program/valgrind.sh PROGRAM PROBE
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
probe=$2
command -v valgrind >/dev/null || skip_all "no valgrind here"

memcheck=(valgrind --quiet --num-callers=60 --error-exitcode=9 --leak-check=full
  --show-leak-kinds=definite --errors-for-leak-kinds=definite
  "--suppressions=$tests/sanitizers/valgrind.supp")
said() { grep '^==[0-9]*==' err; }
clean() { succeeded && ! said; }
found() { [ "$code" -ne 0 ] && grep -q "^==[0-9]*== .*$1" err; }

for ranks in 1 2; do
  launch "$ranks" "${memcheck[@]}" "$probe" clean
  check "N = $ranks: no fault, not a word" clean
  launch "$ranks" "${memcheck[@]}" "$probe" uninitialised
  check "N = $ranks: a decision on unwritten memory is found" found "uninitialised value"
  launch "$ranks" "${memcheck[@]}" "$probe" leak_array
  check "N = $ranks: a leak is found" found "308 bytes in 1 blocks are definitely lost"
done
for ranks in 1 2; do
  for stage in 0 3; do
    job=(train --quiet --steps 2 --hidden "9,7" --batch 6 --accumulate 2 --stage "$stage"
      --data "synthetic:200,16,4")
    run "$ranks" "${job[@]}"
    check "N = $ranks, stage $stage" succeeded
    bits=$(digest)
    launch "$ranks" "${memcheck[@]}" "$program" "${job[@]}"
    check "  under valgrind: clean" clean
    check "  the same bits" equal "$(digest)" "$bits"
  done
done
finish
