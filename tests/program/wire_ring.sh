#!/usr/bin/env bash
# What Open MPI really sends in a step, under mpi and fp16, in units of 50 thousand elements and more:
# exactly the ring's bytes on every rank where N is a power of two; where it is not, an all-reduce
# sends more than the ring, and its busiest rank far more.
#   tests/program/wire_ring.sh PROGRAM RANKS...
# shellcheck disable=SC2317  # the checks are called through "check"
case $("${ZEROLAB_MPIRUN:-mpirun}" --version 2>/dev/null) in
  *"(Open MPI) 4."* | *"OpenRTE) 4."*) ;;
  *)
    echo "skipped: the figures are Open MPI 4's, and this is another MPI"
    exit 77
    ;;
esac
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
shift

job=(--quiet --data "synthetic:200,784,200" --hidden "512,256" --batch 8)
# row STAGE TEXT: the stage's row in the wire table ends in TEXT.
row() { grep -A 9 '^Sent on the wire' out | grep "^ *$1  " | grep -q "$2\$"; }
for ranks in "$@"; do
  for stage in 0 1 2 3; do
    for steps in 1 2; do
      run "$ranks" train "${job[@]}" --reduce mpi --loss-scale 1 --stage $stage --steps $steps \
        --wire "wire $ranks"
      check "N = $ranks, stage $stage, $steps steps: counted" succeeded
    done
  done
  run "$ranks" verify "${job[@]}" --steps 2 --wire "wire $ranks"
  check "N = $ranks: verify holds" holds
  check "  lines fit 100 columns" fits_100_columns
  case $ranks in
    2 | 4 | 8)
      for stage in 0 1 2 3; do
        check "  stage $stage sends exactly the ring's bytes" row $stage "equal on every rank"
      done
      ;;
    *)
      for stage in 0 1; do
        check "  stage $stage sends more than the ring" row $stage "  above"
      done
      check "  the footnote names the busiest rank" says 'busiest rank above the ring: stage 0'
      ;;
  esac
done
finish
