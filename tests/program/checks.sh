# shellcheck shell=bash disable=SC2317  # the checks are called through "check"
# What the tests of the program share. A test sources this with the program as the first argument,
# runs in an empty folder of its own, prints one line a check, and ends with "finish".
set -u
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(cd "$(mktemp -d)" && pwd -P) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/a program"
program="$work/a program/zerolab" # a name of its own, to find leftovers by, and a blank in the path
cp "$1" "$program" || exit 1
cd "$work" || exit 1
: >out
: >err
code=0 seconds=0 faults=0 checks=0
# When a job fails, Open MPI waits so many seconds between SIGTERM and SIGKILL, twice; 1 by default.
export OMPI_MCA_odls_base_sigkill_timeout=0
export OMPI_MCA_ess_singleton_isolated=1 # a rank without mpirun starts no daemon of Open MPI: half the time

# Seconds that a job may take. It ends what hangs, and is so long that it ends nothing else on any machine.
limit=300
# Some scripts have two sizes: what they do every day, and all that they can do.
exhaustive() { [ "${ZEROLAB_EXHAUSTIVE:-0}" = 1 ]; }
# MPICH's ranks spin while they wait: more of them than cores take minutes, and only exhaustive entries have those.
crowded() { # crowded RANKS
  [[ ${ZEROLAB_MPIRUN:-} == *mpich* ]] && ! exhaustive && [ "$1" -gt "$(getconf _NPROCESSORS_ONLN)" ]
}

# run RANKS ARGUMENTS... starts the program; leaves $code, $seconds and the files out and err.
run() { launch "$1" "$program" "${@:2}"; }
# The same with another command in front of the ranks.
launch() { # launch RANKS COMMAND...
  begin=$SECONDS
  "$tests/on_ranks.sh" "$1" $limit "${@:2}" >out 2>err
  code=$?
  seconds=$((SECONDS - begin))
}

# What is to be seen, stopped or killed while it runs: "start" and its like, which leave the process
# in $started, "wait_until" it is so far, then "ended".
start() { # start RANKS ARGUMENTS...
  : >out # of another job, before the new one is asked
  "$tests/on_ranks.sh" "$1" $limit "$program" "${@:2}" >out 2>err &
  started=$!
}
start_alone() { # start_alone ARGUMENTS...
  : >out
  "$program" "$@" >out 2>err </dev/null &
  started=$!
}
# wait_until COMMAND... succeeds. It is a fault when the job has ended before.
wait_until() {
  local since=$SECONDS
  until "$@"; do
    if ! kill -0 "$started" 2>/dev/null || [ $((SECONDS - since)) -ge $limit ]; then
      check "the job comes so far: $*" false
      return 1
    fi
    sleep 0.02
  done
}
lines_in() { [ "$(wc -l <"$1")" -ge "$2" ]; } # lines_in FILE LEAST
# ended [SINCE]: leaves $code, and $seconds since then.
ended() {
  begin=${1:-$SECONDS}
  wait "$started"
  code=$?
  seconds=$((SECONDS - begin))
}

# aside FOLDER COMMAND... runs "run" or its like beside others, two at a time, in a folder of its own.
aside() {
  mkdir "$1"
  [ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
  (cd "$1" && "${@:2}" && echo "$code $seconds" >ended) &
}
look_at() { # look_at FOLDER: what was run there is what the checks are about; all others have ended too
  wait
  rm -f out err && code=1
  cp "$1/out" "$1/err" .
  read -r code seconds <"$1/ended"
}

# Limits of memory cannot be tried then: the address sanitizer maps terabytes.
limits_memory() {
  ! grep -q __asan_init "$program" ||
    { echo "skipped: limits of memory, which the address sanitizer cannot have" && false; }
}
# A library to be preloaded, where its path has no blank: there LD_PRELOAD is split.
preloadable() { cp "$1" "$work" && echo "$work/${1##*/}"; }
simulated() { [[ ${ZEROLAB_MPIRUN:-} == *smpirun ]]; } # ranks are no processes

# One rank without mpirun, which costs time; a simulated one needs it.
alone() { # alone ARGUMENTS...
  if simulated; then
    run 1 "$@"
  else
    begin=$SECONDS
    "$program" "$@" >out 2>err </dev/null
    code=$?
    seconds=$((SECONDS - begin))
  fi
}

# check WHAT COMMAND... is a fault when the command fails; what it prints tells why, else the run does.
check() {
  local what=$1 why
  shift
  checks=$((checks + 1))
  if why=$("$@" 2>&1); then
    echo "ok    $what"
    return
  fi
  echo "FAULT $what (exit code $code after $seconds s)"
  { if [ -n "$why" ]; then echo "$why"; else tail -n 40 out err; fi; } | sed 's/^/      | /'
  faults=$((faults + 1))
}

finish() {
  [ $faults -eq 0 ] || echo "$faults of $checks checks failed"
  [ $checks -gt 0 ] && [ $faults -eq 0 ]
  exit
}

skip_all() { # skip_all WHY
  echo "skipped: $1"
  exit 77 # ctest: skipped
}

succeeded() { [ "$code" -eq 0 ]; }
holds() { succeeded && grep -q '^holds: stages' out; }
says() { grep -q -e "$1" out; }
differ() { [ "$1" != "$2" ] || { echo "both are $1" && false; }; }
equal() { [ "$1" = "$2" ] || { echo "$1, but $2" && false; }; }
# The three digests, as train prints them.
digest() { grep '^digest' out; }

# No line is longer than 100 characters; the later bytes of a UTF-8 character take no room.
fits_100_columns() {
  ! LC_ALL=C awk '{ shown = $0; gsub(/[\200-\277]/, "", shown) } length(shown) > 100' out | grep .
}

# True when no process of this program is alive (where /proc can tell).
nobody_left() {
  local process
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe" 2>/dev/null)" != "$program" ] || return 1
  done
}

# Process of a rank of this program, where /proc can tell.
process_of() { # process_of RANK
  local process
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe" 2>/dev/null)" = "$program" ] || continue
    ! grep -qzE "^(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1\$" "$process/environ" || echo "${process#/proc/}"
  done
}

# The launcher above a rank.
mpirun_of() { # mpirun_of PROCESS
  local process=$1 name
  while [ "$process" -gt 1 ]; do
    process=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$process/stat")
    name=$(cat "/proc/$process/comm")
    [[ $name == mpi* || $name == orterun || $name == prte* ]] || continue
    echo "$process"
    return
  done
  return 1
}

# What a terminal of 100 columns shows of a command, as lines, goes to the file out.
on_terminal() { # on_terminal "SHELL CODE"
  script -qec "stty columns 100; $1" /dev/null </dev/null 2>err | tr '\r' '\n' | sed 's/\x1b\[K//' >out
  code=${PIPESTATUS[0]}
}

# "$on" RANK "SHELL CODE" COMMAND... runs the code first, on that rank only ("all": on each).
on=$work/on
cat >"$on" <<'END'
#!/usr/bin/env bash
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}} only=$1 code=$2
shift 2
if [ "$only" = all ] || [ "$only" = "$rank" ]; then eval "$code"; fi
exec "$@"
END
chmod +x "$on"

# A run that is to end, for a fault or when it is asked to, does so within 10 s: that is promised to
# users. A slow or busy machine has ten times as long on top as it takes to start three ranks just now.
in_time() {
  [ "$seconds" -gt 10 ] || return 0
  local begin=$SECONDS start
  "$tests/on_ranks.sh" 3 $limit "$program" train --quiet --steps 0 >/dev/null 2>&1
  start=$((SECONDS - begin))
  [ "$seconds" -le $((10 + 10 * start)) ] || { echo "took $seconds s; a start takes $start s" && return 1; }
}
our_lines() { grep '^zerolab: ' err; }
# fails_with TEXT... the run ended as a fault should, and the one line of ours holds each TEXT.
fails_with() {
  local text
  [ "$code" -ne 0 ] || { echo "exit code 0" && return 1; }
  in_time || return 1
  [ "$(our_lines | wc -l)" -eq 1 ] || { echo "lines of ours: $(our_lines)" && return 1; }
  for text in "$@"; do
    our_lines | grep -qF -e "$text" || { echo "'$text' is not in: $(our_lines)" && return 1; }
  done
  nobody_left || { echo "a rank is still alive" && return 1; }
}

# on_rank RANK "SHELL CODE" ARGUMENTS... is "run 3 ARGUMENTS..." with that code on that rank.
on_rank() {
  launch 3 "$on" "$1" "$2" "$program" "${@:3}"
}

# rows NUMBER: lines of a CSV with two features and the label 0, 1 or 2.
rows() {
  awk -v rows="$1" 'BEGIN { for (i = 0; i < rows; ++i) print i % 7 "," i % 5 "," i % 3 }'
}
