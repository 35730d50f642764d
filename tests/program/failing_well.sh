#!/usr/bin/env bash
# A fault in the input ends the job on all ranks within 10 s, with one line of ours that names rank,
# file and line, and an exit code other than 0.   tests/program/failing_well.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

rows 60 >good.csv
data() { alone train --quiet --data "$1"; }

# --- files, the same on all ranks ---

run 3 train --quiet --data csv:missing.csv
check "a missing CSV" fails_with "rank 0: missing.csv: no such file"
data csv:.
check "a folder instead of a CSV" fails_with ".: is a directory"
sed '33s/,/,many,/' good.csv >bad.csv
run 3 verify --quiet --data csv:bad.csv
check "a record with a field too many" fails_with "bad.csv line 33: "
sed '34s/[0-9]*,/seven,/' good.csv >bad.csv
data csv:bad.csv
check "a word for a number" fails_with "bad.csv line 34: " seven
sed '35s/[0-9]$/-1/' good.csv >bad.csv
data csv:bad.csv
check "a label below 0" fails_with "bad.csv line 35: " label
gzip -c good.csv >bad.csv
data csv:bad.csv
check "a CSV still compressed" fails_with "bad.csv line 1: " compressed
: >empty.csv
data csv:empty.csv
check "an empty CSV" fails_with "empty.csv: " samples
echo "a,b,label" >header.csv
data csv:header.csv
check "a CSV with a header only" fails_with "header.csv: " samples

printf '\0\0\10\3\0\0\0\2\0\0\0\2\0\0\0\2abcdefg' >images # one byte too few
printf '\0\0\10\1\0\0\0\2\0\1' >labels
data idx:images,labels
check "a truncated IDX file" fails_with "images: " truncated
printf h >>images
data idx:labels,images
check "images and labels swapped" fails_with "labels: " 2051 2049 swapped
printf '\0\0\10\3\377\377\377\377\0\0\377\377\0\0\377\377' >huge
data idx:huge,labels
check "a header that promises more than memory holds" fails_with "huge: " truncated
data digit
check "unknown data" fails_with digit "digits | fashion-mnist"
data synthetic:10,0,3
check "synthetic data without features" fails_with "synthetic:10,0,3"

# --- one rank only ---

# That rank reads another file of the same name, for ranks are started with the same options.
mkdir other
on_rank 1 'cd other' train --quiet --data csv:good.csv
check "a file that rank 1 cannot read" fails_with "rank 1: good.csv"
sed '36s/,.*/,1/' good.csv >other/good.csv
on_rank 2 'cd other' verify --quiet --data csv:good.csv
check "a bad record in rank 2's file" fails_with "rank 2: good.csv line 36: "
rows 50 >other/good.csv
on_rank 1 'cd other' train --quiet --data csv:good.csv --batch 1 --epochs 5
check "a file that has fewer samples on rank 1" fails_with "good.csv"
sed '37s/^[0-9]*,/0.001,/' good.csv >other/good.csv
on_rank 2 'cd other' train --quiet --data csv:good.csv
check "a file that has another value on rank 2" fails_with "good.csv"
# The least limit, to 50 MB, that a small job can live with on rank 1; jobs that need 100 MB more cannot.
if limits_memory; then
  little=200 enough=4000
  while [ $((enough - little)) -gt 50 ]; do
    middle=$(((little + enough) / 2))
    on_rank 1 "ulimit -v ${middle}000" train --quiet --steps 1 --hidden 8
    if succeeded; then enough=$middle; else little=$middle; fi
  done
  kilobytes=${enough}000
  on_rank 1 "ulimit -v $kilobytes" train --quiet --steps 1 --hidden 8
  check "a small job fits into $enough MB of addresses" succeeded
  on_rank 1 "ulimit -v $kilobytes" train --quiet --steps 1 --hidden 3000,3000 # state of 148 MB
  check "memory for the model that rank 1 does not get" fails_with "rank 1: " "out of memory"
  on_rank 1 "ulimit -v $kilobytes" train --quiet --steps 1 --hidden 8 --batch 400000 \
    --data synthetic:1200000,64,10 # activations of 140 MB
  check "memory for a batch that rank 1 does not get" fails_with "rank 1: " "out of memory"
fi

# --- options ---

run 3 train --batch 0 # refusals_test.cpp has the rest
check "--batch 0" fails_with "--batch" "'0'"
check "  is exit code 2" [ "$code" -eq 2 ]
alone train --hidden 60000,60000
check "a layer that MPI cannot count" fails_with "layer 1 of 60000 x 60000"
run 3 train --chunk-elements 2
check "chunks smaller than the number of ranks" fails_with chunk
alone train --accumulate 8193
check "more contributions than an exact sum can hold" fails_with 8192

finish
