#!/usr/bin/env bash
# Output that cannot be written ends the job as other faults do: one line of ours, within 10 s, exit
# code not 0.   tests/program/failing_output.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

rows 60 >good.csv
nothing_trained() { ! grep loss out; }

if [ -c /dev/full ]; then
  data=(--quiet --data csv:good.csv --steps 3)
  run 3 train "${data[@]}" --metrics /dev/full
  check "a full disk below --metrics" fails_with "rank 0: /dev/full"
  alone train "${data[@]}" --json /dev/full
  check "a full disk below --json" fails_with "rank 0: /dev/full"
  alone verify "${data[@]}" --json /dev/full
  check "a full disk below verify's --json" fails_with "rank 0: /dev/full"
  run 3 train "${data[@]}" --timeline /dev/full --json j.json
  check "a full disk below --timeline" fails_with "/dev/full"
  check "  costs no other result" grep -q '"loss": [0-9]' j.json
  check "  and no table" says '^stored and sent'
  alone train "${data[@]}" --save noted
  : >noted/step-0000000009.zerolab.partial
  more=(train --quiet --data csv:good.csv --steps 6 --resume noted)
  alone "${more[@]}"
  right=$(digest)
  check "(a note is told)" grep -q "^zerolab: noted/.* is ignored" err
  "$program" "${more[@]}" 2>/dev/full >out
  code=$?
  check "a full disk below the standard error, where a note stands, is no fault" succeeded
  check "  and changes nothing" equal "$(digest)" "$right"
  "$program" checkpoint info missing 2>/dev/full >out
  code=$?
  check "  where a fault stands: exit code 1" [ "$code" -eq 1 ]
  for command in train doctor; do
    on_rank all "exec >/dev/full" $command
    check "a full disk below the standard output of $command" fails_with "rank 0: " "writing failed"
  done
  for command in "train --json -" "verify" "verify --json -"; do
    # shellcheck disable=SC2086  # one word an option
    "$program" $command "${data[@]}" >/dev/full 2>err
    code=$?
    check "a full disk below the standard output of $command" fails_with "rank 0: " "writing failed"
  done
fi
alone train --data csv:good.csv --metrics no/such/folder/m
check "--metrics into a missing folder" fails_with "no/such/folder/m"
check "  before a step is trained" nothing_trained
alone train --data csv:good.csv --json no/such/folder/j
check "--json into a missing folder" fails_with "no/such/folder/j"
check "  before a step is trained" nothing_trained
alone train --data csv:good.csv --timeline no/such/folder/t
check "--timeline into a missing folder" fails_with "no/such/folder/t"
check "  before a step is trained" nothing_trained
sed 's/^[0-9]*/nan/' good.csv >bad.csv
for why in "--data csv:good.csv --steps 0,none was trained" "--steps 3 --data csv:bad.csv,all were skipped"; do
  echo old >t.json
  # shellcheck disable=SC2086  # one word an option
  alone train ${why%,*} --timeline t.json
  check "--timeline with no step to tell" fails_with "t.json: no step to tell, ${why#*,}"
  check "  leaves no file of another run" [ ! -e t.json ]
done

# --- checkpoints that cannot be written ---
train=(train --quiet --data csv:good.csv --hidden "60,60") # 49 kB a checkpoint
saving=(--save-every 3 --keep 2 --save)
intact() { "$program" checkpoint verify "$1" >/dev/null && [ -z "$(find "$1" -name '*.partial')" ]; }
mkdir small
if mount -t tmpfs -o size=120k none small 2>/dev/null; then
  for ranks in 1 3; do
    rm -f small/*
    run $ranks "${train[@]}" --steps 9 "${saving[@]}" small
    check "N = $ranks, a full disk below --save" fails_with "small/step-" "writing failed: No space left on device"
    check "  what was saved before is whole, and nothing else is left" intact small
    run $ranks "${train[@]}" --steps 9 --resume small
    check "  and loads" succeeded
  done
  umount small
else
  echo "(no file system of our own can be mounted here; a limit on files stands for the full disk)"
fi
wide=(train --quiet --data csv:good.csv --hidden "1200,1000") # 14 MB; Open MPI's own files have 4
run 3 "${wide[@]}" --steps 3 "${saving[@]}" limited
on_rank 1 "ulimit -f 6000" "${wide[@]}" --steps 9 "${saving[@]}" limited --resume limited
check "one rank may not write as far as its shards lie" fails_with "rank 1: limited/step-" "writing failed: File too large"
check "  what was saved before is whole, and nothing else is left" intact limited
on_rank 2 "cd /" train --quiet --steps 9 "${saving[@]}" here
check "a folder that one rank does not see" fails_with "rank 2: " "--save here: not to be written into: No such file or directory"
alone "${train[@]}" --save good.csv/below
check "--save below a file" fails_with "--save good.csv/below"
check "  before a step is trained" nothing_trained

for pair in "same ./same" "./same $PWD/same" "there/../same same"; do
  mkdir -p there
  alone train --data csv:good.csv --steps 1 --metrics "${pair% *}" --timeline "${pair#* }"
  check "two options, one file that is yet to be made: $pair" fails_with "are the same file"
done
alone verify --data csv:good.csv --json no/such/folder/j
check "verify --json into a missing folder" fails_with "no/such/folder/j"
check "  before a step is trained" nothing_trained
finish
