#!/usr/bin/env bash
# One updating line while a run lasts: on a terminal only, also through mpirun, and gone at the end.
#   tests/program/progress.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
command -v script >/dev/null || skip_all "no script, which makes a terminal"

lines() { grep -c "epoch [0-9]*/$epochs · loss [0-9.]* · [0-9]* samples/s · [0-9].* left" out; }
silent() { succeeded && [ "$(cat out err | grep -c 'epoch [0-9]*/\| left')" -eq 0 ]; }
# words RANKS ARGUMENTS...: the job as a shell reads it; with 0 ranks, without mpirun.
words() {
  local launcher=("$tests/on_ranks.sh" "$1" "$limit")
  [ "$1" -gt 0 ] || launcher=()
  printf '%q ' ${launcher[@]+"${launcher[@]}"} "$program" "${job[@]}" "${@:2}"
}

for ranks in 1 2 0; do # 0: the program has the terminal itself, or its end of a pipe
  # As long a job as it takes on this machine to be seen twice; the silent ones are of that length.
  for ((epochs = 20; epochs < 1000000; epochs *= 3)); do
    job=(train --stage 3 --epochs "$epochs" --hidden "256,128")
    on_terminal "$(words $ranks)"
    [ "$(lines)" -lt 2 ] || break
  done
  check "N = $ranks, on a terminal: epoch, loss, samples a second, time left" [ "$(lines)" -ge 2 ]
  check "  lines fit its columns" fits_100_columns
  check "  and nothing of it is left" [ "$(grep -c 'left.*test accuracy\|left.*norm' out)" -eq 0 ]
  on_terminal "$(words $ranks) 2>&1 | cat"
  check "  not in a pipe to a terminal" silent
  if [ $ranks -eq 0 ]; then
    on_terminal "$(words 0) >/dev/null"
    check "  on stderr, where standard output goes elsewhere" [ "$(lines)" -ge 1 ]
    break
  fi
  on_terminal "$(words $ranks --quiet)"
  check "  nor with --quiet" silent
  on_terminal "$(words $ranks --json -)"
  check "  nor where standard output is for JSON alone" silent
  run $ranks "${job[@]}"
  check "  nor in files" silent
done
finish
