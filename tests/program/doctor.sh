#!/usr/bin/env bash
# doctor: all right on this machine, and a hint for each thing that can be put wrong from outside.
# doctor --collectives shows where Open MPI leaves the ring.   tests/program/doctor.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
unset OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS GOTO_NUM_THREADS OMP_NUM_THREADS
version=$("${ZEROLAB_MPIRUN:-mpirun}" --version 2>/dev/null)

all_right() { succeeded && says '^all right$'; }
facts() { # facts NAME...: each has a line of its own
  local name
  for name in "$@"; do says "^  $name  *[^ ]" || { echo "no $name" && return 1; }; done
}

# result RANKS RANK: the row of a rank, by hand: it brings (RANK + 1)(i + 1) in element i, of which the
# average over the ranks is (i + 1)(RANKS + 1)/2; its own shard is element RANK.
result() {
  awk -v n="$1" -v r="$2" 'BEGIN {
    for (i = 1; i <= n; ++i) {
      before = before (i > 1 ? " " : "") (r + 1) * i
      mean = mean (i > 1 ? " " : "") i * (n + 1) / 2
    }
    print r, before, mean, (r + 1) * (n + 1) / 2, mean
  }'
}
averages() { # averages RANKS
  local rank
  for ((rank = 0; rank < $1; ++rank)); do
    tr -s ' ' <out | grep -qxF " $(result "$1" $rank)" || { result "$1" $rank && return 1; }
  done
}

for ranks in 1 3 8; do
  run "$ranks" doctor --json facts.json
  check "N = $ranks: the JSON says so, of each self-test" \
    equal "$(grep -c "\"right\": $ranks,\{0,1\}\$" facts.json)" "$(grep -c " $ranks of $ranks\$" out)"
  check "  and of all" grep -q '"all_right": true' facts.json
  check "N = $ranks: all right" all_right
  check "  every self-test on every rank" \
    equal "$(grep -c " $ranks of $ranks\$" out)" "$(sed -n '/self-test/,/sgemm/p' out | sed 1d | wc -l)"
  check "  every fact" facts MPI launcher ranks transport "memory attach" "shared memory" \
    "BLAS threads" timers
  check "  lines fit 100 columns" fits_100_columns
  cp out tables
  run "$ranks" doctor --json -
  check "  alone on standard output, but for the clock's steps and what other programs leave free" \
    diff <(grep -v 'timers\|shared memory' facts.json) <(grep -v 'timers\|shared memory' out)
done
cp tables out
check "8 ranks on fewer cores: a hint" \
  [ "$(grep -c '^hint: slots: 8 ranks' out)" -eq $((8 > $(getconf _NPROCESSORS_ONLN))) ]
check "root: a hint for root alone" \
  [ "$(grep -c '^hint: root: ' out)" -le $(($(id -u) == 0)) ]
alone doctor
check "started alone" says '^  launcher  *none'

if grep -qs avx2 /proc/cpuinfo; then
  OPENBLAS_CORETYPE=Prescott run 2 doctor
  check "a slow BLAS kernel" says '^hint: slow BLAS kernel Prescott .*OPENBLAS_CORETYPE='
  check "  is no fault" all_right
fi
OPENBLAS_NUM_THREADS=2 run 2 doctor
if says '^  BLAS threads  *2' && [ "$(getconf _NPROCESSORS_ONLN)" -lt 4 ]; then
  check "more threads than cores" says '^hint: 2 BLAS threads × 2 ranks'
fi

# A machine of its own, where this user may make one.
if unshare --uts --mount true 2>/dev/null; then
  # shellcheck disable=SC2016  # expanded in there
  unshare --uts --mount sh -c 'hostname no-such-host.invalid
    mount -t tmpfs -o size=12m tmpfs /dev/shm
    exec "$@"' sh "$tests/on_ranks.sh" 2 $limit "$program" doctor >out 2>err
  code=$?
  check "a host without an address, with little shared memory: all right" all_right
  check "  a hint for the host" says '^hint: host name no-such-host.invalid has no address'
  check "  and one for shared memory" says '^hint: small shared memory: [0-9]* MB free in /dev/shm'
fi

# --- what collectives send ---

# multiples ROW COLLECTIVE: "mean/max" of the row that begins with ROW, such as "16 MB".
multiples() {
  local column=3
  case $2 in Reduce_scatter) column=4 ;; Allgather) column=5 ;; Allgatherv) column=6 ;; esac
  awk -v row="$1" -v column=$column '$1 " " $2 == row { print $column }' out
}
collectives() { # collectives RANKS
  run "$1" doctor --collectives
  check "N = $1: doctor --collectives" all_right
  check "  lines fit 100 columns" fits_100_columns
  [ "$1" -gt 4 ] || check "  averages that can be checked by hand" averages "$1"
}

case $version in
  *"(Open MPI) 4."* | *"OpenRTE) 4."*)
    # Large: the ring exactly. Small: all-reduce by recursive doubling, log2 N payloads.
    collectives 4
    for size in "64 kB" "1 MB" "16 MB"; do
      check "  all-reduce of $size: the ring's" equal "$(multiples "$size" Allreduce)" 1.500/1.500
      check "  reduce-scatter of $size" equal "$(multiples "$size" Reduce_scatter)" 0.750/0.750
      check "  all-gather of $size" equal "$(multiples "$size" Allgather)" 0.750/0.750
    done
    check "  all-reduce of 1 kB: not the ring's" equal "$(multiples "1 kB" Allreduce)" 2.000/2.000*
    collectives 8
    check "  all-reduce of 16 MB: the ring's" equal "$(multiples "16 MB" Allreduce)" 1.750/1.750
    check "  all-reduce of 1 kB: not the ring's" equal "$(multiples "1 kB" Allreduce)" 3.000/3.000*
    collectives 3
    check "  all-reduce of 16 MB: above the ring's 1.333" equal "$(multiples "16 MB" Allreduce)" 1.500/2.500*
    OMPI_MCA_coll_sm_priority=95 collectives 3
    check "  all-reduces in shared memory are not seen" equal "$(multiples "1 MB" Allreduce)" "not"
    collectives 5
    check "  all-reduce of 16 MB: above the ring's 1.600" equal "$(multiples "16 MB" Allreduce)" 1.700/3.000*
    ;;
  *)
    collectives 3
    check "  says what there is" says '^sent bytes: not available\|^Bytes a rank sends'
    ;;
esac
OMPI_MCA_pml='^monitoring' run 3 doctor --collectives
check "no counter: said so" says '^sent bytes: not available: this MPI has no counter'
check "  which is no fault" all_right
alone doctor --collectives --json -
check "tables and JSON do not share standard output" fails_with "--collectives"
alone doctor --collectives
check "one rank sends nothing" all_right
finish
