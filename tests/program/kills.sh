#!/usr/bin/env bash
# kill -9 of one rank or of all at random moments of saving. After each the newest complete checkpoint
# loads, is no older than the last that was there before the kill, and has the bits of a run that was
# never killed.   tests/program/kills.sh PROGRAM [KILLS [SEED]]
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
[ -d /proc/self ] || skip_all "no /proc, where the ranks would be found"
kills=${2:-$(exhaustive && echo 200 || echo 30)}
RANDOM=${3:-1}

# Saving is most of what this job does: after each step, 1.9 MB.
options=(--quiet --data "synthetic:64,8,3" --hidden "400,400" --batch 1 --virtual-shards 3 --precision fp32)
newest_file() { find saved -name 'step-*.zerolab' 2>/dev/null | sort | tail -n 1; }
step_of() { local name=${1##*/step-} && name=${name%.zerolab} && echo $((10#${name:-0})); }
found=0 lost=0 hung=0 killed=0 partial=0 first=$SECONDS

saves() { [ "$(newest_file)" != "$before" ]; }
for ((kill = 1; kill <= kills; ++kill)); do
  # Four times of five one rank without mpirun, which takes longer; else two or three.
  ranks=1 stage=$((RANDOM % 4))
  [ $((kill % 5)) -gt 0 ] || ranks=$((kill / 5 % 2 + 2))
  before=$(newest_file)
  words=(train "${options[@]}" --stage "$stage" --steps 1000000 --save saved --save-every 1 --keep 3)
  [ -z "$before" ] || words+=(--resume saved)
  if [ $ranks -eq 1 ]; then start_alone "${words[@]}"; else start $ranks "${words[@]}"; fi
  wait_until saves
  sleep "0.$((RANDOM % 150 + 100))"
  victims=("$started")
  if [ $ranks -gt 1 ]; then # all of them, or one
    mapfile -t victims < <(process_of "[0-$((ranks - 1))]")
    [ $((RANDOM % 2)) -eq 0 ] || victims=("${victims[$((RANDOM % ranks))]}")
  elif [ $((kill % 5)) -eq 1 ]; then # stopped where a file is there in part
    for _ in {1..1000}; do
      kill -STOP "$started"
      [ -z "$(find saved -name '*.partial')" ] || break
      kill -CONT "$started"
      sleep "0.00$((RANDOM % 10))"
    done
  fi
  seen=$(newest_file)
  kill -9 "${victims[@]}" 2>/dev/null && killed=$((killed + 1))
  ended 2>/dev/null
  if ! in_time || ! nobody_left; then
    hung=$((hung + 1))
    echo "kill $kill: still running after $seconds s"
  fi
  [ -z "$(find saved -name '*.partial')" ] || partial=$((partial + 1))
  if "$program" checkpoint verify saved >whole 2>err &&
    [ "$(step_of "$(newest_file)")" -ge "$(step_of "$seen")" ]; then
    found=$((found + 1))
  else
    lost=$((lost + 1))
    echo "kill $kill: after $seen there is $(newest_file)" && cat err
  fi
done
step=$(step_of "$(newest_file)")
"$program" train "${options[@]}" --steps "$step" --save whole-run >out 2>err </dev/null
echo "kills $killed, checkpoints found $found, lost $lost, hung $hung;" \
  "left in part $partial times; step $step after $((SECONDS - first)) s"
check "$kills kills" equal "$killed" "$kills"
check "  the newest complete checkpoint is found after each" equal "$found $lost" "$kills 0"
check "  nobody hangs" equal $hung 0
check "  some kills came in the middle of saving" [ "$partial" -gt 0 ]
check "  and after all of them the bits are those of a run without" \
  equal "$("$program" checkpoint diff saved whole-run 2>/dev/null || echo "they differ")" ""
finish
