#!/usr/bin/env bash
# --stall-limit: a rank that is stopped ends the job, with one line of ours that says where another
# waited for it; a job that is suspended as a whole goes on.   tests/program/stalls.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
[ -d /proc/self ] || skip_all "no /proc, which tells the processes of ranks"

# begin ARGUMENTS... starts three ranks in the background and waits until they are at work.
begin() {
  : >metrics
  "$tests/on_ranks.sh" 3 $((100 * patience)) "$program" "$@" >out 2>err &
  job=$!
  for _ in {1..400}; do
    if says OpenBLAS && { [ "$1" = verify ] || [ "$(wc -l <metrics)" -ge 5 ]; }; then break; fi
    sleep 0.05
  done
  [ "$1" = train ] || sleep 1
}
# ended SINCE waits for them; leaves $code and $seconds as "run" does.
ended() {
  wait "$job"
  code=$?
  seconds=$((SECONDS - $1))
}

for command in "train --stage 3 --metrics metrics" verify; do
  for rank in 0 1 2; do
    # shellcheck disable=SC2086  # several words
    begin $command --quiet --epochs 100000 --stall-limit 2
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

job=(train --stage 3 --steps 1500 --metrics metrics --quiet)
run 3 100 "${job[@]}"
check "a job of 1500 steps" succeeded
right=$(digest)
words=("${job[@]}" --stall-limit 2)
begin "${words[@]}"
all=$(process_of 0 && process_of 1 && process_of 2)
since=$SECONDS
# shellcheck disable=SC2086  # one word a process
kill -STOP $all
check "is suspended as a whole" equal "$(wc -w <<<"$all")" 3
before=$(wc -l <metrics)
sleep 5
check "  and stands still" equal "$(wc -l <metrics)" "$before"
check "  in the middle" [ "$before" -lt 1500 ]
# shellcheck disable=SC2086  # one word a process
kill -CONT $all
ended $since
check "  longer than the limit: it goes on" succeeded
check "  in silence" [ ! -s err ]
check "  to the right digest" equal "$(digest)" "$right"

run 1 20 train --quiet --steps 3 --stall-limit 0
check "a limit of 0" fails_with "--stall-limit" "'0' is not a finite number above 0"
alone train --quiet --steps 3 --stall-limit 10
check "one rank waits for nobody" succeeded
finish
