#!/usr/bin/env bash
# One updating line while a run lasts: on a terminal only, also through mpirun, and gone at the end.
#   tests/program/progress.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
command -v script >/dev/null || skip_all "no script, which makes a terminal"

job=(train --stage 3 --epochs 60 --hidden 256,128)
# on_terminal RANKS ARGUMENTS...: what the terminal shows goes to the file out, \r as new lines.
on_terminal() {
  local command
  command=$(printf '%q ' "$tests/on_ranks.sh" "$1" 60 "$program" "${@:2}")${piped:-}
  script -qec "stty columns 100; $command" /dev/null </dev/null 2>err | tr '\r' '\n' | sed 's/\x1b\[K//' >out
  code=${PIPESTATUS[0]}
}
progress() { grep -c 'epoch [0-9]*/60 · loss [0-9.]* · [0-9]* samples/s · [0-9].* left' out; }

for ranks in 1 2; do
  on_terminal $ranks "${job[@]}"
  check "N = $ranks, on a terminal: epoch, loss, samples a second, time left" [ "$(progress)" -ge 2 ]
  check "  lines fit its columns" fits_100_columns
  check "  and nothing of it is left" [ "$(grep -c 'left.*test accuracy\|left.*norm' out)" -eq 0 ]
  on_terminal $ranks "${job[@]}" --quiet
  check "  not with --quiet" [ "$(progress)" -eq 0 ]
  on_terminal $ranks "${job[@]}" --json -
  check "  nor where standard output is for JSON alone" [ "$(progress)" -eq 0 ]
  piped="2>&1 | cat" on_terminal $ranks "${job[@]}"
  check "  nor in a pipe to a terminal" [ "$(progress)" -eq 0 ]
  run $ranks 60 "${job[@]}"
  check "  nor in files" [ "$(cat out err | grep -c 'epoch\| left')" -eq 0 ]
done
# Without mpirun the program has the terminal itself, or its end of a pipe.
in_shell() { script -qec "'$program' $*" /dev/null </dev/null 2>err | tr '\r' '\n' >out; }
in_shell "${job[@]}"
check "started alone, on a terminal" [ "$(progress)" -ge 2 ]
in_shell "${job[@]}" "2>&1 | cat"
check "  not in a pipe" [ "$(progress)" -eq 0 ]
in_shell "${job[@]}" ">/dev/null"
check "  on stderr, where standard output goes elsewhere" [ "$(progress)" -ge 2 ]
finish
