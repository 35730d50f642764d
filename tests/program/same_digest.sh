#!/usr/bin/env bash
# One job, three MPI libraries, the same bits: the program against those built with other MPIs. Under
# exact the digests are equal whatever the library, and with virtual shards whatever N.
#   tests/program/same_digest.sh PROGRAM OTHER...
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
shift
own=${ZEROLAB_MPIRUN:-}
unset ZEROLAB_MPIRUN # each its own

others=()
for other in "$@"; do
  if [ -x "$other" ]; then
    others+=("$other")
  else
    echo "not compared: there is no $other (./run_labs.sh build --mpi mpich, or smpi)"
  fi
done
[ ${#others[@]} -gt 0 ] || skip_all "there is no program of another MPI"
kernel() { sed -n 's/.*, kernel \([^,]*\), .*/\1/p' out; }
mpi_name() { sed -n 's/ · OpenBLAS .*//p' out; }
# Every day any two of number, stage and precision meet, for few steps: MPICH's ranks wait without giving
# way, and there are more than cores. In the larger size any three.
steps=(6 4)
! exhaustive || steps=(20 12)
precisions=(fp16 fp32)
for ranks in 3 4; do
  for stage in 0 3; do
    for p in 0 1; do
      exhaustive || [ $(((ranks + stage + p) % 2)) -eq 0 ] || continue
      precision=${precisions[p]}
      job=(train --stage "$stage" --precision "$precision" --steps "${steps[0]}" --quiet)
      unset OPENBLAS_CORETYPE
      run "$ranks" "${job[@]}"
      check "$(mpi_name): N = $ranks, stage $stage, $precision" succeeded
      expected=$(digest)
      OPENBLAS_CORETYPE=$(kernel) # the products of a simulated run, which cannot choose, as here
      export OPENBLAS_CORETYPE
      for other in "${others[@]}"; do
        launch "$ranks" "$other" "${job[@]}"
        check "  $(mpi_name) ends with the same bits" equal "$(digest)" "$expected"
      done
    done
  done
done

# With virtual shards for any number of ranks as well: simulated, up to 64.
for stage in 0 3; do
  job=(train --stage "$stage" --virtual-shards 64 --batch 4 --steps "${steps[1]}" --quiet)
  run 4 "${job[@]}"
  check "$(mpi_name): N = 4, stage $stage, 64 virtual shards" succeeded
  expected=$(digest)
  for other in "${others[@]}"; do
    numbers=4
    [[ $other == *mpich* ]] || numbers="4 16 64"
    for ranks in $numbers; do
      launch "$ranks" "$other" "${job[@]}"
      check "  $(mpi_name) ends with the same bits, N = $ranks" equal "$(digest)" "$expected"
    done
  done
done

# Another MPI's mpirun starts ranks that each are alone. The script refuses, else the program notices.
refused() { [ "$code" -eq 127 ] && grep -q 'is built with' err; }
notices() { [ "$code" -ne 0 ] && grep -q 'but each is alone' err; }
for other in "${others[@]}"; do
  [[ -n $own && $own != *mpich ]] || continue
  ZEROLAB_MPIRUN=$own launch 2 "$other" train --steps 1
  check "$other under $own is refused" refused
  if [[ $other == *mpich* ]]; then
    ZEROLAB_MPIRUN=$own launch 2 bash -c "'$other' train --steps 1"
    check "  and notices where that cannot be seen" notices
  fi
done
finish
