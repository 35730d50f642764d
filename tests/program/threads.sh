#!/usr/bin/env bash
# One rank has the same bits with and without mpirun, which binds and counts cores in its own way;
# and more BLAS threads than one are warned about.   tests/program/threads.sh PROGRAM
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
unset OMPI_MCA_ess_singleton_isolated # as users have it
unset OPENBLAS_NUM_THREADS GOTO_NUM_THREADS OMP_NUM_THREADS

for precision in fp16 bf16 fp32; do
  job=(train --quiet --precision "$precision" --steps 10 --hidden "300,200")
  run 1 "${job[@]}"
  check "N = 1, $precision, with mpirun" succeeded
  with=$(digest)
  "$program" "${job[@]}" >out 2>err
  code=$?
  check "  and without" succeeded
  check "  has the same bits" equal "$(digest)" "$with"
  check "  with one thread" says ', 1 thread per rank'
  check "  and nothing on standard error" [ ! -s err ]
done

# A kernel of the user's choice: the program does not start anew, and sets its one thread itself.
kernel=$(sed -n 's/.*, kernel \([^,]*\), .*/\1/p' out)
check "the kernel is printed" [ -n "$kernel" ]
OPENBLAS_CORETYPE=$kernel "$program" "${job[@]}" >out 2>err
code=$?
check "asked for by OPENBLAS_CORETYPE" says ', 1 thread per rank'
check "  it has the same bits" equal "$(digest)" "$with"

export OPENBLAS_NUM_THREADS=2
run 2 train --quiet --steps 3
if says ', 1 thread per rank'; then
  echo "this OpenBLAS has no second thread to give: no warning to see"
else
  check "two BLAS threads: the run goes on" succeeded
  check "  with one warning line, from one rank" \
    equal "$(grep -c '^zerolab: warning: 2 BLAS threads a rank' err)" 1
fi
finish
