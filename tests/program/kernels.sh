#!/usr/bin/env bash
# Stages agree under every kernel of OpenBLAS that this CPU runs, whose digests may differ; under
# --gemm reference none shows.
#   tests/program/kernels.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
[ "$(uname -m)" = x86_64 ] || { echo "skipped: the kernels are those of x86-64" && exit 77; }
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

stage_digest() { sed -n "s/^ *$1 *\([0-9a-f]\{16\}\) .*/\1/p" out; }
kernel() { sed -n 's/.*, kernel \([^,]*\), .*/\1/p' out; }
runs_here() { # runs_here FLAG... in the words of /proc/cpuinfo
  local flag
  for flag in "$@"; do grep -q "^flags.* $flag\( \|\$\)" /proc/cpuinfo || return 1; done
}

kernels=(Prescott Nehalem)
if runs_here avx; then kernels+=(Sandybridge); fi
if runs_here avx2 fma; then kernels+=(Haswell Zen); fi
if runs_here avx512f avx512dq avx512bw avx512vl avx512cd; then kernels+=(SkylakeX); fi
: >seen
for wanted in "${kernels[@]}"; do
  export OPENBLAS_CORETYPE=$wanted
  run 3 verify --quiet --epochs 2
  [ "$(kernel)" = "$wanted" ] || { echo "this OpenBLAS has no $wanted: $(kernel)" && continue; }
  check "$wanted: all stages agree" holds
  digest=$(stage_digest 3)
  check "  with a digest" [ ${#digest} -eq 16 ]
  echo "      $wanted $digest"
  echo "$digest" >>seen
  run 3 train --quiet --stage 2 --epochs 2 --gemm reference
  check "  reference products" succeeded
  digest >>reference
done
if [ "$(wc -l <seen)" -eq 0 ]; then skip_all "this OpenBLAS has one kernel only"; fi
check "three kernels at least" [ "$(wc -l <seen)" -ge 3 ]
check "the reference products have one digest under all of them" \
  equal "$(sort -u reference | wc -l)" 1
echo "      $(sort -u seen | wc -l) digests from $(wc -l <seen) kernels"
finish
