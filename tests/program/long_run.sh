#!/usr/bin/env bash
# 2 000 steps, in the larger size 10 000, on 4 ranks with a checkpoint every 50: memory and open files stay
# what they are, and the digest is that of a run that saves nothing.
#   tests/program/long_run.sh PROGRAM [STEPS]
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
[ -d /proc/self ] || skip_all "no /proc, which tells memory and open files"
steps=${2:-$(exhaustive && echo 10000 || echo 2000)}
limit=1800 # for 10 000 steps

words=(train --quiet --stage 3 --hidden 32 --batch 8)
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status" 2>/dev/null; }
# The fewest of ten looks: a checkpoint that is being written is open too.
files() {
  for _ in {1..10}; do find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l; done | sort -n | head -n 1
}
# After STEP steps: resident kilobytes and open files of each rank, a line each.
look() {
  wait_until lines_in metrics "$1"
  for process in $(process_of '[0-3]' | sort -n); do
    echo "$process $(resident "$process") $(files "$process")"
  done
}

# The job has no end, so that there is one to look at after all the steps; then it is asked to stop.
: >metrics
start 4 "${words[@]}" --steps 1000000000 --save saved --save-every 50 --keep 2 --metrics metrics
look $((steps / 10)) >early
look "$steps" >late
kill -s TERM "$(process_of 0)"
ended
check "$steps steps with a save every 50, then asked to stop" equal "$code" 75
check "  two checkpoints are left" equal "$(find saved -type f | wc -l)" 2
check "  four ranks were looked at, twice" \
  equal "$(cat early late | wc -l) $(cut -d ' ' -f 1 early late | sort -u | wc -l)" "8 4"
echo "process, resident kB and open files after a tenth of the steps and after all:"
paste -d ' ' early late
flat() { paste -d ' ' early late | awk '{ if ($5 > 1.01 * $2 || $5 < 0.99 * $2) bad = 1 } END { exit bad }'; }
check "  resident memory within 1 %" flat
check "  as many open files" equal "$(cut -d ' ' -f 3 early)" "$(cut -d ' ' -f 3 late)"
saving=$(digest)
check "  there is a digest" [ ${#saving} -gt 48 ]
run 4 "${words[@]}" --steps "$(wc -l <metrics)"
check "  the digest of a run that saves nothing" equal "$(digest)" "$saving"
finish
