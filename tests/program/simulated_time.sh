#!/usr/bin/env bash
# The simulator keeps the time that its platforms promise: one message, and the communication of a step
# against the theory of rings, which is worked out here from N, latency, bandwidth and the sizes of the
# units.   tests/program/simulated_time.sh PROGRAM LINK_PROBE
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
# shellcheck source=tests/program/simulated.sh
. "$tests/program/simulated.sh"
probe=$2

# A gigabyte from rank to rank takes 8 Gb over the bandwidth.
for expected in nvlink-300g:0.0033333 infiniband-100g:0.08 ethernet-10g:0.8 ethernet-1g:8; do
  ZEROLAB_PLATFORM=$tests/../labs/platforms/${expected%:*}.xml launch 2 "$probe" 1000000000
  check "a gigabyte on ${expected%:*} takes ${expected#*:} s" within 1 "$(cat out)" "${expected#*:}"
done
ZEROLAB_PLATFORM=$tests/../labs/platforms/two-level.xml launch 9 "$probe" 1000000000
check "  inside a box of two-level, 0.0033333 s" within 1 "$(cat out)" 0.0033333

# Where messages are large (at 300 GB/s none of these is: there a step is all latency).
# Units of 769 x 1024 and 1025 x 768 elements of 2 bytes. A ring of N ranks takes N - 1 steps, each the
# latency and an N-th of the unit: one for an all-gather or a reduce-scatter, two for an all-reduce.
theory() { # theory RINGS RANKS LATENCY BANDWIDTH
  awk -v rings="$1" -v n="$2" -v latency="$3" -v bandwidth="$4" 'BEGIN {
    bytes = 2 * (769 * 1024 + 1025 * 768)
    print rings * (n - 1) * (2 * latency + bytes / n / bandwidth)
  }'
}
# Flops at 1 Tflop/s: 2 rows x in x out for each product (two of unit 0, three of unit 1), 17 for each
# element that this rank updates.
compute() { # compute ROWS SHARE
  awk -v rows="$1" -v share="$2" 'BEGIN {
    printf "%.12g", (2 * rows * 5 * 768 * 1024 + 17 * (769 * 1024 + 1025 * 768) / share) / 1e12
  }'
}
job=(--batch 2 --steps 1 --hidden 1024 --data "synthetic:128,768,768")
rings=(2 3 2 3)
while read -r platform ranks latency bandwidth; do
  for stage in 0 1 2 3; do
    simulate "$platform" "$ranks" --stage $stage "${job[@]}"
    check "$platform, N = $ranks: stage $stage runs" succeeded
    check "  its communication takes ${rings[stage]} rings of each unit" \
      within 10 "$(value communication_median)" \
      "$(theory "${rings[stage]}" "$ranks" "$latency" "$bandwidth")"
    share=$ranks
    [ $stage -gt 0 ] || share=1
    check "  its computation the flops over the speed" \
      within 0.1 "$(value compute_median)" "$(compute 2 "$share")"
  done
done <<'END'
infiniband-100g 4 2.7e-6 12.5e9
infiniband-100g 16 2.7e-6 12.5e9
ethernet-10g 8 20e-6 1.25e9
ethernet-1g 16 48e-6 125e6
END
finish
