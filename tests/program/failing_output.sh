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
  run 3 20 train "${data[@]}" --metrics /dev/full
  check "a full disk below --metrics" fails_with "rank 0: /dev/full"
  alone train "${data[@]}" --json /dev/full
  check "a full disk below --json" fails_with "rank 0: /dev/full"
  alone verify "${data[@]}" --json /dev/full
  check "a full disk below verify's --json" fails_with "rank 0: /dev/full"
  run 3 20 train "${data[@]}" --timeline /dev/full --json j.json
  check "a full disk below --timeline" fails_with "/dev/full"
  check "  costs no other result" grep -q '"loss": [0-9]' j.json
  check "  and no table" says '^stored and sent'
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
for pair in "same ./same" "./same $PWD/same" "there/../same same"; do
  mkdir -p there
  alone train --data csv:good.csv --steps 1 --metrics "${pair% *}" --timeline "${pair#* }"
  check "two options, one file that is yet to be made: $pair" fails_with "are the same file"
done
alone verify --data csv:good.csv --json no/such/folder/j
check "verify --json into a missing folder" fails_with "no/such/folder/j"
check "  before a step is trained" nothing_trained
finish
