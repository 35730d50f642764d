#!/usr/bin/env bash
# verify beyond its defaults: other reductions, accumulation, clipping, optimizers, expected and
# unexpected differences, JSON.   tests/program/verify_modes.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

first_digest() { sed -n 's/^ *0 *\([0-9a-f]\{16\}\) .*/\1/p' out; }
is_one_json_value() {
  [ "$(head -c 1 out)" = '{' ] && [ "$(tail -n 1 out)" = '}' ] || return 1
  ! python3 -c '' 2>/dev/null || python3 -c 'import json, sys; json.load(sys.stdin)' <out
}

for ranks in 1 2 3 4; do
  run "$ranks" verify --reduce ordered --steps 12
  check "N = $ranks: ordered sums agree without accumulation" holds
  check "  and its lines fit 100 columns" fits_100_columns
done
run 3 verify --reduce ordered --precision fp32 --steps 8 --chunk-elements 1000
check "N = 3: ordered, fp32, in chunks of 1000" holds

for ranks in 2 3 4; do
  for k in 2 4; do
    run "$ranks" verify --accumulate $k --batch 8 --clip-norm 0.5 --steps 10
    check "N = $ranks: exact sums of $k micro-batches, clipped" holds
    clipped=$(first_digest)
    check "  and its lines fit 100 columns" fits_100_columns
  done
done
run 4 verify --accumulate 4 --batch 8 --steps 10
check "clipping did something" differ "$(first_digest)" "$clipped"
for options in "--optimizer adamw --weight-decay 0.01" "--optimizer sgd --lr 0.1" \
  "--optimizer sgd --momentum 0.9 --lr 0.1 --precision bf16"; do
  # shellcheck disable=SC2086  # one word an option
  run 3 verify $options --accumulate 2 --steps 8
  check "N = 3: $options" holds
done

for ranks in 2 3 4; do
  run "$ranks" verify --overlap --accumulate 2 --batch 8 --clip-norm 0.5 --steps 10
  check "N = $ranks: overlapped, exact" says '^holds: stages 0, 2, 3 end with equal bits, plain stage 0 too'
  check "  and its lines fit 100 columns" fits_100_columns
done
run 3 verify --overlap --reduce ordered --steps 10
check "N = 3: overlapped, ordered" says '^holds: stages 0, 2, 3 end with equal bits, plain stage 0 too'
run 3 verify --overlap --reduce mpi --precision fp32 --steps 10
check "N = 3: overlapped under mpi, equal among themselves" holds

for ranks in 1 3 4; do
  run "$ranks" verify --virtual-shards 6 --batch 16 --steps 12
  check "N = $ranks: six virtual shards" holds
  [ "$ranks" -eq 1 ] || check "  with the bits of one rank" equal "$(first_digest)" "$virtual"
  virtual=$(first_digest)
done

run 2 verify --stages 0,3 --steps 10 --batch 8 --data synthetic:4096,784,10 --hidden 2000,1000
check "3.6 million parameters hold" holds
check "  and the lines with their large numbers fit 100 columns" fits_100_columns

mpi="--reduce mpi --precision fp32"
# shellcheck disable=SC2086  # one word an option
{
  run 4 verify $mpi
  check "N = 4: the library's sums part, exit code 1" [ "$code" -eq 1 ]
  check "  the first difference is named" says \
    'stage 2 parts from stage 0 in step [0-9]*, unit [0-9], element [0-9]*: .* against '
  check "  in ulps, and how many differ" says '([0-9]* ulps*); [0-9 ]* of 17 226 parameters differ'
  check "  the verdict says why" says '^FAILS: stage 2 parts from stage 0, mpi adds in another order'
  check "  bytes hold all the same" says 'stored and sent equal the formulas'
  check "  no line is longer than 100 columns" fits_100_columns
  run 4 verify $mpi --expect-difference
  check "  under --expect-difference that is the result" [ "$code" -eq 0 ]
  check "  and the verdict is positive" says '^holds: stage 2 parts from stage 0'
  run 2 verify $mpi
  check "N = 2: the library's sums agree" holds
  run 2 verify $mpi --expect-difference
  check "  which fails under --expect-difference" [ "$code" -eq 1 ]
  check "  and the verdict says so" says '^FAILS: .*but should part'
}

run 3 verify --steps 3 --json -
check "--json -: exit code 0" succeeded
check "  standard output is one JSON value" is_one_json_value
check "  that agrees" says '^  "agree": true'
run 3 verify --steps 3 --json "a file.json"
check "--json FILE: tables on standard output" holds
check "  the file is there" grep -q '^  "agree": true' "a file.json"
# A model so small that no number is grouped: 11 columns, measured beside formula. exact and mpi send
# 8-byte and 2- or 4-byte numbers in one step; a skipped step sends less.
columns_agree() { succeeded && awk '/ring ×/ { t = 1; next } t && $11 == "yes" { rows++; bad += $3 != $4 || $7 != $8 } END { exit !(rows == 4 && !bad) }' out; }
for mode in exact ordered mpi; do
  for precision in fp16 fp32; do
    run 2 verify --reduce $mode --precision $precision --data synthetic:20,4,2 --hidden 3 --batch 3
    check "$mode $precision: multiples of Φ(N−1)/N as the formula has them" columns_agree
  done
done
run 4 verify --steps 2 --reduce mpi --loss-scale 1 --lr 0
check "states that part under equal parameters" says '^FAILS: stage 2 parts from stage 0 in its optimizer states'
run 2 verify --steps 0
check "no step: said so" says 'there was no step'

finish
