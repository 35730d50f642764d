#!/usr/bin/env bash
# verify on the digits holds in every precision:   tests/program/verify.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
numbers="1 2 3 4"
! exhaustive || [[ ${ZEROLAB_MPIRUN:-} == *mpich* ]] || numbers="1 2 3 4 5 7 8"

tables_are_complete() {
  local stage
  for stage in 0 1 2 3; do
    # Bits, stored, peaks; and sent, unless there is one rank only.
    [ "$(grep -c "^ *$stage  .*yes" out)" -eq "$1" ] || return 1
  done
  ! grep -q ' NO\b' out
}

for ranks in $numbers; do
  ! crowded "$ranks" || continue
  for precision in fp16 bf16 fp32; do
    run "$ranks" verify --precision $precision
    check "N = $ranks, $precision: all stages agree" holds
    check "  every stage has its row in every table" tables_are_complete $((ranks == 1 ? 3 : 4))
    check "  no line is longer than 100 columns" fits_100_columns
    check "  nothing on standard error" [ ! -s err ]
  done
done
finish
