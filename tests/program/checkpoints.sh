#!/usr/bin/env bash
# Checkpoints as a user meets them: saved, found, resumed, looked into, refused.
#   tests/program/checkpoints.sh PROGRAM README
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
readme=$(cd "$tests/.." && pwd)/README.md

rows 103 >data.csv
rows 104 >other.csv
job=(--quiet --data csv:data.csv --hidden "8,4" --batch 4)
file() { printf '%s/step-%010d.zerolab' "$1" "$2"; }
holds_files() { equal "$(cd "$1" && echo ./*)" "$2"; } # holds_files FOLDER NAMES
same_state() {                                         # same_state CHECKPOINT CHECKPOINT
  "$program" checkpoint diff "$1" "$2" >out 2>err && [ ! -s out ] && [ ! -s err ]
}

# --- what is saved, what stays ---
alone train "${job[@]}" --steps 7 --save end
check "--save alone: one checkpoint at the end" holds_files end ./step-0000000007.zerolab
check "  is told" says "^saved end/step-0000000007.zerolab"
alone train "${job[@]}" --steps 7 --save all --save-every 2
check "--save-every 2: after steps 2, 4, 6, and at the end" holds_files all \
  "./step-0000000002.zerolab ./step-0000000004.zerolab ./step-0000000006.zerolab ./step-0000000007.zerolab"
check "  the last is the one saved alone" same_state end all
alone train "${job[@]}" --steps 7 --save some --save-every 2 --keep 2
check "--keep 2: the newest two" holds_files some "./step-0000000006.zerolab ./step-0000000007.zerolab"
alone train "${job[@]}" --steps 0 --save zero
check "--steps 0: the initial weights" holds_files zero ./step-0000000000.zerolab

# --- resumed: bits, stages, ranks ---
on_some() { if [ "$1" -eq 1 ]; then alone "${@:2}"; else run "$@"; fi; } # on_some RANKS ARGUMENTS...
# Every day on one rank and on three; checkpoint_test.cpp has all numbers in memory.
numbers="1 3" several="1 3"
! exhaustive || numbers="1 2 3 4" several="1 3 4"
for ranks in $numbers; do
  on_some $ranks train "${job[@]}" --epochs 3 --stage 2 --save whole$ranks --metrics whole$ranks.jsonl \
    --json w.json
  on_some $ranks train "${job[@]}" --steps 4 --stage 1 --save parts$ranks --metrics parts$ranks.jsonl
  echo '{"step": 5, "loss": 77}' >>parts$ranks.jsonl  # what a killed run had told after its last checkpoint,
  printf '{"clip_factor":1.0,"gr' >>parts$ranks.jsonl # the last line in part
  on_some $ranks train "${job[@]}" --epochs 3 --stage 3 --resume parts$ranks --save parts$ranks \
    --metrics parts$ranks.jsonl --json p.json
  check "N = $ranks: stage 1 goes on as stage 3 and ends as stage 2 did" same_state whole$ranks parts$ranks
  check "  the metrics have every step once" cmp whole$ranks.jsonl parts$ranks.jsonl
  check "  and the summary counts all steps" \
    equal "$(grep '"steps"\|"loss"\|"skipped' w.json)" "$(grep '"steps"\|"loss"\|"skipped' p.json)"
  on_some $ranks train "${job[@]}" --stage 0 --resume whole1 --epochs 3 --save from1-$ranks
  check "  loaded from one rank and saved again: the same" same_state whole1 from1-$ranks
done
for ranks in $several; do
  on_some $ranks train "${job[@]}" --virtual-shards 4 --steps 9 --save v$ranks
  on_some $ranks train "${job[@]}" --virtual-shards 4 --steps 5 --stage 2 --save w$ranks
done
for ranks in $several; do
  on_some $((5 - ranks)) train "${job[@]}" --virtual-shards 4 --steps 9 --stage 3 --resume w$ranks \
    --save u$ranks
  check "virtual shards: from N = $ranks to N = $((5 - ranks))" same_state v1 u$ranks
done
check "  as if never interrupted" same_state v1 v3
run 3 train "${job[@]}" --epochs 3 --resume parts1
check "on other ranks without virtual shards: the difference is explained" \
  says "a step now takes 12 samples, there 4"

# --- another job is another job ---
refused() { # refused WORDS ARGUMENTS...
  local words=$1 own=(--quiet) option
  shift
  for option in "--data csv:data.csv" "--hidden 8,4" "--batch 4"; do # but for the one that is given
    [[ " $* " == *" ${option%% *} "* ]] || own+=("${option%% *}" "${option#* }")
  done
  alone train "${own[@]}" --resume end "$@"
  check "refused: $*" fails_with "end/step-0000000007.zerolab is of another job: " "$words"
}
run 2 train "${job[@]}" --resume end --seed 2
check "another job on two ranks" fails_with "rank 0: end/step-" "seed is 1 there, 2 here"
refused "seed is 1 there, 2 here (to resume all the same: --allow seed)" --seed 2
refused "lr is 0.001 there, 0.01 here" --lr 0.01
refused "batch is 4 there, 5 here" --batch 5
refused "precision is \"fp16\" there, \"bf16\" here" --precision bf16
refused "reduce is \"exact\" there, \"ordered\" here" --reduce ordered
refused "optimizer is \"adam\" there, \"adamw\" here" --optimizer adamw
refused "widths is [2,8,4,3] there, [2,8,5,3] here" --hidden 8,5
refused 'data is {"checksum":' --data csv:other.csv
refused "virtual_shards is 0 there, 2 here" --virtual-shards 2
refused "accumulate is 1 there, 2 here" --accumulate 2
refused "loss_scale is \"dynamic\" there, 8.0 here" --loss-scale 8
run 2 train "${job[@]}" --resume end --seed 2 --lr 0.01 --allow seed --allow lr --steps 9
check "--allow seed --allow lr resumes all the same" succeeded
check "  and says what differs" says "^  as allowed, seed is 1 there, 2 here"
check "  nor that the samples are the same" equal "$(grep 'no sample' out)" ""
alone train "${job[@]}" --allow seed
check "--allow without --resume" fails_with "--allow requires --resume"
alone train "${job[@]}" --optimizer sgd --steps 2 --save plain
alone train "${job[@]}" --optimizer sgd --momentum 0.5 --resume plain --allow momentum
check "what is not there cannot be allowed" fails_with "holds no momentum, which this optimizer needs"
run 2 train "${job[@]}" --resume end --allow widths
check "other layers cannot be allowed" fails_with "--allow"
run 1 train "${job[@]}" --resume end --steps 6
check "fewer steps than are done" fails_with "end: has done 7 steps already, and --steps asks for 6"

echo "what I think of step 7" >notes
cp notes kept
alone train "${job[@]}" --resume end --steps 9 --metrics notes
check "--metrics into a file that holds something else" fails_with "notes line 1: no line of --metrics"
check "  which stays what it is" cmp notes kept
mkfifo pipe
for part in "1 4 --steps 4 --save piped" "5 7 --steps 7 --resume piped"; do
  read -r first last more <<<"$part"
  timeout $limit cat pipe >told &
  # shellcheck disable=SC2086  # several words
  alone train "${job[@]}" $more --metrics pipe
  wait $!
  check "--metrics into a named pipe, steps $first to $last" succeeded
  check "  who reads it has each step" equal "$(sed -n 's/.*"step":\([0-9]*\).*/\1/p' told)" "$(seq "$first" "$last")"
done
timeout $limit head -n 3 pipe >told &
alone train "${job[@]}" --steps 1000000000 --metrics pipe
check "whose reader leaves" fails_with "pipe: writing failed: Broken pipe"
alone train "${job[@]}" --steps 1000000000 --metrics pipe
check "that nobody reads" fails_with "pipe: is a named pipe that nobody reads"
alone train "${job[@]}" --steps 4 --save cut --metrics cut.jsonl
cp cut.jsonl whole.jsonl
truncate -s -1 cut.jsonl
alone train "${job[@]}" --resume cut --steps 4 --metrics cut.jsonl
check "metrics that lack the end of the last line alone" cmp cut.jsonl whole.jsonl
truncate -s -1 notes
cp notes kept
alone train "${job[@]}" --resume end --steps 9 --metrics notes
check "  and notes that do" fails_with "notes line 1: no line of --metrics"
check "  which stay what they are" cmp notes kept
rows 40 >fewer.csv # 32 to train on; of the checkpoint's epoch 28 samples are used
alone train --quiet --data csv:fewer.csv --hidden 8,4 --batch 7 --resume end --allow data --allow batch --epochs 2
check "fewer samples, allowed: the epochs end" says "of 13 steps skipped"

# --- a folder is one job's ---
before=$(stat -c %i "$(file end 7)")
alone train "${job[@]}" --resume end --save end --steps 7
check "nothing is left to be trained" says "^  nothing is left to be trained"
check "  nor saved" equal "$(stat -c %i "$(file end 7)")" "$before"
mkdir linked
ln -s ../end/step-0000000007.zerolab linked/
alone train "${job[@]}" --resume linked --save linked --steps 9
check "a checkpoint may be a link" holds_files linked "./step-0000000007.zerolab ./step-0000000009.zerolab"
ln -s around around
run 2 train "${job[@]}" --resume around
check "a link in a circle" fails_with "around: Too many levels"
alone train "${job[@]}" --resume end --json end/step-0000000007.zerolab
check "a summary by the name of a checkpoint" fails_with "--json: end/step-0000000007.zerolab is the name of a checkpoint"
mkdir here there
cp "$(file end 7)" there/
cp "$(file end 7)" here/
ln -s here place
: >metrics
start_alone train "${job[@]}" --steps 1000000000 --resume place --save place --metrics metrics
wait_until lines_in metrics 9
ln -s there other && mv -T other place
kill -s TERM "$started" # saves
ended
check "another folder in the place of the one saved into" fails_with "place: is another folder than the one"
check "  keeps what it holds" holds_files there ./step-0000000007.zerolab
cp whole1.jsonl kept.jsonl
run 2 train "${job[@]}" --save end --metrics kept.jsonl
check "a folder with checkpoints is not written over" fails_with "holds end/step-0000000007.zerolab already" "--resume end"
check "  nor is any other file then" cmp whole1.jsonl kept.jsonl
run 2 train "${job[@]}" --resume "$(file all 4)" --save all --steps 9
check "nor the newer ones of a resumed folder" fails_with "all/step-0000000007.zerolab, newer than what is resumed"
run 2 train "${job[@]}" --save data.csv
check "a file instead of a folder" fails_with "--save data.csv"
if command -v flock >/dev/null; then
  mkdir busy
  exec 8<busy
  flock 8
  run 2 train "${job[@]}" --save busy
  check "a folder that another job saves into" fails_with "busy: another job is saving into this folder"
  exec 8<&-
fi

# --- files that are not whole ---
cp -r all hurt
printf x >"$(file hurt 9).partial"
run 2 train "${job[@]}" --resume hurt --steps 9
check "what was never completed is ignored, with a note" grep -q "step-0000000009.zerolab.partial was not completed and is ignored" err
check "  and the newest complete one is taken" says "resumed from hurt/step-0000000007.zerolab"
mkdir none
for why in "none,holds no complete checkpoint" "missing,no such file or folder" "data.csv,no checkpoint of zerolab"; do
  run 3 train "${job[@]}" --resume "${why%,*}"
  check "--resume ${why%,*}" fails_with "${why%,*}: ${why#*,}"
done
rm hurt/*.partial
good=$(file hurt 7)
cp "$good" good
size=$(stat -c %s good 2>/dev/null || stat -f %z good)
damaged() { # damaged WHAT TEXT
  alone train "${job[@]}" --stage 3 --resume hurt --steps 9
  check "$1" fails_with "step-0000000007.zerolab" "$2"
  "$program" checkpoint verify hurt >out 2>err
  code=$?
  check "  verify says so" fails_with "step-0000000007.zerolab" "$2"
}
head -c $((size - 1)) good >"$good"
damaged "cut by one byte" "truncated?"
run 3 train "${job[@]}" --stage 3 --resume hurt --steps 9
check "  on three ranks" fails_with "rank 0: hurt/step-0000000007.zerolab" "truncated?"
flip() { # flip BYTE
  local byte
  byte=$(od -An -tu1 -j "$1" -N 1 good | tr -d ' ')
  cp good "$good"
  # shellcheck disable=SC2059  # the format is the byte
  printf "\\$(printf %o $((byte ^ 16)))" | dd of="$good" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
for where in "0,no checkpoint of zerolab" "8,format version" "12,bytes" "16,damaged" "25,damaged" "28,damaged" \
  "50,damaged: the checksum of its head" "$((size - 1)),damaged: the checksum of variance" \
  "$((size - size / 4)),damaged: the checksum of momentum"; do
  flip "${where%,*}"
  [ "${where%,*}" != 16 ] || where="16,byte"
  damaged "one bit flipped in byte ${where%,*}" "${where#*,}"
done
run 2 train "${job[@]}" --resume "$(file hurt 6)" --steps 9
check "an earlier one can still be named" succeeded
run 3 train "${job[@]}" --stage 3 --resume hurt --steps 9
check "the last on three ranks: whoever needs that block says so" fails_with "rank 0: hurt/step-" "damaged"
: >"$good"
damaged "an empty file" "no checkpoint"

# --- looked into ---
alone checkpoint info all
check "info: step, place, counters, who saved it" says "^after step 7: 0 epochs and 28 samples, 28 in all"
check "  fits 100 columns" fits_100_columns
alone checkpoint info all --json -
check "info --json" says '"step": 7'
alone checkpoint info all --json "$(file all 7)"
check "  is not written over the checkpoint" fails_with "would be written over the checkpoint, $(file all 7)"
alone train "${job[@]}" --resume all --steps 7
trained=$(digest)
alone checkpoint verify all
check "verify prints the digests of train" equal "$(digest)" "${trained%% · all ranks*}"
alone checkpoint diff "$(file all 4)" "$(file all 6)"
check "diff: exit code 1" [ "$code" -eq 1 ]
check "  counters and the first differing element" says "^master: .* the first is [0-9]* of unit 0: .* ulps)"
alone checkpoint diff all all
check "diff of a checkpoint with itself is silent" [ "$code$(cat out err)" = 0 ]
alone checkpoint export all --output npy
check "export: weights and biases of each unit and state" \
  equal "$(grep -c 'npy/\(master\|momentum\|variance\)\.[012]\.\(weights\|biases\)\.npy' out)" 18
check "  with the same digests" equal "$(digest)" "${trained%% · all ranks*}"
alone checkpoint export end --output npy
check "export beside another one's files" fails_with "npy: is not empty"
python=/usr/bin/python3
if command -v $python >/dev/null; then
  sed -n '/^```python$/,/^```$/p' "$readme" | grep -v '^```' >reader.py
  check "the README's reader has 30 lines at most" [ "$(wc -l <reader.py)" -le 30 ]
  cat >compare.py <<'PYTHON'
import ast, glob, json, struct, sys
sys.argv = ["reader.py", sys.argv[1]]
exec(open("reader.py").read())
widths, total = description["job"]["widths"], 0
for state in ("master", "momentum", "variance"):
    at = 0
    for unit in range(len(widths) - 1):
        for part, count in (("weights", widths[unit] * widths[unit + 1]), ("biases", widths[unit + 1])):
            raw = open(f"npy/{state}.{unit}.{part}.npy", "rb").read()
            assert raw[:8] == b"\x93NUMPY\x01\x00", raw[:8]
            size = struct.unpack("<H", raw[8:10])[0]
            head = ast.literal_eval(raw[10:10 + size].decode())
            shape = (widths[unit + 1], widths[unit])[:2 if part == "weights" else 1]
            assert (10 + size) % 64 == 0 and head == {"descr": "<f4", "fortran_order": False, "shape": shape}, head
            assert struct.pack(f"<{count}f", *states[state][at:at + count]) == raw[10 + size:], (state, unit)
            at += count
    assert at == len(states[state])
    total += at
print("equal", total)
PYTHON
  check "  which finds the numbers of export in the file" \
    equal "$($python compare.py "$(file all 7)" 2>&1 | tail -n 1)" "equal $((3 * (2 * 8 + 8 + 8 * 4 + 4 + 4 * 3 + 3)))"
  check "  and a flipped bit" [ -n "$($python reader.py "$good" 2>&1 | grep -i error)" ]
fi
finish
