#!/usr/bin/env bash
# What goes wrong while all ranks train: data that is not finite, here and there or everywhere, and a
# rank that is killed.   tests/program/failing_midway.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

rows 60 >good.csv

sed 's/^[0-9]*,/nan,/' good.csv >nan.csv
run 3 train --quiet --data csv:nan.csv --epochs 100 --max-skips 7
check "data that is never finite" fails_with "7 steps in a row were skipped" "not finite"
run 2 verify --quiet --data csv:nan.csv --epochs 100
check "  under verify, with the default limit" fails_with "50 steps in a row were skipped"
rows 300 | sed '12s/[0-9]*,/1e30,/; 113s/[0-9]*,/1e30,/; 214s/[0-9]*,/1e30,/' >huge.csv
check "(the huge rows have the labels 0, 1 and 2)" \
  equal "$(grep 1e30 huge.csv | cut -d , -f 3 | sort | tr -d '\n')" 012
skips_alike() { [ "$(grep -c '^ *[0-3]  *[0-9a-f]\{16\}  *yes  *yes  *[1-9]' out)" -eq 4 ]; }
for ranks in 2 3 4; do
  for seed in 1 2; do
    run $ranks verify --quiet --data csv:huge.csv --hidden 8 --batch 4 --seed $seed
    check "rows with 1e30, N = $ranks, seed $seed: stages agree" holds
    check "  and each has skipped steps" skips_alike
  done
done

# --- a rank that is killed ---

if [ -d /proc/self ]; then
  unset OMPI_MCA_odls_base_sigkill_timeout # as users have it
  for rank in 0 2; do
    : >metrics
    start 3 train --quiet --epochs 1000000 --stage 3 --metrics metrics
    wait_until lines_in metrics 5
    victim=$(process_of $rank)
    check "rank $rank runs" [ -n "$victim" ]
    kill -9 "$victim"
    ended
    check "  is killed: the job ends by itself" in_time
    check "  with an exit code" [ $code -ne 0 ]
    check "  and nobody is left" nobody_left
  done
fi
finish
