#!/usr/bin/env bash
# MPI's rules, watched over by tests/mpi_checker: it finds each violation that its probe commits, stands
# beneath the tests on ranks, and training keeps the rules and its bits under it.
#   tests/program/mpi_checker.sh PROGRAM CHECKER PROBE TESTS
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
checker=$(preloadable "$2") probe=$3 tested=$4

# In a sanitized build its runtime wants to be loaded first, and the checker needs it as well.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
watch="export ZEROLAB_MPI_CHECKER=count LD_PRELOAD='$checker'"
found() { # found TEXT: the job was ended, and one rank at least said so
  [ "$code" -ne 0 ] || { echo "exit code 0" && return 1; }
  grep -q "^mpi_checker: rank [0-9]*: MPI_[A-Za-z_]* call [0-9]*: .*$1" err
}
clean() { [ "$code" -eq 0 ] && ! grep '^mpi_checker: rank' err; }
calls() { sed -n 's/^mpi_checker: \([0-9]*\) calls checked/\1/p' err; }
checked() { clean && [ "$(calls)" -gt "${1:-0}" ]; }

export ZEROLAB_MPI_CHECKER=count
for ranks in 1 2 3 4; do
  launch "$ranks" "$probe" clean
  check "N = $ranks: clean calls pass" checked 9
done
# Every day each violation on one of its two numbers of ranks, by turns.
turn=0
while read -r ranks violation text; do
  read -ra numbers <<<"${ranks/,/ }"
  exhaustive || numbers=("${numbers[turn]}")
  turn=$((1 - turn))
  for n in "${numbers[@]}"; do
    aside "$violation $n" launch "$n" "$probe" "$violation"
    echo "$n $violation $text" >>violations
  done
done <<'END'
1,3 sent_and_received send and receive buffers overlap
1,3 left_open MPI_Iallgatherv call [0-9]* was never waited for
1,3 receive_written receive buffer written in flight: byte [0-7] of
1,3 shard_written receive buffer written in flight: byte [0-7] of 8
1,3 send_written send buffer written in flight: byte [0-7] of
1,3 exchange_written send buffer written in flight: byte [0-7] of
1,3 counts_written counts written in flight
1,3 places_written displacements written in flight
1,3 used_twice its buffer is in use by MPI_Iallgatherv call [0-9]*, still under way
2,4 received_twice the receive part of rank 1 overlaps another's
2,4 counts the ranks disagree in count;
2,4 function the ranks disagree in function, count, type;
2,4 root the ranks disagree in root;
2,4 type the ranks disagree in type;
2,4 operation the ranks disagree in operation;
2,4 layout the ranks disagree in count;
2,4 pairs sends 0 bytes, expected are 8
2,4 gathered sends 0 bytes, expected are 8
2,4 message 1 elements arrived, expected were 2
2,4 function_in_flight the ranks disagree in function, count, operation;
END
while read -r n violation text; do
  look_at "$violation $n"
  check "N = $n: $violation is found" found "$text"
done <violations
launch 3 "$tested" --gtest_filter=Communicator.GathersTexts
check "the tests on ranks run under the checker" checked 20

# Training with and without the checker: the bits are to be the same.
job=(train --quiet --steps 3 --hidden "9,7" --batch 6)
modes=("exact --accumulate 2" "exact --virtual-shards 6 --chunk-elements 50" "ordered --precision bf16"
  "mpi --precision fp32")
stages=("0" "1" "2" "3" "0 --overlap" "2 --overlap" "3 --overlap")
for ranks in 1 2 3 4; do
  for m in "${!modes[@]}"; do
    for s in "${!stages[@]}"; do
      # Every day one number of ranks for each pair of mode and stage, so that each mode, and each stage,
      # is on all of them.
      exhaustive || [ $(((m + s) % 4)) -eq $((ranks % 4)) ] || continue
      words="--stage ${stages[s]} --reduce ${modes[m]}"
      [[ $words != *accumulate* || $words == *overlap* ]] || words+=" --checkpoint-activations 2"
      # Only the library's own sums differ from stage to stage, so one run without the checker is enough
      # of the others.
      [[ $m = 3 ]] && plain="N = $ranks $words" || plain="N = $ranks ${modes[m]}"
      # shellcheck disable=SC2086  # one word an option
      {
        [ -d "$plain" ] || aside "$plain" run $ranks "${job[@]}" $words
        aside "$ranks $words" launch $ranks "$on" all "$watch" "$program" "${job[@]}" $words
      }
      echo "$plain:$ranks $words" >>trained
    done
  done
done
while IFS=: read -r plain watched; do
  look_at "$plain"
  check "N = $watched" succeeded
  bits=$(digest)
  look_at "$watched"
  check "  keeps MPI's rules" checked 30
  check "  with the same bits" equal "$(digest)" "$bits"
done <trained
finish
