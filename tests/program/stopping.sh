#!/usr/bin/env bash
# Asked to stop: by a signal to one rank or to mpirun, or by the time limit. The run saves at the next
# step and ends with exit code 75; resumed, it ends as if it had never been stopped.
#   tests/program/stopping.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
[ -d /proc/self ] || skip_all "no /proc, where the ranks would be found"

rows 103 >data.csv
words=(--quiet --data csv:data.csv --hidden 8 --batch 4)
same_state() { "$program" checkpoint diff "$1" "$2" >out 2>err && [ ! -s out ]; }
newest() { "$program" checkpoint info "$1" | sed -n 's/^after step \([0-9 ]*\):.*/\1/p' | tr -d ' '; }
# begin RANKS ARGUMENTS...: a job without an end in the background, until it is at work.
begin() {
  rm -rf saved
  : >metrics
  start "$1" train "${words[@]}" "${@:2}" --steps 1000000000 --save saved --metrics metrics
  wait_until lines_in metrics 5
}
stopped_with() { # stopped_with CODE
  [ "$code" -eq "$1" ] || { echo "exit code $code" && return 1; }
  in_time || return 1
  nobody_left || { echo "a rank is still alive" && return 1; }
}
# goes_on RANKS STAGE: from what was saved, a few steps more, as if there had been no stop.
goes_on() {
  local step
  step=$(newest saved)
  [ "${step:-0}" -gt 0 ] || { echo "nothing saved" && return 1; }
  rm -rf rest whole
  run "$1" train "${words[@]}" --stage "$2" --resume saved --save rest --steps $((step + 3))
  succeeded || return 1
  run "$1" train "${words[@]}" --stage 0 --save whole --steps $((step + 3))
  succeeded && same_state rest whole
}

for signal in TERM INT USR1; do
  for rank in 0 2; do
    begin 3 --stage 3
    victim=$(process_of $rank)
    check "rank $rank runs" [ -n "$victim" ]
    kill -s $signal "$victim"
    ended
    check "  SIG$signal to it alone: all save and end with 75" stopped_with 75
    check "  and say so" says "^stopped by SIG$signal before the last step; --resume saved goes on"
    # Every day it goes on once for each signal.
    exhaustive || [ $rank -eq 2 ] || continue
    check "  resumed in stage 2, with the bits of no stop" goes_on 3 2
  done
done
begin 2 --stage 1
kill -s USR1 "$(mpirun_of "$(process_of 0)")"
ended
check "SIGUSR1 to mpirun, which passes it on" stopped_with 75
check "  goes on" goes_on 2 1

begin 2 --stage 1
kill -s USR1 "$started"
ended
check "SIGUSR1 to tests/on_ranks.sh, which passes it on" stopped_with 75
check "  goes on" goes_on 2 0
begin 2
kill -s TERM "$started"
ended
check "SIGTERM to it" stopped_with 143
sed 's/^[0-9]*,/nan,/' data.csv >nan.csv
alone train --quiet --data csv:nan.csv --hidden 8 --time-limit 0.000001 --save odd --timeline none
check "stopped before a step that could be told" stopped_with 75
check "  which is said" grep -q "^zerolab: none: no step to tell, all were skipped" err

run 2 train "${words[@]}" --stage 2 --steps 100000000 --time-limit 1.5 --save "the limit's"
check "--time-limit 1.5: exit code 75" [ "$code" -eq 75 ]
check "  in time" in_time
check "  and says so" says "^stopped by the time limit before the last step; --resume .* goes on"
eval "told=($(sed -n 's/^stopped by .*; --resume \(.*\) goes on$/\1/p' out))"
# shellcheck disable=SC2154  # assigned by eval
check "  with the folder as a shell reads it" equal "${told[0]}" "the limit's"
run 2 train "${words[@]}" --steps 5 --time-limit 1000 --save finished
check "a run that ends before its limit ends with 0" succeeded
alone train --time-limit 5
check "--time-limit without --save is refused" fails_with "--save"

# All steps are done and saved, and the test samples are evaluated, one block after the other: so many
# that it lasts, on a faster machine more.
for samples in 100000 800000 6400000; do
  start_alone train --quiet --data synthetic:$samples,64,10 --hidden 1024,1024 --batch 1 --steps 1 \
    --save evaluated$samples
  wait_until [ -f evaluated$samples/step-0000000001.zerolab ]
  arrived=no
  ! kill -s TERM "$started" 2>/dev/null || { arrived=yes && break; }
done
ended
check "SIGTERM during the evaluation" equal $arrived yes
check "  which goes on to its end: exit code 0" stopped_with 0
check "  with its result" says "^test accuracy [0-9]"

# A step that takes long: the first signal waits for its end, a second one does not. On a fast machine
# that takes more samples.
for batch in 5000 20000 80000; do
  start_alone train --quiet --data synthetic:$batch,512,10 --hidden 2048,2048 --batch $batch --steps 50 \
    --save slow$batch
  wait_until says OpenBLAS
  kill -s TERM "$started"
  sleep 2
  ! kill -s TERM "$started" 2>/dev/null || break
  ended
  check "(a step of $batch samples is too short: after it)" stopped_with 75
done
ended
check "a long step: the first SIGTERM waits for its end, a second one ends the run at once" stopped_with 143
begin 1
victim=$(process_of 0)
kill -s TERM "$victim"
kill -s TERM "$victim" 2>/dev/null
ended
check "two in one second count as one, as a Ctrl-C may arrive twice" stopped_with 75
start_alone train "${words[@]}" --steps 1000000000
wait_until says OpenBLAS
kill -s TERM "$started"
ended
check "without --save a signal ends the run as ever" stopped_with 143
finish
