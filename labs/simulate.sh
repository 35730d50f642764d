#!/usr/bin/env bash
# Stages 0 to 3 on simulated clusters: a step's time, its computation, its communication, and the
# bytes on the links, measured by SMPI's clock and trace.   ./run_labs.sh simulate, or
#
#   labs/simulate.sh PROGRAM [PLATFORM...]     PROGRAM built for SMPI; PLATFORM of labs/platforms,
#                                              or "all"
#
# With 16-bit sums by the library (--reduce mpi --precision fp16), as the documents count. The table
# of 256 ranks has a smaller model. Prints the same digits every time.
set -uo pipefail
labs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
all=(nvlink-300g infiniband-100g ethernet-10g ethernet-1g two-level)
[ $# -ge 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" && exit 2; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
platforms=("$@")
if [ $# -eq 0 ] || [ "$*" = all ]; then platforms=("${all[@]}"); fi
for platform in "${platforms[@]}"; do
  if ! [ -f "$labs/platforms/$platform.xml" ]; then
    echo "simulate.sh: no platform $platform; there are: ${all[*]}" >&2
    exit 2
  fi
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trace=--cfg=tracing:yes
for option in smpi:yes smpi/internals:yes smpi/display-sizes:yes filename:trace; do
  trace+=" --cfg=tracing/$option"
done

# train PLATFORM RANKS WIDTH STAGE STEPS: two units of WIDTH x WIDTH, 32 samples a rank.
train() {
  (cd "$work" && ZEROLAB_PLATFORM=$labs/platforms/$1.xml "$labs/../tests/on_ranks.sh" "$2" 600 \
    "$program" train --reduce mpi --precision fp16 --loss-scale 1024 --quiet --json summary \
    --data "synthetic:$((32 * $2)),$3,$3" --hidden "$3" --stage "$4" --steps "$5" >log) && return
  cat "$work/log" >&2
  exit 1
}
milliseconds() { sed -n "s/^ *\"$1\": \([-0-9.e+]*\),\{0,1\}\$/\1/p" "$work/summary"; }

# measured RANKS WIDTH STAGE: bytes of a step by all ranks, by the busiest, between boxes of 8: a run of
# one step less a run of none. Messages do not depend on the platform, so they are counted once.
measured() {
  local known=$work/bytes-$1-$2-$3 steps
  if ! [ -f "$known" ]; then
    for steps in 1 0; do
      ZEROLAB_MPIRUN_FLAGS=$trace train infiniband-100g "$1" "$2" "$3" $steps
      awk -f "$labs/link_bytes.awk" "$work/trace"
    done | awk 'NR == 1 { split($0, one) } END { print one[1] - $1, one[2] - $2, one[3] - $3 }' \
      >"$known" || { rm -f "$known" && exit 1; }
  fi
  cat "$known"
}

# rows PLATFORM RANKS WIDTH STAGES...
rows() {
  local platform=$1 ranks=$2 width=$3 stage bytes first=
  shift 3
  for stage in "$@"; do
    bytes=$(measured "$ranks" "$width" "$stage") || exit 1
    train "$platform" "$ranks" "$width" "$stage" 1
    # shellcheck disable=SC2046,SC2086  # three numbers each
    set -- $(milliseconds step_median) $(milliseconds compute_median) \
      $(milliseconds communication_median) $bytes
    first=${first:-"$1 $4"}
    awk -v stage="$stage" -v n="$ranks" -v first="$first" -v line="$*" 'BEGIN {
      split(line, v); split(first, zero)
      printf "%5d  %4d  %11.6f  %11.6f  %13.6f  %5.3f  %12d  %5.3f  %13d\n", stage, n, v[1] * 1e3,
        v[2] * 1e3, v[3] * 1e3, v[1] / zero[1], v[4] / n, v[4] / zero[2], v[6]
    }'
  done
}

head_of_table() { # head_of_table PLATFORM WIDTH
  printf '\n%s · two units of %s x %s, Φ = %s · fp16, --reduce mpi · 32 samples a rank\n' "$1" \
    "$2" "$2" $((2 * $2 * ($2 + 1)))
  printf '%5s  %4s  %11s  %11s  %13s  %5s  %12s  %5s  %13s\n' stage N "step ms" "compute ms" \
    "communication" ratio "bytes a rank" ratio "between boxes"
}

for platform in "${platforms[@]}"; do
  head_of_table "$platform" 768
  for ranks in 2 4 8 16 32 64; do rows "$platform" $ranks 768 0 1 2 3; done
  head_of_table "$platform" 256
  rows "$platform" 256 256 0 3
done
cat <<'END'

communication: what computation does not hide, in ms, the ranks' waiting for each other included;
bytes: sent by a rank in a step, the mean, from the trace; ratio: to stage 0; between boxes: bytes of
all ranks between hosts of different boxes of 8 (two-level: the slow links).
END
