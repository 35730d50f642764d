#!/usr/bin/env bash
# report figure: real runs of a small job at each N, all figures of them, what the files hold, and
# what is said when something is missing or broken.
#   tests/program/figures.sh PROGRAM N...     with 8 among N the bars have measured marks
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
shift
command -v gnuplot >/dev/null || skip_all "no gnuplot"

# Φ = (13+1)·7 + (7+1)·5 + (5+1)·3 = 156
# shellcheck disable=SC2054  # commas within words
job=(--data synthetic:64,13,3 --hidden 7,5 --batch 4 --loss-scale 1024 --steps 3 --quiet)
mkdir results "a folder"
for ranks in "$@"; do
  run "$ranks" verify "${job[@]}" --json "results/verify-$ranks.json"
  check "N = $ranks is measured" holds
done
for overlap in "" -overlapped; do
  for stage in 0 1 2 3; do
    [ $stage$overlap != 1-overlapped ] || continue # there is no such twin
    run 2 train --stage $stage ${overlap:+--overlap} --reduce mpi "${job[@]}" \
      --timeline "results/timeline-$stage$overlap.json"
    check "stage $stage$overlap has a timeline" succeeded
    check "  of the last of 3 steps" grep -q '"step":3,' "results/timeline-$stage$overlap.json"
  done
done

figures=(memory volume reduction efficiency trace overlap)
well_formed() {
  if command -v xmllint >/dev/null; then
    xmllint --noout --nonet "$1"
  else
    head -n 2 "$1" | grep -q '^<svg' && tail -n 2 "$1" | grep -q '^</svg>'
  fi
}
# Its ids begin with its name and are unique, what it refers to is in it, and it runs nothing.
self_contained() { # self_contained FIGURE FILE
  local ids
  ids=$(grep -oE "id=['\"][^'\"]*" "$2" | cut -c 5- | sort)
  [ -n "$ids" ] || { echo "no ids" && return 1; }
  echo "$ids" | grep -v "^${1}_" && return 1
  echo "$ids" | uniq -d | grep . && return 1
  grep -oE "(href='|url\()#[^')]*" "$2" | sed 's/.*#//' | sort -u | comm -23 - <(echo "$ids") |
    grep . && return 1
  ! grep -niE "<script|onclick|onload|<image|<foreignObject|@import|file:|plot_[0-9]*</title>" "$2" &&
    ! grep -oE "https?://[^\"']*" "$2" | grep -v '^http://www.w3.org/'
}
png_of() { # png_of FILE WIDTH HEIGHT: signature, IHDR and its sizes
  local wanted
  wanted=$(printf '89504e470d0a1a0a0000000d49484452%08x%08x' "$2" "$3")
  equal "$(head -c 24 "$1" | od -An -v -tx1 | tr -d ' \n')" "$wanted"
}
svg_size() { sed -n "s/.* $1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1; }

alone report figure all --results results
check "all figures" succeeded
check "  in at most 100 columns" fits_100_columns
check "  each is told with its files" equal "$(grep -cE '^[a-z]+: results/' out)" ${#figures[@]}
check "  nothing remains beside them" \
  equal "$(find results -name '*.svg' -o -name '*.png' | wc -l)" $((2 * ${#figures[@]}))
for n in 1 2 3 4 8; do
  if [ -f results/verify-$n.json ]; then
    check "  N = $n is shown" says "verify-$n.json"
  else
    check "  N = $n is said to be missing" says "^  not measured: no verify-$n.json"
  fi
done
for figure in "${figures[@]}"; do
  svg=results/$figure.svg
  check "$figure: well-formed" well_formed "$svg"
  check "  self-contained" self_contained "$figure" "$svg"
  check "  a PNG of twice its size" png_of "results/$figure.png" \
    $((2 * $(svg_size width "$svg"))) $((2 * $(svg_size height "$svg")))
done

for figure in "${figures[@]}"; do
  check "$figure: says what it shows" grep -qE '<desc>[^<]{20}' "results/$figure.svg"
done
# Stage 0 gathers no parameters: of it alone the picture has none in their blue, with stage 2 it has.
mkdir gathers
cp results/timeline-0-overlapped.json gathers
blue="rgb( *0, *114, *178)"
alone report figure overlap --results gathers
check "stage 0 overlapped gathers gradients" \
  grep -q "all-gather of summed gradients" gathers/overlap.svg
check "  and no parameters" test "$(grep -cE "all-gather of parameters|$blue" gathers/overlap.svg)" = 0
cp results/timeline-2-overlapped.json gathers
alone report figure overlap --results gathers
check "stage 2 overlapped gathers parameters" grep -q "all-gather of parameters" gathers/overlap.svg
check "  in their colour" grep -q "$blue" gathers/overlap.svg

# 1.2 MB held: numbers of four digits on the axis, and its words still within the picture, whose
# letters of 14 points reach about 11 to the left of where they stand.
mkdir wide
sed 's/"data": *[0-9]*/"data":1200000/' results/timeline-3.json >wide/timeline-3.json
alone report figure trace --results wide
check "axis of four digits" grep -q "<text>.*1000</tspan></text>\|<text>.*1000</text>" wide/trace.svg
words_inside() {
  grep -o 'translate([0-9.-]*,[0-9.]*) rotate(270)' wide/trace.svg | tr '(,' '  ' |
    awk '$2 < 12 { exit 1 } END { exit NR == 0 }'
}
check "  leaves room for its words" words_inside

# 300 spans, each a point wide: what has a dark border are the boxes of the legend alone.
mkdir many
spans=""
for ((i = 0; i < 300; i++)); do
  what=forward
  [ $((i % 2)) -eq 0 ] || what=reduce_scatter
  spans+="${spans:+,}{\"what\":\"$what\",\"unit\":null,\"begin\":${i}e-5,\"end\":$((i + 1))e-5}"
done
held=""
for category in parameters gradients master momentum variance accumulator activations buffers data; do
  held+="${held:+,}\"$category\":0"
done
echo "{\"zerolab_timeline\":1,\"stage\":3,\"overlap\":false,\"ranks\":2,\"rank\":0,
  \"parameters\":156,\"reduce\":\"mpi\",\"simulated\":false,\"seconds\":3e-3,\"held\":{$held},
  \"memory\":[],\"marks\":[],\"spans\":[$spans]}" >many/timeline-3.json
alone report figure overlap --results many
check "spans too narrow for borders are drawn" \
  test "$(grep -cE "stroke='rgb\(230, 159, +0\)'" many/overlap.svg)" -ge 150
check "  without" test "$(grep -cE "<path stroke='rgb\( *34, +34, +34\)'" many/overlap.svg)" -lt 8

# The counted bytes of both conventions lie in the picture: 2 bytes · Φ · N · 3 steps per payload, 1
# payload a step in stage 0 and 3 in stage 3; on a ring 2·Φ·(N−1) twice and 3 times.
held() { # held FIGURE SERIES N BYTES
  grep -o '{"counted_bytes":[^}]*}' "results/$1.svg" |
    grep -q "{\"counted_bytes\":$4,\"formula_bytes\":$4,\"series\":\"$2\",\"x\":$3.0,"
}
for n in "$@"; do
  check "N = $n: volume of stage 0" held volume "stage 0, payload" "$n" $((2 * 156 * n * 3))
  check "  and of stage 3" held volume "stage 3, payload" "$n" $((3 * 2 * 156 * n * 3))
  check "  ring" held volume "stage 0, ring model" "$n" $((2 * 2 * 156 * (n - 1) * 3))
  check "  states of stage 1: 4ΦN + 12Φ" held reduction "stage 1" "$n" $((156 * (4 * n + 12)))
  check "  stage 2: 2ΦN + 14Φ" held reduction "stage 2" "$n" $((156 * (2 * n + 14)))
  check "  stage 3: 16Φ" held reduction "stage 3" "$n" $((156 * 16))
done
# Where the marks lie: stage 3's as far above N = 1, where nothing is sent, as three times stage 0's,
# and the ring's stage 0 twice as far. (The last mark of a series is that of the legend.)
marks() { # marks WORDS: heights of a series
  awk -v words="<text>$1</text>" '
    /<g id=/ { found = 0 }
    index($0, words) { found = 1 }
    found && /<use/ { sub(/.*translate\([^,]*,/, ""); sub(/\).*/, ""); print }' results/volume.svg
}
proportional() {
  paste <(marks "measured payload: stage 0") <(marks "measured payload: stage 3") \
    <(marks "ring model of the calls: stage 0") |
    awk -v n=$# 'function near(a, b) { return a - b < 0.05 && b - a < 0.05 }
      NR == 1 { base = $1 }
      NR <= n { good += near(base - $2, 3 * (base - $1)) && near(base - $3, 2 * (base - $1)) }
      NR > 1 && NR <= n { good += $1 < base }
      END { exit !(NR == n + 1 && good == 2 * n - 1) }'
}
check "marks of the volumes lie as 1 to 3 to 2" proportional "$@"

alone report figure volume --results results --output "a folder/my volume"
check "--output names the files" cmp results/volume.svg "a folder/my volume.svg"
check "  and says them" says "^volume: a folder/my volume.svg, a folder/my volume.png"

refused() { # refused CODE TEXT...: one line of ours, that exit code
  equal "$code" "$1" && fails_with "${@:2}"
}
alone report figure volume --results results --output x.svg
check "an ending is refused" refused 2 "--output" "x.svg"
alone report figure all --results results --output x
check "one name for all is refused" refused 2 "--output"
alone report figure volumes --results results
check "an unknown figure" refused 2 "volumes" "reduction"
alone report figure volume --results nowhere
check "no such folder" refused 1 "nowhere"
alone report figure volume --results results --output no/folder/x
check "a folder that is not there" refused 1 "no/folder/x"
mkdir "no gnuplot" broken empty
if ! simulated; then # which needs its own programs in PATH
  PATH="$work/no gnuplot" alone report figure volume --results results --output x
  check "no gnuplot in PATH" refused 1 "gnuplot" "apt install gnuplot-nox"
  printf '#!/bin/sh\necho "no such terminal" >&2\nexit 3\n' >"no gnuplot/gnuplot"
  chmod +x "no gnuplot/gnuplot"
  PATH="$work/no gnuplot" alone report figure volume --results results --output x
  check "a gnuplot that fails" refused 1 "gnuplot failed (exit code 3): no such terminal"
fi
alone report figure volume --results ""
check "a folder without a name" refused 2 "--results" "the name of the results folder is empty"
if ! simulated; then
  printf '#!/bin/sh\n%s -d | head -c 3000\n' "$(command -v gnuplot)" >"no gnuplot/gnuplot"
  PATH="$work/no gnuplot:$PATH" alone report figure volume --results results --output x
  check "a gnuplot whose picture is cut" refused 1 "SVG picture that is cut"
  check "  and no file is left" test ! -e x.svg -a ! -e x.png
fi
sed 's/"payload_bytes"/"payload"/' "results/verify-2.json" >broken/verify-2.json
alone report figure volume --results broken
check "a file without a key" refused 1 "broken/verify-2.json: the key bytes.0" "payload_bytes is missing"
head -c 1000 results/verify-2.json >broken/verify-2.json
alone report figure volume --results broken
check "a file cut short" refused 1 "broken/verify-2.json is not JSON"
alone report figure memory --results empty
check "without results the formula is drawn" test "$code" -eq 0 -a -s empty/memory.svg
check "  and it is said that nothing is measured" says "^  not measured: no verify-8.json"
alone report figure trace --results empty
check "a figure without anything to show" test "$code" -eq 1
check "  says what is missing" says "^  not measured: no timeline-3.json"

# Words of a result file are drawn as they are, and run by nobody.
# shellcheck disable=SC2016  # they are not ours to expand
sed 's/"words": *"[^"]*"/"words":"`touch run` '"'"'; system(\\"touch run\\")"/g' results/timeline-3.json \
  >empty/timeline-3.json
alone report figure trace --results empty
check "words of a file are no commands" test "$code" -eq 0 -a ! -e run
finish
