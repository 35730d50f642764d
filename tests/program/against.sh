#!/usr/bin/env bash
# --digests and --against from outside: two kernels part and are found out, stages, rank counts and
# --gemm reference do not, another job and a bad file are refused before training.
#   tests/program/against.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

agrees() { says '^  the digests agree, steps 0 to 12$'; }
parts() { says '^  the digests part in step [0-9]*, unit [0-2], elements [0-9]* to [0-9]* of [0-9 ]*$'; }
nothing_trained() { ! grep loss out; }
job=(train --quiet --epochs 1)

run 4 "${job[@]}" --digests "a trace"
check "a trace is written" succeeded
check "  a header, and three units before and after each of 12 steps" \
  equal "$(wc -l <"a trace" | tr -d ' ')" 40
check "  stored and sent equal the formulas as ever" says 'all ranks: equal the formulas'
for stage in 1 3; do
  run 4 "${job[@]}" --stage $stage --against "a trace" --digests "trace $stage"
  check "stage $stage agrees with it" agrees
  check "  exit code 0" succeeded
  check "  the stages are named" says "^  stage: 0 there, $stage here\$"
  check "  and has the same lines but for the header" \
    equal "$(tail -n +2 "trace $stage" | cksum)" "$(tail -n +2 "a trace" | cksum)"
done
run 2 "${job[@]}" --accumulate 2 --against "a trace"
check "2 ranks with 2 micro-batches each agree with 4 ranks" agrees
check "  the ranks are named" says '^  ranks: 4 there, 2 here$'
run 3 "${job[@]}" --stage 2 --virtual-shards 4 --against "a trace"
check "3 ranks with 4 virtual shards agree with 4 ranks" agrees
check "  the shards are named" says '^  virtual_shards: 0 there, 4 here$'
run 4 verify --quiet --stages 2,0 --against "a trace" --json summary
check "verify compares its first stage" agrees
check "  and its stages" holds
check "  the summary has it" grep -q '"against"' summary
check "  in lines that fit 100 columns" fits_100_columns
run 4 "${job[@]}" --against "a trace" --expect-difference
check "no difference where one is expected: exit code 1" [ "$code" -eq 1 ]
check "  and said so" says 'the digests agree, .*, but should part'
alone verify --against "a trace" --against "trace 3"
check "two saved traces agree" agrees
check "  exit code 0, and nothing is trained" succeeded
check "  nothing is trained" nothing_trained

# Two kernels of OpenBLAS, where there are two.
kernel() { sed -n 's/.*, kernel \([^,]*\), .*/\1/p' out; }
with_kernel() { # with_kernel NAME ARGUMENTS...
  export OPENBLAS_CORETYPE=$1
  run 4 "${job[@]}" "${@:2}"
  unset OPENBLAS_CORETYPE
}
with_kernel Prescott --digests old
one=$(kernel)
with_kernel Nehalem --digests new
if [ "$(kernel)" != "$one" ]; then
  alone verify --against old --against new
  check "two kernels part: exit code 1" [ "$code" -eq 1 ]
  check "  step, unit and elements are named" parts
  check "  and the kernels" says "^  kernel: $(sed -n 's/.*"kernel":"\([^"]*\)".*/\1/p' new) there, $one in old\$"
  alone verify --against old --against new --expect-difference --json -
  check "  exit code 0 where that is expected" succeeded
  check "  as JSON" says '"agree": false'
  with_kernel Nehalem --against old
  check "  a run finds the same: exit code 1" [ "$code" -eq 1 ]
  check "  step, unit and elements are named" parts
  with_kernel Nehalem --against old --expect-difference
  check "  exit code 0 where that is expected" succeeded
  with_kernel Nehalem --gemm reference --digests "by loops"
  with_kernel Prescott --gemm reference --against "by loops"
  check "  under --gemm reference they agree" agrees
else
  echo "this OpenBLAS has one kernel only: two cannot be compared"
fi

# What is refused before a step is trained.
refuses() { # refuses WHAT FILE TEXT... train --against FILE
  alone train --quiet --against "$2"
  check "$1" fails_with "rank 0: $2" "${@:3}"
  check "  before a step is trained" nothing_trained
}
: >empty
run 3 train --quiet --against empty
check "a file that is empty, on three ranks" fails_with "rank 0: empty line 1: the file is empty"
run 4 "${job[@]}" --seed 2 --against "a trace"
check "another seed" fails_with "rank 0: a trace is the trace of another job: seed is 1 there, 2 here"
check "  before a step is trained" nothing_trained
refuses "one rank makes another batch" "a trace" "global_batch is 128 there, 32 here"
refuses "a missing file" "no file" "no such file"
head -n 20 "a trace" >short
refuses "a file cut after a line" short "line 21" "ends before step 6, unit 1"
head -c 20000 "a trace" >short
refuses "a file cut within a line" short "line $(wc -l <short | awk '{ print $1 + 1 }')" "cut off"
sed '9s/\(.*\)[0-9a-f]"/\1g"/' "a trace" >mangled
refuses "a file with a digest that is none" mangled "line 9" "no digest"
alone verify --against "a trace" --against short
check "a bad second file" fails_with "rank 0: short line "
alone train --quiet --digests no/such/folder/d
check "--digests into a missing folder" fails_with "rank 0: no/such/folder/d"
check "  before a step is trained" nothing_trained
if [ -c /dev/full ]; then
  run 3 train --quiet --digests /dev/full
  check "a full disk below --digests" fails_with "rank 0: /dev/full: writing failed"
fi
finish
