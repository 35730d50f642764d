#!/usr/bin/env bash
# Times steps on simulated clusters and writes them to FILE, which is called network.json: what
# decides TF4, WY6, SE8, EC2's time, 5.2 and 5.3, and what lab 10 predicts.
#
#   labs/simulate_network.sh FILE [FOLDER]     FOLDER of the build for SMPI [build-smpi], made if
#                                              need be
#
# Needs SimGrid (Debian, Ubuntu: apt install libsimgrid-dev); without it the exit code is 3. The
# same digits every time. FILE has five lists of jobs, of --reduce mpi --precision fp16:
#   networks   stages 1, 2 and 3 on 8 ranks, over 300 GB/s and over 10 Gb/s
#   scaling    stage 3 on 1 to 64 ranks over 10 Gb/s, 16384 samples a step on all of them together
#   limit      stage 3 on 1 to 64 ranks of the exercises' cluster
#   exercise   stages 3 and 0 on 64 ranks of it; stage 3 with 2 and with 2.75625 times its bandwidth
#   overlap    stage 3 on 16 ranks of it, plain and overlapped, and overlapped with a quarter of
#              the samples
# Keys of a job:
#   platform bandwidth latency flops   as the platform's file has them: bytes/s of a link in one
#                                      direction, seconds from rank to rank (two links), flops/s of
#                                      a rank
#   ranks stage overlap reduce precision widths parameters batch steps      batch: samples of a rank
#   step_seconds compute_seconds communication_seconds     simulated, of rank 0, the median of the
#                                      steps; communication: what computation does not hide
#   state_bytes payload_bytes ring_bytes     of all ranks: held after the last step; handed to MPI
#                                      in a step, and what a ring sends for that, by the ledgers
set -uo pipefail
labs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -eq 1 ] || [ $# -eq 2 ] || { sed -n '2,24s/^# \{0,1\}//p' "$0" && exit 2; }
if ! command -v smpirun >/dev/null; then
  echo "simulate_network.sh: SimGrid is missing (no smpirun);" \
    "Debian, Ubuntu: apt install libsimgrid-dev" >&2
  exit 3
fi
file=$1 folder=${2:-$labs/../build-smpi}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT

build() {
  [ -f "$folder/CMakeCache.txt" ] ||
    cmake -S "$labs/.." -B "$folder" -DZEROLAB_MPI=smpi -DZEROLAB_TESTS=OFF || return
  cmake --build "$folder" --target zerolab_network --parallel 2
}
build >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2 && exit 1; }

# promised FILE ATTRIBUTE: a number of a platform file, in bytes, seconds, flops.
promised() {
  sed '/<!--/,/-->/d' "$1" | sed -n "s/.* $2=\"\([0-9.]*\)\([a-zA-Z]*\)\".*/\1 \2/p" | awk '{
    factor["T"] = 1e12; factor["G"] = 1e9; factor["M"] = 1e6; factor["u"] = 1e-6
    prefix = substr($2, 1, 1)
    printf "%.12g\n", $1 * (prefix in factor ? factor[prefix] : 1)
  }'
}
# measure PLATFORM RANKS JOB...: a line of JSON each. From rank to rank there are two links.
measure() {
  local platform=$1 ranks=$2 xml=$labs/platforms/$1.xml latency
  shift 2
  [ -f "$xml" ] || xml=$work/$platform.xml
  latency=$(awk -v link="$(promised "$xml" lat)" 'BEGIN { printf "%.12g", 2 * link }')
  ZEROLAB_PLATFORM=$xml "$labs/../tests/on_ranks.sh" "$ranks" 300 "$folder/zerolab_network" \
    "$platform" "$(promised "$xml" bw)" "$latency" "$(promised "$xml" speed)" "$@"
}

# The cluster of exercise 5.2 for a model of so many parameters, in the exercise's own seconds. Its 300 GB/s
# serve 2.06 TB, which is sent and received, so they are 150 GB/s in each direction. Φ is 175 billion there;
# here every link has 150 GB/s less by as many times as the model is smaller, and a rank computes as fast as
# its step needs to take 10 s. Latency: NVLink's, which is nothing beside such seconds.
exercise() { # exercise NAME PARAMETERS FLOPS_OF_A_STEP [TIMES_THE_BANDWIDTH]
  local bandwidth speed
  bandwidth=$(awk -v phi="$2" -v times="${4:-1}" 'BEGIN { printf "%.12g", times * 150e9 / 175e9 * phi }')
  speed=$(awk -v flops="$3" 'BEGIN { printf "%.12g", flops / 10 }')
  cat >"$work/$1.xml" <<XML
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="$1" prefix="host-" radical="0-63" suffix="" speed="${speed}f"
           bw="${bandwidth}Bps" lat="0.95us" sharing_policy="SPLITDUPLEX"/>
</platform>
XML
}
# Flops of a step: of the products, 2 for each weight and sample three times, of unit 0 twice; 17 for each
# parameter that a rank updates.
two=511,511,511 two_flops=$((2 * 5 * 256 * 511 * 511 + 17 * 2 * 512 * 511 / 64))
deep=$(printf '127,%.0s' {1..14})127 deep_flops=$((2 * 41 * 256 * 127 * 127 + 17 * 14 * 128 * 127 / 16))
exercise exercise-5.2 $((2 * 512 * 511)) $two_flops
exercise exercise-5.2-times-2 $((2 * 512 * 511)) $two_flops 2
exercise exercise-5.2-times-2.75625 $((2 * 512 * 511)) $two_flops 2.75625
exercise exercise-5.2-deep $((14 * 128 * 127)) $deep_flops

networks() {
  measure nvlink-300g 8 8,{1,2,3},0,3,64,1023,1023,1023 &&
    measure ethernet-10g 8 8,{1,2,3},0,3,64,1023,1023,1023
}
scaling() {
  local n jobs=()
  for n in 1 2 4 8 16 32 64; do jobs+=("$n,3,0,1,$((16384 / n)),255,255,255"); done
  measure ethernet-10g 64 "${jobs[@]}"
}
limit() { measure exercise-5.2 64 {1,2,4,8,16,32,64},3,0,1,8,$two; }
exercises() {
  measure exercise-5.2 64 64,{3,0},0,1,256,$two &&
    measure exercise-5.2-times-2 64 64,3,0,1,256,$two &&
    measure exercise-5.2-times-2.75625 64 64,3,0,1,256,$two
}
overlap() { measure exercise-5.2-deep 16 16,3,{0,1},1,256,"$deep" 16,3,1,1,64,"$deep"; }

# list NAME FUNCTION: "NAME": [...]
list() {
  "$2" >"$work/jobs" || return
  printf '"%s": [\n%s\n]' "$1" "$(sed '$!s/$/,/' "$work/jobs")"
}
{
  echo "{" && list networks networks && echo "," && list scaling scaling && echo "," &&
    list limit limit && echo "," && list exercise exercises && echo "," && list overlap overlap &&
    echo && echo "}"
} >"$work/network.json" || { echo "simulate_network.sh: the simulation failed" >&2 && exit 1; }
cp "$work/network.json" "$file"
