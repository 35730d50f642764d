# shellcheck shell=bash disable=SC2154  # $work and $tests are of checks.sh
# What the tests of simulated clusters share; sourced after checks.sh.

# simulate PLATFORM RANKS ARGUMENTS... trains as documents count: 16-bit sums by the library, no skips.
# Leaves the summary in the file summary.
simulate() {
  local platform=$1 ranks=$2
  shift 2
  ZEROLAB_PLATFORM=$tests/../labs/platforms/$platform.xml run "$ranks" train --reduce mpi \
    --precision fp16 --loss-scale 1024 --quiet --json summary "$@"
}
# A number of the summary that occurs once in it.
value() { sed -n "s/^ *\"$1\": \([-0-9.e+]*\),\{0,1\}\$/\1/p" summary; }

# within PERCENT FOUND EXPECTED
within() {
  awk -v p="$1" -v found="$2" -v expected="$3" 'BEGIN {
    off = expected > 0 ? 100 * (found / expected - 1) : 1e9
    if (off < -p || off > p) { printf "%g, expected %g: %+.2f %%\n", found, expected, off; exit 1 }
  }'
}

# link_bytes RANKS ARGUMENTS... of one step: the trace with it less the trace without.
link_bytes() {
  local steps ranks=$1 option flags=--cfg=tracing:yes
  shift
  for option in smpi:yes smpi/internals:yes smpi/display-sizes:yes filename:trace; do
    flags+=" --cfg=tracing/$option"
  done
  for steps in 1 0; do
    ZEROLAB_MPIRUN_FLAGS=$flags simulate ethernet-10g "$ranks" --steps $steps "$@"
    succeeded || return
    awk -f "$tests/../labs/link_bytes.awk" trace
  done | awk '{ sent[NR] = $1 } END { print sent[1] - sent[2] }'
}
