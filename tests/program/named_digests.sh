#!/usr/bin/env bash
# The named jobs of the README's table end with the digests that stand there, in all stages.
#   tests/program/named_digests.sh PROGRAM README
# shellcheck disable=SC2317  # the checks are called through "check"
readme=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") || exit 1
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

# A row: | `name` | ranks | `options` | `digest` |
jobs=0
# shellcheck disable=SC2016  # backticks of the table
while IFS='|' read -r _ name ranks options wanted _; do
  jobs=$((jobs + 1))
  ! crowded $ranks || continue
  # shellcheck disable=SC2086  # one word an option
  run $ranks verify --gemm reference $options
  check "$name: all stages agree" holds
  for stage in 0 1 2 3; do
    found=$(sed -n "s/^ *$stage *\([0-9a-f]\{16\}\) .*/\1/p" out)
    check "  stage $stage has the README's digest" equal "$found" "${wanted// /}"
  done
  check "  no kernel is named" says 'reference products'
done < <(grep '^| `[^|]*|[^|]*|[^|]*| `[0-9a-f]\{16\}` |$' "$readme" | tr -d '`')
check "the README names three jobs" equal $jobs 3
finish
