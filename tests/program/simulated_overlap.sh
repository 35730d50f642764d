#!/usr/bin/env bash
# The overlapped stages in simulated time: what can go on together does, and the step takes what is left.
# The theory is worked out here from N, latency, bandwidth, the rank's speed and the sizes of the units.
#   tests/program/simulated_overlap.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
# shellcheck source=tests/program/simulated.sh
. "$tests/program/simulated.sh"

# Six units of 1025 x 1024 elements of 2 bytes on 4 ranks at 1 Tflop/s, 12.5 GB/s, two links of 1.35 us.
# f: the forward products of a unit, backward 2f, of unit 0 f. g: one collective of a unit, all of whose
# messages leave at once. u: the update of a rank's shard of a unit; stage 0 updates all of it.
theory() { # theory STAGE BATCH [plain]
  awk -v stage="$1" -v batch="$2" -v plain="${3:-}" '
    function max(a, b) { return a > b ? a : b }
    BEGIN {
      L = 6; n = 4; latency = 2.7e-6; phi = 1025 * 1024
      f = 2 * batch * 1024 * 1024 / 1e12
      g = latency + 2 * phi * (n - 1) / n / 12.5e9
      u = 17 * phi / n / 1e12
      ring = (n - 1) * (latency + 2 * phi / n / 12.5e9)
      if (plain) { print L * f + (2 * L - 1) * f + (stage == 2 ? 2 : 3) * L * ring + L * u; exit }
      # Stage 0: two collectives a unit behind the backward pass; or, when that is longer, the last three
      # in front of nobody: the last two sums and gathers, two of them at a time.
      if (stage == 0) print L * f + max((2 * L - 1) * f + 3 * g, 2 * f + 2 * L * g) + L * n * u
      # Stage 2: one a unit behind the backward pass of the next; then the gathers, behind the updates.
      if (stage == 2)
        print L * f + 2 * f + (L - 2) * max(2 * f, g) + max(f, g) + g + u + max((L - 1) * u + g, L * g)
      # Stage 3: the first gather of each pass and the last sum in front of nobody; forward one collective
      # behind each unit, backward two, the next gather and the sum of the unit before.
      if (stage == 3)
        print g + (L - 1) * max(f, g) + f + \
          g + max(2 * f, g) + (L - 2) * max(2 * f, 2 * g) + max(f, g) + g + L * u
    }'
}
less() { awk -v a="$1" -v b="$2" 'BEGIN { print a - b }'; }

hidden=1024,1024,1024,1024,1024
for batch in 16 64 160; do # communication longer, about equal, computation longer
  job=(--batch "$batch" --steps 1 --hidden "$hidden" --data "synthetic:640,1024,1024")
  for stage in 0 2 3; do
    simulate infiniband-100g 4 --stage "$stage" "${job[@]}" --overlap
    check "B = $batch: overlapped stage $stage runs, no step skipped" [ "$(value skipped_steps)" = 0 ]
    overlapped=$(value step_median)
    check "  its step takes what theory allows" within 10 "$overlapped" "$(theory "$stage" "$batch")"
    [ "$stage" -gt 0 ] || continue
    simulate infiniband-100g 4 --stage "$stage" "${job[@]}"
    check "  less than the plain one, by the difference in theory" within 10 \
      "$(less "$(value step_median)" "$overlapped")" \
      "$(less "$(theory "$stage" "$batch" plain)" "$(theory "$stage" "$batch")")"
  done
done
finish
