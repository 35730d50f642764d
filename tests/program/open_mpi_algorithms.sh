#!/usr/bin/env bash
# Under exact the bits do not depend on the algorithm that Open MPI adds with: each is forced in
# turn. That the setting takes effect is shown by sums under mpi, whose bits do depend on it.
#   tests/program/open_mpi_algorithms.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
case $("${ZEROLAB_MPIRUN:-mpirun}" --version 2>/dev/null) in
  *"(Open MPI) 4."* | *"OpenRTE) 4."*) ;;
  *)
    echo "skipped: the settings are Open MPI 4's, and this is another MPI"
    exit 77
    ;;
esac
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
numbers=3
! exhaustive || numbers="3 4"

# Three units of 4160 elements and more.
data=synthetic:512,64,64
job=(verify --quiet --steps 4 --data "$data" --hidden "64,64")

# forced ALGORITHM RANKS ARGUMENTS... all-reduce by its algorithm 1 to 6, reduce-scatter by 1 to 4.
forced() {
  local algorithm=$1 ranks=$2
  shift 2
  export OMPI_MCA_coll_tuned_use_dynamic_rules=1
  export OMPI_MCA_coll_tuned_allreduce_algorithm=$algorithm
  export OMPI_MCA_coll_tuned_reduce_scatter_algorithm=$(((algorithm - 1) % 4 + 1))
  # The segmented ring has a length to be given; 0 would be one segment.
  [ "$algorithm" -ne 5 ] || export OMPI_MCA_coll_tuned_allreduce_algorithm_segmentsize=1024
  run "$ranks" "${job[@]}" "$@"
  unset "${!OMPI_MCA_coll_tuned_@}"
}
# Digest of a stage in the table of bits.
stage_digest() { sed -n "s/^ *$1 *\([0-9a-f]\{16\}\) .*/\1/p" out; }
not_all_the_same() {
  cat "$1"
  [ "$(wc -l <"$1")" -eq 6 ] && [ "$(sort -u "$1" | wc -l)" -ge 2 ]
}

for ranks in $numbers; do
  run "$ranks" "${job[@]}" --reduce exact
  check "N = $ranks, the library's own choice: stages agree" holds
  unforced=$(stage_digest 0)
  check "  there is a digest to compare with" [ ${#unforced} -eq 16 ]
  : >full
  : >shard
  for algorithm in 1 2 3 4 5 6; do
    forced $algorithm "$ranks" --reduce exact
    check "N = $ranks, algorithm $algorithm and $(((algorithm - 1) % 4 + 1)): stages agree" holds
    check "  with the bits of the library's own choice" equal "$(stage_digest 2)" "$unforced"
    forced $algorithm "$ranks" --reduce mpi --precision fp32 --stages 0,2
    stage_digest 0 >>full
    stage_digest 2 >>shard
  done
  check "N = $ranks, under mpi: the forced all-reduces take effect" not_all_the_same full
  check "  and so do the reduce-scatters" not_all_the_same shard
done
finish
