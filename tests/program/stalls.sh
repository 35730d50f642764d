#!/usr/bin/env bash
# --stall-limit: a rank that is stopped ends the job, with one line of ours that says where another
# waited for it; a job that is suspended as a whole goes on.   tests/program/stalls.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
[ -d /proc/self ] || skip_all "no /proc, which tells the processes of ranks"

# begin ARGUMENTS... starts three ranks in the background and waits until they are at work, which FILE,
# the last argument, shows.
begin() {
  local file=${*: -1}
  : >"$file"
  start 3 "$@"
  wait_until lines_in "$file" 9
}

# Every day each rank once, in one of the two commands.
for command in "train --stage 3" verify; do
  for rank in 0 1 2; do
    exhaustive || [ "$command $rank" = "verify 1" ] || [[ $command == train* && $rank -ne 1 ]] || continue
    # shellcheck disable=SC2086  # several words
    begin $command --quiet --epochs 1000000 --stall-limit 2 --digests digests
    check "${command%% *}: rank $rank is at work" [ -n "$(process_of $rank)" ]
    since=$SECONDS
    kill -STOP "$(process_of $rank)"
    ended $since
    check "  is stopped: another says where it waits" fails_with \
      ": waited 2 s in MPI_" ", call " "another rank is stopped, gone or behind (--stall-limit 2)"
    check "  and is not the one that is stopped" [ "$(our_lines | grep -c "rank $rank: ")" -eq 0 ]
    check "  in a step" grep -q '^zerolab: .*, step [1-9]' err
  done
done

# A job without an end is suspended as a whole, goes on, and is then asked to stop.
words=(train --stage 3 --quiet)
begin "${words[@]}" --steps 1000000000 --stall-limit 2 --save saved --metrics metrics
all=$(process_of 0 && process_of 1 && process_of 2)
# shellcheck disable=SC2086  # one word a process
kill -STOP $all
check "a job is suspended as a whole" equal "$(wc -w <<<"$all")" 3
before=$(wc -l <metrics)
sleep 4 # longer than the limit
check "  and stands still" equal "$(wc -l <metrics)" "$before"
# shellcheck disable=SC2086  # one word a process
kill -CONT $all
wait_until lines_in metrics $((before + 9))
check "  and goes on" lines_in metrics $((before + 9))
kill -s TERM "$(process_of 0)"
ended
check "  in silence" [ -z "$(our_lines)" ]
check "  until it is asked to stop" equal "$code" 75
steps=$(wc -l <metrics)
stopped_at=$(digest)
run 3 "${words[@]}" --steps "$steps"
check "  with the digest of as many steps without a stop" equal "$(digest)" "$stopped_at"

run 1 train --quiet --steps 3 --stall-limit 0
check "a limit of 0" fails_with "--stall-limit" "'0' is not a finite number above 0"
alone train --quiet --steps 3 --stall-limit 10
check "one rank waits for nobody" succeeded
finish
