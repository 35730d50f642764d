#!/usr/bin/env bash
# 64 simulated ranks: stage 3 sends half as much again as stage 0, which costs little where the network
# is fast and half as much again where it is slow; and a second run prints the same digits.
#   tests/program/simulated_ratio.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
# shellcheck source=tests/program/simulated.sh
. "$tests/program/simulated.sh"
job=(--batch 32 --hidden 512 --data "synthetic:2048,512,512")
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { print a / b }'; }

# What a textbook ring sends: every rank (N - 1) / N of Φ = 2 x 513 x 512 elements of 2 bytes, for each
# of two rings in stage 0 and three in stage 3.
bytes0=$(link_bytes 64 --stage 0 "${job[@]}")
bytes3=$(link_bytes 64 --stage 3 "${job[@]}")
check "bytes on the links, stage 0: two rings" within 1 "$bytes0" $((2 * 63 * 2 * 2 * 513 * 512))
check "bytes on the links, stage 3: three rings" within 1 "$bytes3" $((3 * 63 * 2 * 2 * 513 * 512))
check "stage 3 sends 1.5 times what stage 0 sends" within 1 "$(ratio "$bytes3" "$bytes0")" 1.5

# The same trace as the third column of verify, whatever N: here the library is made to send rings.
trace=$work/trace
flags=--cfg=tracing:yes
for option in smpi:yes smpi/internals:yes smpi/display-sizes:yes "filename:$trace"; do
  flags+=" --cfg=tracing/$option"
done
for stage in 0 3; do
  for steps in 1 2; do
    ZEROLAB_SMPI_TRACE=$trace.$stage.$steps ZEROLAB_MPIRUN_FLAGS=$flags.$stage.$steps run 5 train \
      --stage $stage --steps $steps --reduce mpi --loss-scale 1 --wire wire.json
    check "stage $stage, $steps steps: the run enters the wire file by its trace" succeeded
  done
done
run 5 verify --stages 0,3 --steps 2 --wire wire.json
check "verify shows what the trace counted, equal to the ring's" \
  [ "$(grep -c 'equal [oi]n [a-z]*' out)" -eq 2 ]
rm "$trace".*
run 5 verify --stages 0,3 --steps 2 --wire wire.json
check "  and has kept it in the file" [ "$(grep -c 'equal [oi]n [a-z]*' out)" -eq 2 ]

seconds_of() { # seconds_of PLATFORM STAGE
  simulate "$1" 64 --stage "$2" --steps 1 "${job[@]}"
  value step_median
}
slow0=$(seconds_of ethernet-1g 0)
slow3=$(seconds_of ethernet-1g 3)
cp out first
check "a second run prints the same digits" equal "$(seconds_of ethernet-1g 3)" "$slow3"
check "  on every line" cmp first out
check "1 Gb/s: stage 3 takes 1.5 times as long as stage 0" within 3 "$(ratio "$slow3" "$slow0")" 1.5
fast=$(ratio "$(seconds_of nvlink-300g 3)" "$(seconds_of nvlink-300g 0)")
echo "stage 3 to stage 0 on 64 ranks: bytes $(ratio "$bytes3" "$bytes0"), time $fast at 300 GB/s," \
  "$(ratio "$slow3" "$slow0") at 1 Gb/s"
finish
